#include "commands/command_line.h"

#include "../../src/base/os_console.h"
#include "commands/known_words.h"
#include "terminal/help.h"
#include "terminal/message.h"
#include "terminal/standard_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void command_line_start(int *argc, char ***argv)
{
    os_console_start(argc, argv);
    standard_files_occupy();
}

int command_line_run(const struct command *command, int count, char *const *words,
                     int (*run)(const struct options *options))
{
    struct options options;
    advice_for(command);
    int code = options_parse(command, count, words, &options);
    if (code == 0 && options_has(&options, OPTION_HELP))
        help_command(stdout, command);
    else if (code == 0)
        code = run(&options);
    options_free(&options);
    return code;
}

/* A reader that closes the pipe early, as in `swathe filters | head`, is not an error. */
int command_line_end(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        if (code > EXIT_SIGNAL)
            os_end_by(code - EXIT_SIGNAL);
        return code;
    }
    if (errno == EPIPE)
        return SWATHE_ERROR_IO;
    return complain_system(errno, "standard output");
}

/* True for a word such as "gaussian:5,edge", which starts with a filter: the user omitted
 * `apply`. */
static bool starts_chain(const char *word)
{
    char name[WORD_SIZE] = "";
    size_t length = strcspn(word, ":,(");
    if (length >= sizeof name)
        return false;
    memcpy(name, word, length);
    return known_words_hold("@filters", name);
}

int unknown_command(const char *name)
{
    if (starts_chain(name))
        return complain(SWATHE_ERROR_ARGUMENT,
                        "'%s' is a filter, not a command; did you mean: swathe apply %s IN OUT",
                        name, name);
    struct nearest nearest;
    nearest_start(&nearest, name);
    nearest_offer_words(&nearest, "@commands");
    nearest_offer_words(&nearest, "--help --version");
    if (nearest_found(&nearest))
        return complain(SWATHE_ERROR_ARGUMENT, "unknown command '%s'; did you mean '%s'?", name,
                        nearest_found(&nearest));
    return complain(SWATHE_ERROR_ARGUMENT, "unknown command '%s'; 'swathe help' lists them", name);
}

bool installed_path(const char *place, char path[INSTALLED_PATH])
{
    char self[OS_PATH] = "";
    if (os_is_absolute(place)) {
        snprintf(path, INSTALLED_PATH, "%s", place);
        return true;
    }
    const char *slash = os_own_path(self, sizeof self) ? os_last_slash(self) : NULL;
    if (slash)
        snprintf(path, INSTALLED_PATH, "%.*s%s", (int)(slash + 1 - self), self, place);
    return slash != NULL;
}

#include "../cli/terminal/standard_files.h"
#include "../src/base/nearest_word.h"
#include "fail.h"
#include "options.h"
#include "store.h"

#include <errno.h>
#include <nats/nats.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { CLOSE_MS = 5000 };

static int fleet_main_unknown(const char *name)
{
    struct nearest nearest;
    char advice[128];
    const struct fleet_command *command;
    nearest_start(&nearest, name);
    for (int i = 0; (command = fleet_command_at(i)); i++)
        nearest_offer(&nearest, command->name);
    nearest_offer(&nearest, "--help");
    nearest_hint(&nearest, "", advice, sizeof advice);
    return fleet_complain(SWATHE_ERROR_ARGUMENT, "unknown command '%s'%s", name,
                          *advice ? advice : "; 'swathe-fleet --help' lists them");
}

static int run_command(const struct fleet_command *command, int count, char **words)
{
    struct fleet_options options;
    int code = fleet_options_parse(command, count, words, &options);
    if (code != 0)
        return code;
    if (!fleet_option_given(&options, OPTION_HELP))
        return command->run(&options);
    fleet_help_command(stdout, command);
    return 0;
}

static const struct fleet_command *find_command(const char *name)
{
    const struct fleet_command *command;
    for (int i = 0; (command = fleet_command_at(i)); i++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

/* `name`: of a command, or NULL. */
static int print_man(const char *name)
{
    const struct fleet_command *command = name ? find_command(name) : NULL;
    if (name && !command)
        return fleet_main_unknown(name);
    if (command)
        fleet_man_command(command);
    else
        fleet_man_program();
    return 0;
}

static int run_words(int count, char **words)
{
    const struct fleet_command *command = find_command(words[0]);
    if (strcmp(words[0], "--version") == 0) {
        printf("swathe-fleet %s (contract %d)\n", swathe_version(), (int)swathe_contract());
        return 0;
    }
    if (strcmp(words[0], "--help") == 0 || strcmp(words[0], "help") == 0) {
        fleet_help_program(stdout);
        return 0;
    }
    if (strcmp(words[0], "man") == 0)
        return print_man(count > 1 ? words[1] : NULL);
    return command ? run_command(command, count - 1, words + 1) : fleet_main_unknown(words[0]);
}

int main(int argc, char **argv)
{
    const char *password = getenv("SWATHE_NATS_PASSWORD");
    standard_files_occupy();
    store_hide_environment();
    if (password)
        store_hide(password);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file above the limit of the process is an error, not its end */
    if (argc < 2) {
        fleet_help_program(stderr);
        return SWATHE_ERROR_ARGUMENT;
    }
    int code = run_words(argc - 1, argv + 1);
    nats_CloseAndWait(CLOSE_MS); /* its threads free memory until they end */
    if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE)
        return fleet_complain(SWATHE_ERROR_IO, "standard output: %s", strerror(errno));
    return code;
}

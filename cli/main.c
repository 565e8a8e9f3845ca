#include "help.h"
#include "message.h"
#include "options.h"
#include "unknown.h"
#include "value.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int print_version(void)
{
    printf("swathe %s (contract %d)\n", swathe_version(), (int)swathe_contract());
    return 0;
}

/* --progress=json without another descriptor: all of standard error is JSON, also what is said of
 * wrong options. */
static bool json_on_stderr(int count, char **words)
{
    static const char option[] = "--progress=";
    int fd = -1;
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++)
        if (strcmp(words[i], "--no-progress") == 0 ||
            (strncmp(words[i], option, sizeof option - 1) == 0 &&
             !value_progress(words[i] + sizeof option - 1, &fd)))
            return false;
    return fd == STDERR_FILENO;
}

static int run(int count, char **words)
{
    const char *name = words[0];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return print_version();
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    const struct command *command = command_named(name);
    if (!command)
        return unknown_command(name);
    struct options options;
    int code = options_parse(command, count - 1, words + 1, &options);
    if (code != 0)
        return code;
    if (!options_has(&options, OPTION_HELP))
        return command->run(&options);
    help_command(stdout, command);
    return 0;
}

/* A reader that left early, as in `swathe filters | head`, wants no message. */
static int check_output(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    if (errno == EPIPE)
        return SWATHE_ERROR_IO;
    return complain(SWATHE_ERROR_IO, "standard output: %s", strerror(errno));
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* these two come back as errors of the write */
    signal(SIGXFSZ, SIG_IGN);
    if (argc < 2) {
        help_program(stderr);
        return SWATHE_ERROR_ARGUMENT;
    }
    if (json_on_stderr(argc - 1, argv + 1))
        message_json();
    return check_output(run(argc - 1, argv + 1));
}

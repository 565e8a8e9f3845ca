#include "../src/base/os_file.h"
#include "commands/command_line.h"
#include "commands/value.h"
#include "file/remote.h"
#include "terminal/help.h"
#include "terminal/message.h"

#include <string.h>

#define COMMAND(id, name, function, ...) int function(const struct options *options);
#include "commands/command.def"
#undef COMMAND

/* The function of each command; returns the exit code. */
static int (*const functions[])(const struct options *options) = {
#define COMMAND(id, name, function, ...) function,
#include "commands/command.def"
#undef COMMAND
};

static int print_version(void)
{
    printf("swathe %s (contract %d)\n", swathe_version(), (int)swathe_contract());
    return 0;
}

/* With --progress=json and no descriptor, everything on standard error is JSON, including messages
 * about wrong options. */
static bool json_on_stderr(int count, char **words)
{
    static const char option[] = "--progress=";
    int fd = -1;
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++)
        if (strcmp(words[i], "--no-progress") == 0 ||
            (strncmp(words[i], option, sizeof option - 1) == 0 &&
             !value_progress(words[i] + sizeof option - 1, &fd)))
            return false;
    return fd == STANDARD_ERROR;
}

static int cli_main_run(int count, char **words)
{
    const char *name = words[0];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return print_version();
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    const struct command *command = command_named(name);
    if (!command)
        return unknown_command(name);
    return command_line_run(command, count - 1, words + 1, functions[command_index(command)]);
}

int main(int argc, char **argv)
{
    command_line_start(&argc, &argv);
    if (argc < 2) {
        help_program(stderr);
        return SWATHE_ERROR_ARGUMENT;
    }
    if (json_on_stderr(argc - 1, argv + 1))
        message_json();
    int code = cli_main_run(argc - 1, argv + 1);
    remote_close();
    return command_line_end(code);
}

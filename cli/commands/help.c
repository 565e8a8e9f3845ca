#include "terminal/help.h"
#include "commands/options.h"
#include "commands/unknown.h"
#include "terminal/message.h"

int command_help(const struct options *options)
{
    if (options->argument_count == 0) {
        help_program(stdout);
        return 0;
    }
    const struct command *command = command_named(options->arguments[0]);
    if (!command)
        return unknown_command(options->arguments[0]);
    help_command(stdout, command);
    return 0;
}

#include "terminal/man.h"
#include "commands/command.h"
#include "commands/options.h"
#include "commands/unknown.h"

#include <stddef.h>

int command_man(const struct options *options)
{
    const struct command *command = NULL;
    if (options->argument_count > 0) {
        command = command_named(options->arguments[0]);
        if (!command)
            return unknown_command(options->arguments[0]);
    }
    if (command)
        man_command(command);
    else
        man_program();
    return 0;
}

/* The commands that print help, manual pages and completions. */
#include "terminal/help.h"
#include "commands/command.h"
#include "commands/command_line.h"
#include "commands/options.h"
#include "completion/complete.h"
#include "terminal/message.h"

#include <stddef.h>
#include <string.h>

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

int command_completion(const struct options *options)
{
    static const struct {
        const char *shell;
        void (*print)(void);
    } scripts[] = {{"bash", complete_bash}, {"zsh", complete_zsh}, {"fish", complete_fish}};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (strcmp(options->arguments[0], scripts[i].shell) == 0) {
            scripts[i].print();
            return 0;
        }
    return complain(SWATHE_ERROR_ARGUMENT, "completion takes bash, zsh or fish, not '%s'",
                    options->arguments[0]);
}

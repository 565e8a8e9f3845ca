#include "commands/options.h"
#include "completion/complete.h"
#include "terminal/message.h"

#include <string.h>

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

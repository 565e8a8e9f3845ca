/* Shared by the main functions of swathe and swathe-bench, and the way to files installed beside
 * them. */
#ifndef SWATHE_CLI_COMMANDS_COMMAND_LINE_H
#define SWATHE_CLI_COMMANDS_COMMAND_LINE_H

#include "../../src/base/os_path.h"
#include "commands/options.h"

#include <stdbool.h>

/* Call it first. Makes broken pipes and exceeded quotas errors of the write instead of signals, and
 * replaces the arguments where the system supplies them in another encoding than UTF-8. */
void command_line_start(int *argc, char ***argv);

/* Parses the words after the command's name, then prints its help or calls `run`. Returns the exit
 * code. */
int command_line_run(const struct command *command, int count, char *const *words,
                     int (*run)(const struct options *options));

/* Flushes standard output. Returns `code`, or the exit code of the failure to flush. */
int command_line_end(int code);

/* Prints a message about a word that is not a command, with a suggestion. Returns the exit code. */
int unknown_command(const char *name);

enum { INSTALLED_PATH = 2 * OS_PATH };

/* Writes the path of a file that is installed beside this program. Its place is absolute, or
 * relative to the directory of this program. False if that is not known: a path relative to the
 * current directory would name whatever is there. */
bool installed_path(const char *place, char path[INSTALLED_PATH]);

#endif

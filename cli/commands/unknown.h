/* Unknown commands, and suggestions for them. */
#ifndef SWATHE_CLI_COMMANDS_UNKNOWN_H
#define SWATHE_CLI_COMMANDS_UNKNOWN_H

/* Prints a message and returns the exit code. */
int unknown_command(const char *name);

#endif

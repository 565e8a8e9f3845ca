/* Words that nobody knows, and what may have been meant. */
#ifndef SWATHE_CLI_UNKNOWN_H
#define SWATHE_CLI_UNKNOWN_H

/* Prints a message and returns the exit code. */
int unknown_command(const char *name);

#endif

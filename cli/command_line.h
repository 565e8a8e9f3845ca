/* What swathe and swathe-bench do around a command. */
#ifndef SWATHE_CLI_COMMAND_LINE_H
#define SWATHE_CLI_COMMAND_LINE_H

#include "options.h"

/* Broken pipes and full quotas come back as errors of the write. */
void command_line_start(void);

/* Reads the words after the command's name; prints its help, or calls `run`. The exit code. */
int command_line_run(const struct command *command, int count, char *const *words,
                     int (*run)(const struct options *options));

/* Flushes standard output; returns `code`, or that of a failure. */
int command_line_end(int code);

#endif

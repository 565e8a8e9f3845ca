/* Manual pages in troff, generated from the tables. */
#ifndef SWATHE_CLI_TERMINAL_MAN_H
#define SWATHE_CLI_TERMINAL_MAN_H

#include "commands/command.h"

void man_program(void);
void man_command(const struct command *command);

#endif

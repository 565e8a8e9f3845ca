/* Help as plain text and as manual pages in troff, generated from the tables. */
#ifndef SWATHE_CLI_TERMINAL_HELP_H
#define SWATHE_CLI_TERMINAL_HELP_H

#include "commands/command.h"

#include <stdio.h>

void help_program(FILE *out);
void help_command(FILE *out, const struct command *command);

/* Writes the option as help shows it: "--border B", "-q, --quiet". */
void help_option_term(const struct option *option, char *term, int size);

/* Explains chains; also used in the man page. */
const char *help_chain_text(void);

void man_program(void);
void man_command(const struct command *command);

#endif

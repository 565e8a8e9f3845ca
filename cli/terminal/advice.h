/* Advice on errors of the library, which does not know the command line. */
#ifndef SWATHE_CLI_TERMINAL_ADVICE_H
#define SWATHE_CLI_TERMINAL_ADVICE_H

#include "commands/command.h"

/* From now on, messages about errors of the library name options of this command, as in "; raise it
 * with --max-memory 4G". Call it before threads are started. */
void advice_for(const struct command *command);
/* This number of images run at a time and share --max-memory: advice names the total. Call it
 * before threads are started. */
void advice_share(int32_t images);

#endif

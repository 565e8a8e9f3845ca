/* Advice on errors of the library, which does not know the command line. */
#ifndef SWATHE_CLI_WAY_OUT_H
#define SWATHE_CLI_WAY_OUT_H

#include "command.h"

/* From now on, messages about errors of the library name options of this command, as in "; raise it
 * with --max-memory 4G". Call it before threads are started. */
void way_out_for(const struct command *command);
/* This number of images run at a time and share --max-memory: advice names the total. Call it
 * before threads are started. */
void way_out_share(int32_t images);

#endif

/* What the user can do about a failure of the library, which knows no command line. */
#ifndef SWATHE_CLI_WAY_OUT_H
#define SWATHE_CLI_WAY_OUT_H

#include "command.h"
#include "swathe/swathe.h"

/* From now on ways out are those of this command. Before there are threads. */
void way_out_for(const struct command *command);

/* To put after the error's text, as in "; raise it with --max-memory 4G"; empty where the command
 * has none. */
void way_out(const swathe_error *error, char *text, size_t size);

#endif

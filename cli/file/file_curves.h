/* The curves of --light linear: those of the file's profile. */
#ifndef SWATHE_CLI_FILE_FILE_CURVES_H
#define SWATHE_CLI_FILE_FILE_CURVES_H

#include "commands/options.h"

/* Fills in the curves of the source's profile; NULL if it has none, or they are not needed. */
const swathe_curves *file_curves(const struct options *options, const swathe_source *source,
                                 swathe_curves *curves);

#endif

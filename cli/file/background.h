/* Results with alpha in front of a colour (--background). */
#ifndef SWATHE_CLI_FILE_BACKGROUND_H
#define SWATHE_CLI_FILE_BACKGROUND_H

#include "commands/options.h"

/* The shape of what is written: without alpha if --background is given, otherwise the same. */
swathe_shape background_shape(const struct options *options, const swathe_shape *shape);
/* Checks that the colour fits an image of this shape. 0, or the exit code after a message. */
int background_check(const struct options *options, const swathe_shape *shape);
/* Replaces *sink, which the new one owns, by one for pixels of `shape`. It writes
 * (c·a + b·(A − a)) / A for a sample c of a pixel with alpha a, where A is opaque and b the colour,
 * rounded to nearest. Without --background nothing changes. 0, or the exit code after a message;
 * *sink then remains as it was. */
int background_wrap(swathe_context *context, const struct options *options,
                    const swathe_shape *shape, swathe_sink **sink);

#endif

/* Selects the format by a name, a path or the options; errors suggest a similar name. */
#ifndef SWATHE_IO_CHOOSE_FORMAT_H
#define SWATHE_IO_CHOOSE_FORMAT_H

#include "io/codec.h"

/* Finds the format by its name. Fails for unknown formats and those that this build lacks. */
swathe_status format_named(const char *name, const struct codec **codec);
/* The same by the extension of a file's path or of another name. */
swathe_status format_for_path(const char *path, bool file, const struct codec **codec);

/* The type of the samples in a file: that of the shape if the format holds it; otherwise the widest
 * unsigned type that it holds, not wider than the shape's, which must be unsigned itself unless
 * `any`. With `any` and without an unsigned type: any type that it holds. Otherwise that of the
 * shape, which the format refuses. */
swathe_type format_type(const struct codec *codec, const swathe_shape *shape, bool any);

/* Lists the formats that are built in, as in "png, jpeg, pnm". */
const char *format_list(char *buffer, size_t size);

/* Copies a path for messages, with '?' for control characters. */
swathe_status format_shown(const struct memory *memory, const char *path, char **shown);

#endif

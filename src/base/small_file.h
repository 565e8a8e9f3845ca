/* Small files that the library keeps for itself: read whole, replaced whole. */
#ifndef SWATHE_BASE_SMALL_FILE_H
#define SWATHE_BASE_SMALL_FILE_H

#include "base/memory.h"

#include <stdbool.h>

/* "$XDG_CACHE_HOME/swathe/NAME" or "$HOME/.cache/swathe/NAME"; false where neither can be had. */
bool small_file_cached(const char *name, char *path, size_t size);

/* The bytes of a regular file, a NUL after them; NULL where there is no such file. More than
 * `limit` bytes are SWATHE_ERROR_LIMIT. */
swathe_status small_file_read(const struct memory *memory, const char *path, int64_t limit,
                              char **text, int64_t *size);

/* Puts a file in the place of the old one, whole or not at all, and never in the place of what is
 * no file; makes its folder where only that and the folder above are missing. */
swathe_status small_file_replace(const char *path, const char *text, size_t size);

#endif

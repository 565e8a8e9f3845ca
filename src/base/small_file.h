/* Small files for internal use: read and replaced as a whole. */
#ifndef SWATHE_BASE_SMALL_FILE_H
#define SWATHE_BASE_SMALL_FILE_H

#include "base/memory.h"

#include <stdbool.h>

/* Sets `path` to "swathe/NAME" in the user's directory for caches; false if there is none. */
bool small_file_cached(const char *name, char *path, size_t size);

/* Reads a regular file and adds a NUL; `text` is NULL if there is no such file. A file of more than
 * `limit` bytes is SWATHE_ERROR_LIMIT. */
swathe_status small_file_read(const struct memory *memory, const char *path, int64_t limit,
                              char **text, int64_t *size);

/* Replaces a regular file atomically. Refuses to replace anything else, such as a device. Creates
 * the directory and its parent if they are missing. */
swathe_status small_file_replace(const char *path, const char *text, size_t size);

/* Fails as small_file_replace would, before the work for the new text is done. */
swathe_status small_file_check(const char *path);

#endif

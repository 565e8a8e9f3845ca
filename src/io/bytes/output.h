/* Where encoded bytes go. */
#ifndef SWATHE_IO_BYTES_OUTPUT_H
#define SWATHE_IO_BYTES_OUTPUT_H

#include "base/memory.h"
#include "base/status.h"
#include "io/bytes/new_file.h"

#include <stdbool.h>

/* A file that appears whole or not at all: written without a name (or under a temporary one) in the
 * target's directory, synced, then renamed, and the directory synced (unless the caller does the
 * syncs). Or a caller's writer, which receives all bytes in order. */

struct output;

/* `path` "-" is standard output; standard output and devices are written directly, without undo.
 * Without `overwrite` an existing file is an error, checked now and, without a race, again at
 * commit. This and output_commit name the path in their messages; the functions between do not. */
swathe_status output_create(const struct memory *memory, const char *path,
                            const struct output_options *options, struct output **output);
/* Takes ownership of the writer: exactly one of its `finish` (by output_commit) and `abandon` is
 * called, the latter also if this fails. */
swathe_status output_create_writer(const struct memory *memory, const swathe_writer *writer,
                                   const struct cancel *cancel, struct output **output);
/* Formats that seek or read back call this before the first byte. Output for standard output or a
 * writer is then collected in an unnamed temporary file and copied at commit. */
swathe_status output_make_seekable(struct output *output);

swathe_status output_write(struct output *output, const void *bytes, size_t size);
/* Hands bytes that are still in the buffer to the system. */
swathe_status output_flush(struct output *output);
/* Only after output_make_seekable. Offsets past the end are allowed; the gap reads as zeros. */
swathe_status output_seek(struct output *output, int64_t offset);
/* `got` is less than `size` only at the end of what was written. */
swathe_status output_read(struct output *output, void *bytes, size_t size, size_t *got);
/* Drops what was written from this offset on, which is then the position. Only after
 * output_make_seekable. */
swathe_status output_truncate(struct output *output, int64_t size);
int64_t output_tell(const struct output *output);
int64_t output_size(const struct output *output);
/* Syncs the file, renames it, and syncs the directory. */
swathe_status output_commit(struct output *output);
/* Deletes the file unless it was committed. Accepts NULL. */
void output_destroy(struct output *output);

/* An output as a swathe_writer, for bytes that no codec of ours encodes. */

/* See swathe_writer_file. */
swathe_status output_writer(const struct memory *memory, const char *path,
                            const struct output_options *options, swathe_writer *writer);

#endif

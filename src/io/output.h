/* A file that appears whole or not at all: written without a name (or under a temporary one) in
 * the target's folder, synced, then given its name, and the folder synced (unless syncing is left
 * to the caller). Or a writer of the caller's, which gets all bytes in order. */
#ifndef SWATHE_IO_OUTPUT_H
#define SWATHE_IO_OUTPUT_H

#include "base/memory.h"
#include "base/status.h"
#include "io/new_file.h"

#include <stdbool.h>

struct output;

/* `path` "-" is standard output; that and devices are written plainly, without undo. Without
 * `overwrite` an existing file is an error, checked now and again, without a race, at commit.
 * This and output_commit name the path in their messages; the functions between do not. */
swathe_status output_create(const struct memory *memory, const char *path,
                            const struct output_options *options, struct output **output);
/* Takes the writer over: exactly one of its finish (by output_commit) and abandon is called, the
 * latter also when this fails. */
swathe_status output_create_writer(const struct memory *memory, const swathe_writer *writer,
                                   const struct cancel *cancel, struct output **output);
/* Formats that go back or read back call this before the first byte: what goes to standard
 * output or a writer is then collected in an unnamed temporary file and copied at commit. */
swathe_status output_make_seekable(struct output *output);

swathe_status output_write(struct output *output, const void *bytes, size_t size);
/* Only after output_make_seekable. Past the end is allowed; the gap reads as zeros. */
swathe_status output_seek(struct output *output, int64_t offset);
/* `got` is less than `size` only at the end of what was written. */
swathe_status output_read(struct output *output, void *bytes, size_t size, size_t *got);
int64_t output_tell(const struct output *output);
int64_t output_size(const struct output *output);
/* fsync, name, fsync of the folder. */
swathe_status output_commit(struct output *output);
/* Without commit the file is gone. Accepts NULL. */
void output_destroy(struct output *output);

#endif

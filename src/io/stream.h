/* Bytes of an input file: a path, or standard input. */
#ifndef SWATHE_IO_STREAM_H
#define SWATHE_IO_STREAM_H

#include "base/memory.h"
#include "base/status.h"
#include "io/cancel.h"

#include <stdbool.h>

struct stream;

/* `path` "-" is standard input; directories and devices are refused with a reason. While a pipe has
 * nothing to read, `cancel` is asked. */
swathe_status stream_open(const struct memory *memory, const char *path,
                          const struct cancel *cancel, struct stream **stream);
/* The same bytes with a position of their own, for another thread. Only after
 * stream_make_seekable; closed before the first. */
swathe_status stream_share(const struct stream *stream, struct stream **shared);
void stream_close(struct stream *stream);

/* The first bytes without moving; `got` may be less than `size` only at the end of the file. */
swathe_status stream_peek(struct stream *stream, uint8_t *head, size_t size, size_t *got);
/* Up to `size` bytes; 0 in `got` only at the end of the file. Reads on until it has them all. */
swathe_status stream_read(struct stream *stream, void *bytes, size_t size, size_t *got);
/* Exactly `size` bytes, else SWATHE_ERROR_INPUT "the file ends early". */
swathe_status stream_read_all(struct stream *stream, void *bytes, size_t size);

bool stream_seekable(const struct stream *stream);
/* Random access. A pipe is first copied to an unnamed temporary file of at most so many bytes, so
 * this can fail. */
swathe_status stream_make_seekable(struct stream *stream, int64_t most);
swathe_status stream_seek(struct stream *stream, int64_t offset);
int64_t stream_tell(const struct stream *stream);
/* Only after stream_make_seekable. */
int64_t stream_size(const struct stream *stream);

#endif

/* Bytes of an input: a path, standard input, or a reader of the caller's. */
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
/* A reader, which stays the caller's and outlives the stream. */
swathe_status stream_open_reader(const struct memory *memory, const swathe_reader *reader,
                                 struct stream **stream);
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

/* The first failure to fetch, which all later ones repeat: for codecs that take what cannot be read
 * for what is not there. */
swathe_status stream_check(const struct stream *stream);

/* What is fetched from a reader between these two calls is kept, as far as there is room, for
 * streams that are shared later. Nothing for other inputs. */
void stream_keep(struct stream *stream);
void stream_keep_no_more(struct stream *stream);
/* Does each fetch cost a call of the caller's? Then stream_gather is worth it. */
bool stream_calls(const struct stream *stream);
/* Bytes that it is cheaper to fetch than to leave out between two that are wanted. */
int64_t stream_gap(const struct stream *stream);
/* Are the bytes in memory? */
bool stream_holds(const struct stream *stream, int64_t offset, int64_t size);
/* Fetches bytes that will be read soon, at once, and holds them until others are fetched. */
swathe_status stream_gather(struct stream *stream, int64_t offset, int64_t size);

bool stream_seekable(const struct stream *stream);
/* Random access. A pipe is first copied to an unnamed temporary file of at most so many bytes, so
 * this can fail. */
swathe_status stream_make_seekable(struct stream *stream, int64_t most);
swathe_status stream_seek(struct stream *stream, int64_t offset);
int64_t stream_tell(const struct stream *stream);
/* Only after stream_make_seekable. */
int64_t stream_size(const struct stream *stream);

#endif

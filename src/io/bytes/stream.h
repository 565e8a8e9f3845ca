/* The bytes of an input: a path, standard input, or a caller's reader. */
#ifndef SWATHE_IO_BYTES_STREAM_H
#define SWATHE_IO_BYTES_STREAM_H

#include "base/cancel.h"
#include "base/memory.h"
#include "base/status.h"

#include <stdbool.h>

struct stream;

/* `path` "-" is standard input; directories and devices are refused with a reason. `cancel` is
 * checked while waiting for a pipe. */
swathe_status stream_open(const struct memory *memory, const char *path,
                          const struct cancel *cancel, struct stream **stream);
/* Puts bytes that the caller has read from a pipe already before those that are left in it. Call it
 * before anything is read. */
swathe_status stream_return(struct stream *stream, const void *bytes, size_t size);
/* Opens a reader, which still belongs to the caller and must outlive the stream. Buffers for
 * requests of more than 64 KiB take at most a sixteenth of `max_memory`. */
swathe_status stream_open_reader(const struct memory *memory, const swathe_reader *reader,
                                 int64_t max_memory, const struct cancel *cancel,
                                 struct stream **stream);
/* Opens the same bytes with a separate position, for another thread. Only after
 * stream_make_seekable; must be closed before the first stream. */
swathe_status stream_share(const struct stream *stream, struct stream **shared);
void stream_close(struct stream *stream);

/* Reads the first bytes without moving the position; `got` is less than `size` only at the end of
 * the file. */
swathe_status stream_peek(struct stream *stream, uint8_t *head, size_t size, size_t *got);
/* Reads `size` bytes; `got` is less only at the end of the file. */
swathe_status stream_read(struct stream *stream, void *bytes, size_t size, size_t *got);
/* Reads exactly `size` bytes; SWATHE_ERROR_INPUT "the file ends early" if there are fewer. */
swathe_status stream_read_all(struct stream *stream, void *bytes, size_t size);

/* Repeats the failure of the first fetch that failed, for codecs that treat an I/O error as the end
 * of the file. */
swathe_status stream_check(const struct stream *stream);

/* Bytes fetched from a reader between these two calls are kept, if there is space, for streams that
 * are shared later. No effect for other inputs. */
void stream_keep(struct stream *stream);
void stream_keep_no_more(struct stream *stream);
/* True if each fetch calls the caller's reader. Then stream_gather saves calls. */
bool stream_calls(const struct stream *stream);
/* The largest gap between two ranges that is cheaper to fetch than to skip, in bytes. */
int64_t stream_gap(const struct stream *stream);
/* True if the bytes are in memory. */
bool stream_holds(const struct stream *stream, int64_t offset, int64_t size);
/* Fetches bytes that will be read soon in one request, and keeps them until the next fetch. */
swathe_status stream_gather(struct stream *stream, int64_t offset, int64_t size);

bool stream_seekable(const struct stream *stream);
/* Makes random access possible. A pipe is copied to an unnamed temporary file of at most `most`
 * bytes, so this can fail. */
swathe_status stream_make_seekable(struct stream *stream, int64_t most);
swathe_status stream_seek(struct stream *stream, int64_t offset);
int64_t stream_tell(const struct stream *stream);
/* Only after stream_make_seekable. */
int64_t stream_size(const struct stream *stream);

#endif

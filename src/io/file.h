/* Files as sources and sinks. */
#ifndef SWATHE_IO_FILE_H
#define SWATHE_IO_FILE_H

#include "base/memory.h"
#include "base/status.h"
#include "io/source_sink.h"

/* `free_memory` is the default limit on memory; NULL options are all 0. */
swathe_status file_open(const struct memory *memory, int64_t free_memory, const char *path,
                        const swathe_read_options *options, swathe_source **source);
/* Takes ownership of the reader, also on failure. */
swathe_status file_open_reader(const struct memory *memory, int64_t free_memory,
                               const swathe_reader *reader, const swathe_read_options *options,
                               swathe_source **source);
/* This and the next two also accept the caller's own sources and sinks. */
void file_close(swathe_source *source);

swathe_status file_create(const struct memory *memory, int64_t free_memory, const char *path,
                          const swathe_shape *shape, const swathe_metadata *metadata,
                          const swathe_write_options *options, swathe_sink **sink);
/* Takes ownership of the writer, also on failure. */
swathe_status file_create_writer(const struct memory *memory, int64_t free_memory,
                                 const swathe_writer *writer, const swathe_shape *shape,
                                 const swathe_metadata *metadata,
                                 const swathe_write_options *options, swathe_sink **sink);
/* Fails if sizes of tiles are negative or flags unknown; `what` is "the source" or "the sink". */
swathe_status file_check_ends(const swathe_shape *shape, int64_t tile_width, int64_t tile_height,
                              uint64_t flags, const char *what);
swathe_status file_next_page(swathe_sink *sink, const swathe_shape *shape,
                             const swathe_metadata *metadata);
swathe_status file_commit(swathe_sink *sink);
void file_discard(swathe_sink *sink);

#endif

/* An output as a swathe_writer, for bytes that no codec of ours encodes. */
#ifndef SWATHE_IO_BYTES_OUTPUT_WRITER_H
#define SWATHE_IO_BYTES_OUTPUT_WRITER_H

#include "io/bytes/output.h"

/* See swathe_writer_file. */
swathe_status output_writer(const struct memory *memory, const char *path,
                            const struct output_options *options, swathe_writer *writer);

#endif

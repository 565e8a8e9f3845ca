/* Limits on the resources that a file may take; the error names the limit. */
#ifndef SWATHE_IO_LIMITS_H
#define SWATHE_IO_LIMITS_H

#include "base/status.h"

#include <stdbool.h>

struct limits {
    int64_t max_pixels;   /* of formats that must be in memory as a whole */
    int64_t max_memory;   /* bytes that one codec may allocate */
    int64_t max_metadata; /* bytes of one ICC, EXIF or XMP block */
    int64_t max_spool;    /* bytes of a pipe in a temporary file */
    int64_t max_unpacked; /* bytes that compressed data may expand to, however small they are */
    int64_t free_pixels;  /* that a file may declare, however small it is */
    bool usual_pixels;    /* max_pixels is the default: the file's size limits pixels as well */
    int64_t file_bytes;   /* size of the file; 0: unknown */
};

/* For swathe_table_get and the command's help. */
struct limits_entry {
    const char *name, *summary;
    int64_t usual; /* 0: depends on the machine */
};
const struct limits_entry *limits_entry(int index);

/* Fails if a limit in the options is negative. */
swathe_status limits_check_read(const swathe_read_options *options);
swathe_status limits_check_write(const swathe_write_options *options);
/* The options' values, or the defaults; `free_memory` is the default for max_memory. */
struct limits limits_reading(const swathe_read_options *options, int64_t free_memory);
struct limits limits_writing(const swathe_write_options *options, int64_t free_memory);

/* For an image that must be decoded as a whole: checks pixels against max_pixels and, by default,
 * against the number that a file of this size may declare, and bytes against max_memory. */
swathe_status limits_check_whole(const struct limits *limits, const swathe_shape *shape);
/* For data that can encode any number of pixels: checks pixels against the number that `stored`
 * bytes may declare, unless max_pixels was set. */
swathe_status limits_check_claim(const struct limits *limits, const swathe_shape *shape,
                                 int64_t stored);
/* Checks `stored` bytes of compressed data that must be decompressed as a whole, to `bytes`. More
 * than 48 MiB require either enough data, at `ratio` to 1, or that max_memory was set. `needs` is
 * the total memory required, which the suggested value includes. */
swathe_status limits_check_unpacked(const struct limits *limits, int64_t bytes, int64_t stored,
                                    int64_t ratio, int64_t needs, const char *what);
/* Checks the size of any buffer that a codec allocates; `what` is its name in messages. */
swathe_status limits_check_memory(const struct limits *limits, int64_t bytes, const char *what);
swathe_status limits_check_metadata(const struct limits *limits, uint64_t bytes, const char *what);
/* Fails like limits_check_metadata, if a library stopped before the size was known. */
swathe_status limits_fail_metadata(const struct limits *limits, const char *what);
/* Fails because a pipe is longer than `limit` bytes. */
swathe_status limits_fail_spool(int64_t limit);

#endif

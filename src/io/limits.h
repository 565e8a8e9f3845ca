/* Limits on what a file may make us do; each is named in the error that it causes. */
#ifndef SWATHE_IO_LIMITS_H
#define SWATHE_IO_LIMITS_H

#include "base/status.h"

#include <stdbool.h>

struct limits {
    int64_t max_pixels;   /* of formats that must be whole in memory */
    int64_t max_memory;   /* bytes that one codec may hold */
    int64_t max_metadata; /* bytes of one ICC, EXIF or XMP block */
    int64_t max_spool;    /* bytes of a pipe in a temporary file */
    int64_t max_unpacked; /* bytes from data that could not hold as many */
    int64_t free_pixels;  /* that a file may claim, however small it is */
    bool usual_pixels;    /* max_pixels was not asked for: the file's size counts as well */
    int64_t file_bytes;   /* that are read; 0: not known */
};

/* For swathe_table_get and the command's help. */
struct limits_entry {
    const char *name, *summary;
    int64_t usual; /* 0: depends on the machine */
};
const struct limits_entry *limits_entry(int index);

/* What is set, else the defaults; `free_memory` is the default for max_memory. */
struct limits limits_reading(const swathe_read_options *options, int64_t free_memory);
struct limits limits_writing(const swathe_write_options *options, int64_t free_memory);

/* For an image that must be decoded whole: pixels within max_pixels and, by default, within what a
 * file of this size may claim; bytes within max_memory. */
swathe_status limits_check_whole(const struct limits *limits, const swathe_shape *shape);
/* For data that can stand for any number of pixels: no more than `stored` bytes may claim, unless
 * max_pixels was asked for. */
swathe_status limits_check_claim(const struct limits *limits, const swathe_shape *shape,
                                 int64_t stored);
/* For compressed data that must be unpacked whole: `bytes`, from `stored` bytes of the file. Beyond
 * 48 MiB it takes either data that can hold so much, at `ratio` to 1, or a max_memory that was
 * asked for. `needs` is the memory for all of it, which the error's advice includes. */
swathe_status limits_check_unpacked(const struct limits *limits, int64_t bytes, int64_t stored,
                                    int64_t ratio, int64_t needs, const char *what);
/* For any buffer of a codec's own. `what` names it. */
swathe_status limits_check_memory(const struct limits *limits, int64_t bytes, const char *what);
swathe_status limits_check_metadata(const struct limits *limits, uint64_t bytes, const char *what);
/* The same failure where the library stopped before it knew the size. */
swathe_status limits_fail_metadata(const struct limits *limits, const char *what);
/* A pipe goes on beyond so many bytes. */
swathe_status limits_fail_spool(int64_t limit);

#endif

#include "io/limits.h"

#include "base/checked.h"
#include "base/text.h"
#include "image/view.h"

#include <inttypes.h>
#include <stdio.h>

static const struct limits_entry entries[] = {
    {"max_pixels", "pixels of an image that must be in memory as a whole", (int64_t)1 << 28},
    {"max_memory", "bytes of memory that a run or an open file may use", 0},
    {"max_metadata", "bytes of one ICC, EXIF or XMP block", (int64_t)1 << 24},
    {"max_spool", "bytes of a pipe to copy to a temporary file", (int64_t)1 << 30},
};

enum { PIXELS, MEMORY, METADATA, SPOOL };

/* Bytes that any file may decompress to at once, however small the file is: a tile of 4096 x 4096
 * RGB pixels, and less than 64 MiB with all other buffers. */
#define UNPACKED_USUAL ((int64_t)48 << 20)

/* Pixels that a file of any size may declare, and further pixels per byte of the file. A blank page
 * is a valid image: 8192 x 8192 pixels may take a few bytes as WebP, or a few thousand as PNG with
 * one bit per pixel. Beyond that, deflate expands a byte to at most 1032 bytes, and Huffman codes
 * of JPEG, at least one bit per block, to 512 pixels. */
enum { PIXELS_FREE = 1 << 26, PIXELS_PER_BYTE = 1024 };

const struct limits_entry *limits_entry(int index)
{
    return index >= 0 && index < (int)(sizeof entries / sizeof *entries) ? &entries[index] : NULL;
}

static swathe_status check_sign(int limited, int64_t value)
{
    if (value >= 0)
        return SWATHE_OK;
    return fail_about(SWATHE_ERROR_ARGUMENT, entries[limited].name,
                      "%s is %" PRId64 "; it must not be negative", entries[limited].name, value);
}

swathe_status limits_check_read(const swathe_read_options *options)
{
    TRY(check_sign(PIXELS, options->max_pixels));
    TRY(check_sign(MEMORY, options->max_memory));
    TRY(check_sign(METADATA, options->max_metadata));
    return check_sign(SPOOL, options->max_spool);
}

swathe_status limits_check_write(const swathe_write_options *options)
{
    TRY(check_sign(PIXELS, options->max_pixels));
    TRY(check_sign(MEMORY, options->max_memory));
    return check_sign(METADATA, options->max_metadata);
}

static struct limits limits_from(int64_t pixels, int64_t memory, int64_t metadata,
                                 int64_t free_memory)
{
    return (struct limits){.max_pixels = pixels > 0 ? pixels : entries[PIXELS].usual,
                           .max_memory = memory > 0 ? memory : free_memory,
                           .max_metadata = metadata > 0 ? metadata : entries[METADATA].usual,
                           .max_spool = entries[SPOOL].usual,
                           .max_unpacked = memory > 0 ? memory : UNPACKED_USUAL,
                           .free_pixels = PIXELS_FREE,
                           .usual_pixels = pixels <= 0};
}

struct limits limits_reading(const swathe_read_options *options, int64_t free_memory)
{
    struct limits limits =
        limits_from(options->max_pixels, options->max_memory, options->max_metadata, free_memory);
    if (options->max_spool > 0)
        limits.max_spool = options->max_spool;
    return limits;
}

struct limits limits_writing(const swathe_write_options *options, int64_t free_memory)
{
    return limits_from(options->max_pixels, options->max_memory, options->max_metadata,
                       free_memory);
}

/* `enough` is the value of the limit that would suffice. */
static swathe_status too_many_bytes(int limited, const char *what, uint64_t bytes, int64_t limit,
                                    uint64_t enough)
{
    char needs[32], has[32];
    int64_t shown = bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
    int64_t needed = enough > INT64_MAX ? INT64_MAX : (int64_t)enough;
    return fail_limit(entries[limited].name, needed, "needs %s for %s, limit %s",
                      text_bytes(shown, needs, sizeof needs), what,
                      text_bytes(limit, has, sizeof has));
}

swathe_status limits_check_claim(const struct limits *limits, const swathe_shape *shape,
                                 int64_t stored)
{
    int64_t bytes;
    TRY(shape_bytes(shape, &bytes));
    int64_t pixels = shape->width * shape->height; /* fits, as the bytes do */
    if ((pixels - limits->free_pixels) / PIXELS_PER_BYTE <= stored ||
        (!limits->usual_pixels && pixels <= limits->max_pixels))
        return SWATHE_OK;
    return fail_limit(entries[PIXELS].name, max64(pixels, limits->max_pixels),
                      "%" PRId64 " x %" PRId64 " pixels from %" PRId64 " bytes, limit %" PRId64
                      " pixels plus %d for each byte",
                      shape->width, shape->height, stored, limits->free_pixels, PIXELS_PER_BYTE);
}

swathe_status limits_check_whole(const struct limits *limits, const swathe_shape *shape)
{
    int64_t bytes;
    TRY(shape_bytes(shape, &bytes));
    int64_t pixels = shape->width * shape->height; /* fits, as the bytes do */
    if (pixels > limits->max_pixels)
        return fail_limit(entries[PIXELS].name, pixels,
                          "%" PRId64 " x %" PRId64
                          " pixels that must be in memory as a whole, limit %" PRId64 " pixels",
                          shape->width, shape->height, limits->max_pixels);
    if (limits->file_bytes > 0)
        TRY(limits_check_claim(limits, shape, limits->file_bytes));
    return limits_check_memory(limits, bytes, "the whole image");
}

swathe_status limits_check_memory(const struct limits *limits, int64_t bytes, const char *what)
{
    if (bytes <= limits->max_memory)
        return SWATHE_OK;
    return too_many_bytes(MEMORY, what, (uint64_t)bytes, limits->max_memory, (uint64_t)bytes);
}

/* max_memory applies to the whole run: the suggested value must not be below the present one. */
swathe_status limits_check_unpacked(const struct limits *limits, int64_t bytes, int64_t stored,
                                    int64_t ratio, int64_t needs, const char *what)
{
    char text[96], size[32];
    if (bytes <= limits->max_unpacked || bytes <= size_mul(stored, ratio))
        return SWATHE_OK;
    snprintf(text, sizeof text, "%s, from %s of compressed data", what,
             text_bytes(stored, size, sizeof size));
    int64_t enough = max64(max64(bytes, needs), limits->max_memory);
    return too_many_bytes(MEMORY, text, (uint64_t)bytes, limits->max_unpacked, (uint64_t)enough);
}

swathe_status limits_check_metadata(const struct limits *limits, uint64_t bytes, const char *what)
{
    if (bytes <= (uint64_t)limits->max_metadata)
        return SWATHE_OK;
    return too_many_bytes(METADATA, what, bytes, limits->max_metadata, bytes);
}

swathe_status limits_fail_metadata(const struct limits *limits, const char *what)
{
    char has[32];
    return fail_limit(entries[METADATA].name, 0, "needs more than the limit of %s for %s",
                      text_bytes(limits->max_metadata, has, sizeof has), what);
}

swathe_status limits_fail_spool(int64_t limit)
{
    char has[32];
    return fail_limit(entries[SPOOL].name, 0,
                      "a pipe of more than %s, which this format must copy to a temporary file; "
                      "name a file instead",
                      text_bytes(limit, has, sizeof has));
}

/* Rows of BMP and TGA files: pixels are indices into a palette, or fields of a little-endian word
 * of 8 to 32 bits, and become u8 samples. They are uncompressed, or run-length encoded, and then a
 * codec expands them row by row. */
#ifndef SWATHE_IO_RAW_PACKED_PIXELS_H
#define SWATHE_IO_RAW_PACKED_PIXELS_H

#include "io/codec.h"

enum { PACKED_SCRATCH = 1 << 16 };
/* Codes between two checks for cancellation: milliseconds. */
enum { PACKED_CODES_PER_CHECK = 1 << 16 };

/* The position of a sample within the word of its pixel. */
struct packed_field {
    int shift, bits;
};

/* Where the codes of a row start. */
struct packed_mark {
    int64_t row, at;
    int64_t skip; /* BMP: pixels of the row before the code; TGA: pixels of the code to skip */
};

/* A reader's state. Rows are numbered in the order of the file. */
struct packed {
    int bits; /* of a pixel: 1, 2, 4, 8, 16, 24, 32 */
    bool indexed;
    uint8_t colors[256][4];
    struct packed_field fields[4]; /* red, green, blue, alpha; or grey, alpha */
    bool bottom_up, mirrored;
    int64_t data_at, row_bytes;

    /* Run-length encoding: fills all pixels of a row, whose bits are a multiple of 8. NULL:
     * uncompressed. */
    swathe_status (*expand)(struct image_reader *reader, const struct packed_mark *mark,
                            uint8_t *row);
    bool nibbles; /* BMP: the codes are for 4 bits per pixel */
    struct packed_mark *marks;
    int64_t mark_count, mark_capacity;
    uint8_t *row;     /* the expanded row */
    int64_t expanded; /* number of the expanded row; -1: none */
    uint8_t scratch[PACKED_SCRATCH];
};

static inline uint32_t packed_u16(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8;
}

static inline uint32_t packed_u32(const uint8_t *bytes)
{
    return packed_u16(bytes) | packed_u16(bytes + 2) << 16;
}

/* Sets the reader's state and functions. */
swathe_status packed_create(struct image_reader *reader, struct packed **packed);
/* Scales a field to the nearest of 256 values. */
uint8_t packed_scale(uint32_t word, const struct packed_field *field);
/* Sets a field from a mask of contiguous bits. */
swathe_status packed_set_field(uint32_t mask, struct packed_field *field);
/* Sets channels and colour space according to the palette or the fields. */
void packed_set_shape(const struct packed *packed, int entries, bool alpha, swathe_shape *shape);
/* Checks that the file contains all bytes of uncompressed rows. */
swathe_status packed_check_size(const struct image_reader *reader);
/* Records where a row starts, from the first row to the last. Rows without a mark are all 0. */
swathe_status packed_mark(const struct image_reader *reader, int64_t row, int64_t at, int64_t skip);
/* To be called after the last mark: allocates one row. */
swathe_status packed_start_rows(const struct image_reader *reader);

/* Converts pixels for writing: grey, or blue, green, red, and alpha. */
void packed_bgr(const swathe_image *from, const char *row, int64_t count, uint8_t *to);

#endif

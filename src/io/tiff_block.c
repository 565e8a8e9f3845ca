#include "io/tiff_block.h"

#include "base/checked.h"
#include "image/sample.h"
#include "io/tiff_unpack.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What is kept: four rows of 256-tiles of a 60,000 pixel wide grey image take 62 MiB. Strips of
 * which fewer than STRIPS_MIN would be kept are read row by row instead; where fewer than ROWS_MIN
 * rows would be, parts of a band of tiles' height beside each other would decode its strips again
 * and again, so that only full rows are offered. */
#define KEPT_MAX ((int64_t)64 << 20)
enum { WAYS = 4, STRIPS_MIN = 3, ROWS_MIN = 320 };

/* ---- Sizes ---------------------------------------------------------------------------------- */

static swathe_status too_large(const struct tiff_form *form)
{
    return fail(SWATHE_ERROR_INPUT,
                "TIFF: a part of %" PRId64 " x %" PRId64 " pixels of %" PRId64
                " samples does not fit its tags",
                form->block_width, form->block_height, form->samples);
}

/* Sizes of a block as libtiff hands it out and as we hold it. */
static swathe_status measure(struct tiff_blocks *blocks)
{
    const struct tiff_form *form = blocks->form;
    int64_t bits = 0, pixel = (int64_t)form->shape.channels * sample_size(form->shape.type);
    if (!checked_mul3(form->block_width, tiff_form_samples(form), form->bits, &bits) ||
        !checked_mul(form->block_width, pixel, &blocks->row) ||
        !checked_mul(blocks->row, blocks->height, &blocks->bytes))
        return too_large(form);
    blocks->raw_row = form->by_rgba ? form->block_width * 4 : ceil_div(bits, 8);
    if (!checked_mul(blocks->raw_row, blocks->height, &blocks->raw_bytes))
        return too_large(form);
    return SWATHE_OK;
}

/* libtiff's own idea of the size, which depends on tags that we do not read. */
static swathe_status agree(const struct tiff_blocks *blocks)
{
    const struct tiff_form *form = blocks->form;
    if (form->by_rgba)
        return SWATHE_OK;
    uint64_t theirs = blocks->by_rows ? TIFFScanlineSize64(blocks->tiff)
                      : form->tiled   ? TIFFTileSize64(blocks->tiff)
                                      : TIFFVStripSize64(blocks->tiff, (uint32_t)blocks->height);
    return theirs == (uint64_t)blocks->raw_bytes ? SWATHE_OK : too_large(form);
}

static swathe_status allocate(struct tiff_blocks *blocks, int64_t kept)
{
    const struct memory *memory = blocks->memory;
    int64_t down = ceil_div(blocks->form->height, blocks->height), total;
    if (!checked_mul(blocks->across, down, &total))
        return too_large(blocks->form);
    int64_t places = blocks->by_rows ? 1 : min64(total, max64(kept / blocks->bytes, 1));
    blocks->ways = min64(places, WAYS);
    blocks->sets = places / blocks->ways;
    int64_t count = blocks->sets * blocks->ways;
    TRY(memory_new(memory, count, sizeof *blocks->keys, "TIFF blocks", &blocks->keys));
    TRY(memory_new(memory, count, sizeof *blocks->dates, "TIFF blocks", &blocks->dates));
    TRY(memory_new_raw(memory, count, blocks->bytes, "TIFF blocks", &blocks->places));
    if (tiff_unpack_in_place(blocks->form))
        return SWATHE_OK;
    return memory_new_raw(memory, blocks->raw_bytes, 1, "TIFF block", &blocks->raw);
}

/* Large strips are read row by row, unless planes lie apart: those would be decoded again and
 * again from their start. */
static swathe_status choose_way(struct tiff_blocks *blocks, const struct limits *limits,
                                int64_t kept)
{
    const struct tiff_form *form = blocks->form;
    blocks->height = form->block_height;
    blocks->across = ceil_div(form->width, form->block_width);
    swathe_status status = measure(blocks);
    bool large = status != SWATHE_OK || blocks->bytes > kept / STRIPS_MIN;
    blocks->by_rows =
        large && !form->tiled && !form->separate && !form->by_rgba && form->block_height > 1;
    if (blocks->by_rows)
        blocks->height = 1;
    TRY(blocks->by_rows ? measure(blocks) : status);
    blocks->forward = blocks->by_rows || (!form->tiled && form->height > kept / blocks->row &&
                                          kept / blocks->row < ROWS_MIN);
    int64_t both;
    if (!checked_add(blocks->bytes, tiff_unpack_in_place(form) ? 0 : blocks->raw_bytes, &both))
        return too_large(form);
    TRY(limits_check_memory(limits, both, form->tiled ? "a tile" : "a strip"));
    return agree(blocks);
}

swathe_status tiff_blocks_open(struct tiff_blocks *blocks, const struct memory *memory,
                               const struct limits *limits, TIFF *tiff, struct tiff_stream *stream,
                               const struct tiff_form *form)
{
    int64_t kept = min64(KEPT_MAX, limits->max_memory / 4);
    *blocks = (struct tiff_blocks){.tiff = tiff, .stream = stream, .form = form, .memory = memory};
    TRY(choose_way(blocks, limits, kept));
    return allocate(blocks, kept);
}

void tiff_blocks_close(struct tiff_blocks *blocks)
{
    if (!blocks->memory)
        return;
    memory_free(blocks->memory, blocks->raw);
    memory_free(blocks->memory, blocks->places);
    memory_free(blocks->memory, blocks->dates);
    memory_free(blocks->memory, blocks->keys);
}

/* ---- Decoding ------------------------------------------------------------------------------- */

static swathe_status decode_failed(const struct tiff_blocks *blocks, int64_t x, int64_t y)
{
    char what[80];
    snprintf(what, sizeof what, "decoding at (%" PRId64 ", %" PRId64 ")", x, y);
    return tiff_stream_failed(blocks->stream, what);
}

/* Rows of the block at y that the file holds. */
static int64_t rows_at(const struct tiff_blocks *blocks, int64_t y)
{
    return blocks->form->tiled ? blocks->height : min64(blocks->height, blocks->form->height - y);
}

/* Sparse files leave out blocks of zeros: place and size are 0. */
static bool left_out(const struct tiff_blocks *blocks, uint32_t block)
{
    int failed = 0;
    uint64_t size = TIFFGetStrileByteCountWithErr(blocks->tiff, block, &failed);
    return !failed && size == 0 && TIFFGetStrileOffsetWithErr(blocks->tiff, block, &failed) == 0 &&
           !failed;
}

/* One plane of the block at (x, y), decompressed. Zeros stand where damaged data leaves holes. */
static swathe_status decode_raw(struct tiff_blocks *blocks, int64_t x, int64_t y, int64_t plane,
                                uint8_t *raw)
{
    TIFF *tiff = blocks->tiff;
    uint32_t column = (uint32_t)x, row = (uint32_t)y;
    uint16_t sample = (uint16_t)plane;
    int64_t bytes = blocks->raw_row * rows_at(blocks, y), got;
    uint32_t block = blocks->form->tiled ? TIFFComputeTile(tiff, column, row, 0, sample)
                                         : TIFFComputeStrip(tiff, row, sample);
    memset(raw, 0, (size_t)bytes);
    tiff_stream_calm(blocks->stream);
    if (left_out(blocks, block))
        got = bytes;
    else if (blocks->by_rows)
        got = TIFFReadScanline(tiff, raw, row, sample) == 1 ? bytes : -1;
    else if (blocks->form->tiled)
        got = TIFFReadEncodedTile(tiff, block, raw, bytes);
    else
        got = TIFFReadEncodedStrip(tiff, block, raw, bytes);
    return got == bytes ? SWATHE_OK : decode_failed(blocks, x, y);
}

/* libtiff's conversion puts the bottom row first. */
static swathe_status decode_rgba(struct tiff_blocks *blocks, int64_t x, int64_t y, uint8_t *to)
{
    int64_t width = blocks->form->block_width, rows = rows_at(blocks, y);
    uint32_t *raster = (uint32_t *)(void *)blocks->raw;
    memset(raster, 0, (size_t)(blocks->raw_row * rows));
    tiff_stream_calm(blocks->stream);
    int done = blocks->form->tiled
                   ? TIFFReadRGBATileExt(blocks->tiff, (uint32_t)x, (uint32_t)y, raster, 1)
                   : TIFFReadRGBAStripExt(blocks->tiff, (uint32_t)y, raster, 1);
    if (!done)
        return decode_failed(blocks, x, y);
    for (int64_t r = 0; r < rows; r++)
        tiff_unpack_rgba(raster + (rows - 1 - r) * width, width, to + r * blocks->row);
    return SWATHE_OK;
}

static swathe_status decode(struct tiff_blocks *blocks, int64_t x, int64_t y, uint8_t *to)
{
    const struct tiff_form *form = blocks->form;
    int64_t rows = rows_at(blocks, y), planes = form->separate ? form->samples : 1;
    if (form->by_rgba)
        return decode_rgba(blocks, x, y, to);
    if (tiff_unpack_in_place(form)) {
        TRY(decode_raw(blocks, x, y, 0, to));
        planes = 0;
    }
    for (int64_t plane = 0; plane < planes; plane++) {
        TRY(decode_raw(blocks, x, y, plane, blocks->raw));
        for (int64_t r = 0; r < rows; r++)
            tiff_unpack_row(form, plane, blocks->raw + r * blocks->raw_row, form->block_width,
                            to + r * blocks->row);
    }
    tiff_unpack_finish(form, rows * form->block_width, to);
    return SWATHE_OK;
}

/* ---- Keeping -------------------------------------------------------------------------------- */

/* The place of a block in its set, or the place that was not used for longest. */
static int64_t find_place(const struct tiff_blocks *blocks, int64_t block)
{
    int64_t first = block % blocks->sets * blocks->ways, oldest = first;
    for (int64_t i = first; i < first + blocks->ways; i++) {
        if (blocks->keys[i] == block + 1)
            return i;
        if (blocks->dates[i] < blocks->dates[oldest])
            oldest = i;
    }
    return oldest;
}

swathe_status tiff_blocks_get(struct tiff_blocks *blocks, int64_t bx, int64_t by, uint8_t **samples)
{
    int64_t block = by * blocks->across + bx, place = find_place(blocks, block);
    uint8_t *at = blocks->places + place * blocks->bytes;
    if (blocks->keys[place] != block + 1) {
        blocks->keys[place] = 0;
        TRY(decode(blocks, bx * blocks->form->block_width, by * blocks->height, at));
        blocks->keys[place] = block + 1;
    }
    blocks->dates[place] = ++blocks->now;
    *samples = at;
    return SWATHE_OK;
}

#include "io/tiff/decoder.h"

#include "base/checked.h"
#include "image/sample.h"
#include "io/tiff/form.h"

#include <inttypes.h>

/* Size of the cache of decoded blocks: four rows of 256 x 256 tiles of an RGB image 40,000 pixels
 * wide take 118 MiB. If it would hold fewer than STRIPS_MIN strips, strips are read row by row
 * instead. If it would hold fewer than ROWS_MIN rows, neighbouring parts of the height of a tile
 * would decode the same strips repeatedly, so only full rows can be read. */
#define KEPT_MAX ((int64_t)128 << 20)
enum { STRIPS_MIN = 3, ROWS_MIN = 320, ROWS_FREE = 256 };
/* The largest expansion of a byte. LZW: one code of 12 bits encodes up to 4096 bytes. */
enum { RATIO_LZW = 4096 * 8 / 12 + 1, RATIO_DEFLATE = 1032 };

static swathe_status tiff_block_too_large(const struct tiff_form *form)
{
    return fail(SWATHE_ERROR_INPUT,
                "TIFF: the size of a strip or tile of %" PRId64 " x %" PRId64 " pixels of %" PRId64
                " samples contradicts its tags",
                form->block_width, form->block_height, form->samples);
}

/* Computes the sizes of a block as libtiff decodes it and as we store it. */
static swathe_status tiff_block_measure(struct tiff_blocks *blocks)
{
    const struct tiff_form *form = blocks->form;
    int64_t bits = 0, pixel = (int64_t)form->shape.channels * sample_size(form->shape.type);
    if (!checked_mul3(form->block_width, tiff_form_samples(form), form->bits, &bits) ||
        !checked_mul(form->block_width, pixel, &blocks->row) ||
        !checked_mul(blocks->row, blocks->height, &blocks->bytes))
        return tiff_block_too_large(form);
    blocks->raw_row = form->by_rgba ? form->block_width * 4 : ceil_div(bits, 8);
    if (!checked_mul(blocks->raw_row, blocks->height, &blocks->raw_bytes))
        return tiff_block_too_large(form);
    return SWATHE_OK;
}

swathe_status tiff_blocks_agree(const struct tiff_blocks *blocks, TIFF *tiff)
{
    const struct tiff_form *form = blocks->form;
    if (form->by_rgba)
        return SWATHE_OK;
    uint64_t theirs = blocks->by_rows ? TIFFScanlineSize64(tiff)
                      : form->tiled   ? TIFFTileSize64(tiff)
                                      : TIFFVStripSize64(tiff, (uint32_t)blocks->height);
    return theirs == (uint64_t)blocks->raw_bytes ? SWATHE_OK : tiff_block_too_large(form);
}

/* Large strips are read row by row, except with separate planes, which would be decoded from their
 * start for each row. */
static swathe_status choose_way(struct tiff_blocks *blocks)
{
    const struct tiff_form *form = blocks->form;
    int64_t kept = blocks->kept;
    blocks->height = form->block_height;
    blocks->across = ceil_div(form->width, form->block_width);
    swathe_status status = tiff_block_measure(blocks);
    bool large = status != SWATHE_OK || blocks->bytes > kept / STRIPS_MIN;
    blocks->by_rows =
        large && !form->tiled && !form->separate && !form->by_rgba && form->block_height > 1;
    if (blocks->by_rows)
        blocks->height = 1;
    TRY(blocks->by_rows ? tiff_block_measure(blocks) : status);
    blocks->forward = blocks->by_rows || (!form->tiled && form->height > kept / blocks->row &&
                                          kept / blocks->row < ROWS_MIN);
    if (!checked_mul(blocks->across, ceil_div(form->height, blocks->height), &blocks->count))
        return tiff_block_too_large(form);
    return SWATHE_OK;
}

/* Rows that must be decoded to get the first row of the block at y: a single one if strips are read
 * row by row, except for JPEG data, which may need the whole strip. */
static int64_t unpacked_rows(const struct tiff_blocks *blocks, int64_t y)
{
    const struct tiff_form *form = blocks->form;
    bool jpeg = form->compression == COMPRESSION_JPEG || form->compression == COMPRESSION_OJPEG;
    return blocks->by_rows && jpeg
               ? min64(form->block_height, form->height - (y - y % form->block_height))
               : tiff_blocks_rows(blocks, y);
}

/* Their size before libtiff's conversion to RGB, which enlarges them. */
static int64_t raw_bytes(const struct tiff_blocks *blocks, TIFF *tiff, int64_t y)
{
    const struct tiff_form *form = blocks->form;
    int64_t rows = unpacked_rows(blocks, y);
    if (!form->by_rgba)
        return size_mul(blocks->raw_row, rows);
    uint64_t size = form->tiled ? TIFFTileSize64(tiff) : TIFFVStripSize64(tiff, (uint32_t)rows);
    return size < INT64_MAX ? (int64_t)size : INT64_MAX;
}

/* Their size, or that of the samples that we make of them: those of a bit take a byte. Of one plane
 * if planes are separate. */
static int64_t unpacked_bytes(const struct tiff_blocks *blocks, TIFF *tiff, int64_t y)
{
    int64_t planes = blocks->form->separate ? blocks->form->samples : 1;
    int64_t samples = size_mul(blocks->row, tiff_blocks_rows(blocks, y)) / planes;
    return max64(raw_bytes(blocks, tiff, y), samples);
}

static bool is_compressed(const struct tiff_form *form)
{
    return form->compression != COMPRESSION_NONE;
}

/* Other compressions expand less than deflate, or almost without limit (zstd, LZMA, fax); deflate's
 * ratio is used for those. */
static int64_t tiff_block_ratio(const struct tiff_form *form)
{
    return form->compression == COMPRESSION_LZW ? RATIO_LZW : RATIO_DEFLATE;
}

swathe_status tiff_blocks_check(const struct tiff_blocks *blocks, TIFF *tiff, int64_t y,
                                int64_t stored)
{
    const char *what = blocks->form->tiled ? "a tile" : "a strip";
    int64_t bytes = unpacked_bytes(blocks, tiff, y), raw = raw_bytes(blocks, tiff, y);
    if (is_compressed(blocks->form))
        TRY(limits_check_unpacked(blocks->limits, bytes, stored, tiff_block_ratio(blocks->form),
                                  blocks->needs, what));
    else if (bytes > blocks->limits->max_unpacked && raw > stored)
        return fail(SWATHE_ERROR_INPUT,
                    "TIFF: a strip or tile of %" PRId64
                    " bytes, of which the file contains %" PRId64,
                    raw, stored);
    return limits_check_memory(blocks->limits, blocks->needs, what);
}

int64_t tiff_blocks_stored(TIFF *tiff, uint32_t block, bool *left_out)
{
    int failed = 0;
    uint64_t size = TIFFGetStrileByteCountWithErr(tiff, block, &failed);
    *left_out =
        !failed && size == 0 && TIFFGetStrileOffsetWithErr(tiff, block, &failed) == 0 && !failed;
    return size < INT64_MAX ? (int64_t)size : INT64_MAX;
}

static int64_t count_left_out(const struct tiff_form *form, TIFF *tiff)
{
    uint32_t count = form->tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
    int64_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool left_out;
        tiff_blocks_stored(tiff, i, &left_out);
        found += left_out;
    }
    return form->separate ? found / form->samples : found;
}

/* Can blocks be decoded, as far as the size of the file tells? */
static bool is_held(const struct tiff_blocks *blocks, TIFF *tiff, int64_t stored)
{
    const struct tiff_form *form = blocks->form;
    int64_t bytes = unpacked_bytes(blocks, tiff, 0);
    bool backed = is_compressed(form) ? bytes <= size_mul(stored, tiff_block_ratio(form))
                                      : raw_bytes(blocks, tiff, 0) <= stored;
    return (backed || bytes <= blocks->limits->max_unpacked) &&
           blocks->needs <= blocks->limits->max_memory;
}

/* Bytes of all planes of this many blocks side by side. A run has them in memory at once; 0 if they
 * are no higher than the parts in which other images are read. */
static int64_t tiff_block_row_bytes(const struct tiff_blocks *blocks, int64_t tiles)
{
    int64_t rows = min64(blocks->height, blocks->form->height);
    return rows <= ROWS_FREE ? 0 : size_mul(size_mul(blocks->row, rows), tiles);
}

/* Fails at once if blocks are too large to decode, unless some are omitted, or if rows of them are
 * too large, not counting those that are omitted. */
static swathe_status check_open(struct tiff_blocks *blocks, TIFF *tiff, int64_t stored)
{
    const struct tiff_form *form = blocks->form;
    int64_t most = max64(blocks->limits->max_unpacked, size_mul(stored, tiff_block_ratio(form)));
    bool held = is_held(blocks, tiff, stored);
    if (held && tiff_block_row_bytes(blocks, blocks->across) <= most)
        return SWATHE_OK;
    int64_t left_out = count_left_out(form, tiff);
    int64_t row = tiff_block_row_bytes(blocks, min64(blocks->across, blocks->count - left_out));
    blocks->sparse = !held && left_out > 0;
    if (!held && !blocks->sparse)
        return tiff_blocks_check(blocks, tiff, 0, stored);
    return limits_check_unpacked(blocks->limits, row, stored, tiff_block_ratio(form), row,
                                 form->tiled ? "a row of tiles" : "a strip");
}

swathe_status tiff_blocks_choose(const struct limits *limits, TIFF *tiff, int64_t stored,
                                 const struct tiff_form *form, struct tiff_blocks *blocks)
{
    *blocks = (struct tiff_blocks){.form = form, .limits = limits};
    blocks->kept = min64(KEPT_MAX, limits->max_memory / 4);
    TRY(choose_way(blocks));
    blocks->held = min64(limits->max_memory / 4,
                         max64(limits->max_unpacked, size_mul(stored, tiff_block_ratio(form))));
    blocks->kept = min64(blocks->kept, blocks->held);
    if (!checked_add(blocks->bytes, tiff_unpack_in_place(form) ? 0 : blocks->raw_bytes,
                     &blocks->needs))
        return tiff_block_too_large(form);
    TRY(check_open(blocks, tiff, stored));
    return tiff_blocks_agree(blocks, tiff);
}

int64_t tiff_blocks_rows(const struct tiff_blocks *blocks, int64_t y)
{
    return blocks->form->tiled ? blocks->height : min64(blocks->height, blocks->form->height - y);
}

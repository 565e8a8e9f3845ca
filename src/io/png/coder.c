#include "io/png/png.h"

#include "base/cancel.h"
#include "base/checked.h"
#include "image/view.h"
#include "io/codec.h"
#include "io/png/deflate.h"

#include <string.h>
#include <zlib.h>

/* Large enough that threads rarely contend and that the end of a segment costs little; small enough
 * that a photograph has more segments than a machine has cores. */
enum { SEGMENT = 1 << 20, WINDOW = 32768 };
/* Number and size of the samples of a segment on which both coders are compared. */
enum { SAMPLES = 2, SAMPLE = 8192 };
/* Most bytes per call of zlib, and bytes that flushing adds to the bound that zlib reports. */
enum { STEP_MAX = 1 << 30, FLUSH_MAX = 1024 };
/* The same where a search takes milliseconds, so that it can be cancelled. */
enum { STEP_SEARCHED = 1 << 16 };
/* A chunk's length, name and checksum; its length is below 2^31. */
enum { CHUNK_HEAD = 8, CHUNK_OVERHEAD = 12, CHUNK_MAX = 1 << 30, ZLIB_HEAD = 2 };
/* Memory of deflate according to zlib's manual: 2^(15+2) + 2^(8+9), and some more. */
enum { DEFLATE_MEMORY = 280 * 1024 };

/* The buffers of one thread; kept for its next segment. */
struct png_scratch {
    struct pooled_object pooled;
    uint8_t *filtered; /* the dictionary's rows, then the segment's */
    uint8_t *packed;   /* ZLIB_HEAD bytes, then the compressed ones */
    uint8_t *packed_end;
    uint8_t *rows[2]; /* in the file's layout, if the image's rows have another */
    uint8_t *zeros;   /* the row above the first row */
    z_stream deflate;
    bool searches; /* `deflate` is initialised */
    size_t step;   /* most bytes per call of it */
};

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Swaps the bytes of 16-bit samples: PNG stores the high byte first. */
static void png_coder_swap_bytes(uint8_t *row, int64_t samples)
{
    for (int64_t i = 0; i < samples; i++) {
        uint16_t sample;
        memcpy(&sample, row + 2 * i, sizeof sample);
        row[2 * i] = (uint8_t)(sample >> 8);
        row[2 * i + 1] = (uint8_t)sample;
    }
}

static const uint8_t *row_at(const struct png_coder *coder, const struct png_scratch *scratch,
                             const swathe_image *from, int64_t y)
{
    if (y < 0)
        return scratch->zeros;
    if (rows_dense(from) && from->type == SWATHE_U8)
        return view_at(from, 0, y, 0);
    swathe_shape shape = coder->shape;
    swathe_image to;
    uint8_t *row = scratch->rows[y & 1];
    shape.height = 1;
    /* Cannot fail, as it succeeded for the image. */
    if (view_init(&shape, SWATHE_INTERLEAVED, row, &to) == SWATHE_OK) {
        to.y = y;
        to.full_height = coder->shape.height;
        view_copy(from, &to);
    }
    if (from->type == SWATHE_U16)
        png_coder_swap_bytes(row, shape.width * shape.channels);
    return row;
}

static void filter_rows(const struct png_coder *coder, const struct png_scratch *scratch,
                        const swathe_image *from, int64_t first, int64_t last)
{
    size_t size = (size_t)coder->row_bytes, pixel = (size_t)coder->pixel_bytes;
    uint8_t *to = scratch->filtered;
    const uint8_t *above = row_at(coder, scratch, from, first - 1);
    for (int64_t y = first; y < last; y++, to += size + 1) {
        const uint8_t *row = row_at(coder, scratch, from, y);
        enum png_filter filter = PNG_FILTER_NO;
        if (coder->level != 0)
            filter = png_filter_choose(row, above, size, pixel);
        png_filter_apply(filter, row, above, size, pixel, to);
        above = row;
    }
}

/* ---- Compression ---------------------------------------------------------------------------- */

/* A range of the filtered bytes, and the number of bytes before it that matches may refer to. */
struct span {
    const uint8_t *bytes;
    size_t size, before;
};

/* Compresses with zlib, in steps because it counts bytes with 32 bits. 0 if the output does not
 * fit. */
static size_t png_coder_search(struct png_scratch *scratch, const struct span *span, bool last,
                               uint8_t *to)
{
    z_stream *deflater = &scratch->deflate;
    uint8_t *start = to;
    uInt window = span->before < WINDOW ? (uInt)span->before : WINDOW;
    deflateReset(deflater);
    if (window)
        deflateSetDictionary(deflater, span->bytes - window, window);
    for (size_t at = 0, step; at < span->size; at += step) {
        if (cancel_wanted())
            return 0;
        size_t left = span->size - at, space = (size_t)(scratch->packed_end - to);
        step = left < scratch->step ? left : scratch->step;
        deflater->next_in = (Bytef *)(span->bytes + at);
        deflater->avail_in = (uInt)step;
        deflater->next_out = to;
        deflater->avail_out = space < UINT32_MAX ? (uInt)space : UINT32_MAX;
        int flush = left > step ? Z_NO_FLUSH : last ? Z_FINISH : Z_SYNC_FLUSH;
        int done = deflate(deflater, flush);
        if (deflater->avail_in > 0 || deflater->avail_out == 0 ||
            done != (flush == Z_FINISH ? Z_STREAM_END : Z_OK))
            return 0;
        to = deflater->next_out;
    }
    return (size_t)(to - start);
}

/* Compares the results of both coders, for segments that are small enough. */
static bool search_is_smaller(struct png_scratch *scratch, const struct span *span)
{
    size_t found = png_coder_search(scratch, span, true, scratch->packed);
    return found < deflate_runs(span->bytes, span->size, true, scratch->packed);
}

/* If the samples shrink to an eighth even without a search, they may be blank parts, where a search
 * is fast. */
static bool worth_a_search(const struct png_coder *coder, struct png_scratch *scratch,
                           const struct span *span)
{
    size_t found = 0, plain = 0;
    if (coder->level <= 0)
        return coder->level == 0;
    if (span->size <= 4 * SAMPLES * SAMPLE)
        return search_is_smaller(scratch, span);
    for (size_t i = 1; i <= SAMPLES; i++) {
        size_t skip = span->size / (SAMPLES + 1) * i;
        struct span sample = {span->bytes + skip, SAMPLE, span->before + skip};
        found += png_coder_search(scratch, &sample, true, scratch->packed);
        plain += deflate_runs(sample.bytes, sample.size, true, scratch->packed);
    }
    return found < plain || plain < SAMPLES * SAMPLE / 8;
}

/* ---- Scratch -------------------------------------------------------------------------------- */

static size_t filtered_bytes(const struct png_coder *coder)
{
    int64_t rows = min64(coder->segment_rows, coder->shape.height) + coder->dictionary_rows;
    return (size_t)(rows * (coder->row_bytes + 1));
}

/* Bytes of space for the compressed data. Output of zlib that does not fit is
 * not used. */
static int64_t packed_bytes(const struct png_coder *coder)
{
    return ZLIB_HEAD + (int64_t)deflate_runs_bound(filtered_bytes(coder));
}

static void free_scratch(const struct memory *memory, struct png_scratch *scratch)
{
    if (scratch->searches)
        deflateEnd(&scratch->deflate);
    memory_free(memory, scratch->filtered);
    memory_free(memory, scratch->packed);
    memory_free(memory, scratch->rows[0]);
    memory_free(memory, scratch->rows[1]);
    memory_free(memory, scratch->zeros);
    memory_free(memory, scratch);
}

static swathe_status fill_scratch(const struct png_coder *coder, struct png_scratch *scratch)
{
    const struct memory *memory = coder->memory;
    TRY(memory_new_raw(memory, (int64_t)filtered_bytes(coder), 1, "PNG rows", &scratch->filtered));
    TRY(memory_new_raw(memory, coder->row_bytes, 1, "a PNG row", &scratch->rows[0]));
    TRY(memory_new_raw(memory, coder->row_bytes, 1, "a PNG row", &scratch->rows[1]));
    TRY(memory_new(memory, coder->row_bytes, 1, "a PNG row", &scratch->zeros));
    scratch->searches = coder->level >= 0;
    scratch->step = coder->level == 0 ? STEP_MAX : STEP_SEARCHED;
    if (scratch->searches && deflateInit2(&scratch->deflate, coder->level, Z_DEFLATED, -15, 8,
                                          Z_DEFAULT_STRATEGY) != Z_OK) {
        scratch->searches = false;
        return fail(SWATHE_ERROR_MEMORY, "no memory for zlib");
    }
    int64_t packed = packed_bytes(coder);
    if (scratch->searches)
        packed = max64(packed,
                       (int64_t)deflateBound(&scratch->deflate, filtered_bytes(coder)) + FLUSH_MAX);
    TRY(memory_new_raw(memory, packed, 1, "PNG data", &scratch->packed));
    scratch->packed_end = scratch->packed + packed;
    return SWATHE_OK;
}

static swathe_status make_scratch(const struct png_coder *coder, struct png_scratch **scratch)
{
    struct png_scratch *made;
    TRY(memory_new(coder->memory, 1, sizeof *made, "a PNG segment", &made));
    swathe_status status = fill_scratch(coder, made);
    if (status == SWATHE_OK)
        *scratch = made;
    else
        free_scratch(coder->memory, made);
    return status;
}

static swathe_status png_coder_get_scratch(struct png_coder *coder, struct png_scratch **scratch)
{
    *scratch = (struct png_scratch *)(void *)object_pool_take(&coder->scratches);
    if (*scratch)
        return SWATHE_OK;
    swathe_status status = make_scratch(coder, scratch);
    if (status != SWATHE_OK)
        object_pool_give(&coder->scratches, NULL);
    return status;
}

/* ---- Segments ------------------------------------------------------------------------------- */

static void png_coder_put32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static swathe_status png_coder_wrap(const struct png_coder *coder, const uint8_t *bytes,
                                    int64_t size, struct png_segment **segment)
{
    struct png_segment *got;
    int64_t total = size + ceil_div(size, CHUNK_MAX) * CHUNK_OVERHEAD;
    TRY(memory_new_raw(coder->memory, (int64_t)sizeof *got + total, 1, "a PNG segment", &got));
    *got = (struct png_segment){.size = total};
    uint8_t *to = got->chunks;
    for (int64_t at = 0, part; at < size; at += part, to += part + CHUNK_OVERHEAD) {
        part = min64(size - at, CHUNK_MAX);
        png_coder_put32(to, (uint32_t)part);
        memcpy(to + 4, "IDAT", 4);
        memcpy(to + CHUNK_HEAD, bytes + at, (size_t)part);
        png_coder_put32(to + CHUNK_HEAD + part, (uint32_t)crc32_z(0, to + 4, (size_t)part + 4));
    }
    *segment = got;
    return SWATHE_OK;
}

/* Window of 32 KiB; the rest is a hint about the level, and the check bits that make it divisible
 * by 31. */
static const uint8_t *zlib_head(int level)
{
    static const uint8_t heads[][ZLIB_HEAD] = {
        {0x78, 0x01}, {0x78, 0x5e}, {0x78, 0x9c}, {0x78, 0xda}};
    return heads[level < 2 ? 0 : level < 4 ? 1 : level < 7 ? 2 : 3];
}

static swathe_status coder_make(const struct png_coder *coder, struct png_scratch *scratch,
                                const swathe_image *from, int64_t y, struct png_segment **segment)
{
    int64_t end = min64(y + coder->segment_rows, coder->shape.height);
    int64_t before = y == 0 ? 0 : coder->dictionary_rows;
    int64_t stride = coder->row_bytes + 1;
    struct span span = {scratch->filtered + before * stride, (size_t)((end - y) * stride),
                        (size_t)(before * stride)};
    bool last = end == coder->shape.height;
    filter_rows(coder, scratch, from, y - before, end);
    uint8_t *packed = scratch->packed + ZLIB_HEAD;
    size_t size = 0;
    if (worth_a_search(coder, scratch, &span))
        size = png_coder_search(scratch, &span, last, packed);
    if (size == 0)
        size = deflate_runs(span.bytes, span.size, last, packed);
    if (y == 0) {
        memcpy(packed -= ZLIB_HEAD, zlib_head(coder->level), ZLIB_HEAD);
        size += ZLIB_HEAD;
    }
    TRY(png_coder_wrap(coder, packed, (int64_t)size, segment));
    (*segment)->raw = (int64_t)span.size;
    (*segment)->adler = adler_of(span.bytes, span.size);
    return SWATHE_OK;
}

swathe_status png_coder_make(struct png_coder *coder, const swathe_image *from, int64_t y,
                             struct png_segment **segment)
{
    struct png_scratch *scratch;
    TRY(png_coder_get_scratch(coder, &scratch));
    swathe_status status = coder_make(coder, scratch, from, y, segment);
    object_pool_give(&coder->scratches, &scratch->pooled);
    return status;
}

void png_coder_init(struct png_coder *coder, const struct memory *memory, const swathe_shape *shape,
                    int level, int64_t max_memory)
{
    coder->memory = memory;
    coder->shape = *shape;
    coder->level = level;
    coder->pixel_bytes = shape->channels * sample_size(shape->type);
    coder->row_bytes = shape->width * coder->pixel_bytes;
    coder->dictionary_rows = level > 0 ? ceil_div(WINDOW, coder->row_bytes + 1) : 0;
    coder->context_rows = coder->dictionary_rows + 1;
    coder->segment_rows = max64(SEGMENT / (coder->row_bytes + 1), coder->context_rows);
    object_pool_init(&coder->scratches, max_memory / 4 / png_coder_memory(coder));
}

int64_t png_coder_memory(const struct png_coder *coder)
{
    int64_t filtered = (int64_t)filtered_bytes(coder), packed = packed_bytes(coder);
    return filtered + 2 * packed + 3 * coder->row_bytes + DEFLATE_MEMORY;
}

void png_coder_free(struct png_coder *coder)
{
    struct pooled_object *pooled;
    while ((pooled = object_pool_pop(&coder->scratches)))
        free_scratch(coder->memory, (struct png_scratch *)(void *)pooled);
    object_pool_destroy(&coder->scratches);
}

/* PNG: every bit depth becomes u8 or u16; palettes and transparent colours become RGB and alpha.
 * gAMA, cHRM and sRGB are ignored: filters work on the stored samples, and profiles are read from
 * iCCP. */
#include "base/checked.h"
#include "image/view.h"
#include "io/codec.h"
#include "io/metadata/metadata.h"
#include "io/png/png.h"

#include <inttypes.h>

struct png {
    struct png_guard guard;
    struct image_reader *reader;
    struct png_feed *feed; /* with ISA-L */
    bool in_header;        /* metadata chunks are still kept */
    bool interlaced;
    bool decoded; /* `whole` is filled */
    int64_t row_bytes;
    uint8_t *row;             /* one row, for views that are not dense */
    uint8_t *whole;           /* the whole image, if it is interlaced */
    const swathe_image *into; /* of the read in progress */
};

bool codec_png_detect(const uint8_t *head, size_t size)
{
    return size >= 8 && png_sig_cmp(head, 0, 8) == 0;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* After the last row, the rest of the file is checked too: checksums, and that it is complete. */
static void finish_after(struct png *png, int64_t rows)
{
    if (rows == png->reader->shape.height)
        png_read_end(png->guard.png, NULL);
}

static void copy_row(const struct png *png, const uint8_t *row, const swathe_image *into, int64_t y)
{
    swathe_shape shape = png->reader->shape;
    shape.height = 1;
    swathe_image from, to = *into;
    if (view_init(&shape, SWATHE_INTERLEAVED, (void *)row, &from) != SWATHE_OK)
        return; /* the shape was checked when the file was opened */
    from.y = to.y = y;
    to.height = 1;
    to.data = view_at(into, into->x, y, 0);
    view_copy(&from, &to);
}

static void png_read_read_rows(void *user)
{
    struct png *png = user;
    const swathe_image *into = png->into;
    for (int64_t y = into->y; y < into->y + into->height; y++) {
        if (rows_dense(into)) {
            png_read_row(png->guard.png, view_at(into, 0, y, 0), NULL);
            continue;
        }
        png_read_row(png->guard.png, png->row, NULL);
        copy_row(png, png->row, into, y);
    }
    finish_after(png, into->y + into->height);
}

static swathe_status read_forward(struct image_reader *reader, const swathe_image *into)
{
    struct png *png = reader->state;
    png->into = into;
    return png_guard_run(&png->guard, png_read_read_rows, png);
}

static void decode_passes(void *user)
{
    struct png *png = user;
    int64_t height = png->reader->shape.height;
    for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; pass++)
        for (int64_t y = 0; y < height; y++) {
            swathe_status status = cancel_check(&png->reader->cancel);
            if (status != SWATHE_OK)
                png_guard_fail(&png->guard, status);
            png_read_row(png->guard.png, png->whole + y * png->row_bytes, NULL);
        }
    finish_after(png, height);
}

static swathe_status png_read_whole(struct image_reader *reader, const swathe_image *into)
{
    struct png *png = reader->state;
    if (!png->decoded) {
        /* Not cleared, so that only pages that receive data are mapped; the passes fill all of
         * it. */
        TRY(memory_new_raw(reader->memory, reader->shape.height, png->row_bytes,
                           "the whole interlaced image", &png->whole));
        TRY(png_guard_run(&png->guard, decode_passes, png));
        png->decoded = true;
    }
    swathe_image whole;
    TRY(view_init(&reader->shape, SWATHE_INTERLEAVED, png->whole, &whole));
    view_copy(&whole, into);
    return SWATHE_OK;
}

/* ---- Header and metadata -------------------------------------------------------------------- */

static void png_read_bytes(png_structp libpng, png_bytep bytes, size_t size)
{
    struct png *png = png_get_io_ptr(libpng);
#ifdef SWATHE_HAVE_ISAL
    png_feed_read(png->feed, bytes, size);
#else
    swathe_status status = stream_read_all(png->reader->in, bytes, size);
    if (status != SWATHE_OK)
        png_guard_fail(&png->guard, status);
#endif
}

/* libpng passes chunks that it does not interpret, if they are within the metadata limit. Returns
 * 1: the chunk was handled. */
static int take_chunk(png_structp libpng, png_unknown_chunkp chunk)
{
    struct png *png = png_get_user_chunk_ptr(libpng);
    swathe_status status = SWATHE_OK;
    if (!(chunk->name[0] & 0x20))
        status = fail(SWATHE_ERROR_UNSUPPORTED, "PNG with an unknown critical chunk '%.4s'",
                      (const char *)chunk->name);
    else if (png->in_header)
        status = png_chunks_keep(png->reader, chunk->name, chunk->data, chunk->size);
    if (status != SWATHE_OK)
        png_guard_fail(&png->guard, status);
    return 1;
}

/* Sets which chunks libpng ignores, and which are handled here. */
static void set_chunks(struct png *png)
{
    static const png_byte names[] = "tEXt\0zTXt\0sPLT\0hIST\0pCAL\0sCAL\0bKGD\0tIME\0oFFs\0sBIT\0"
                                    "gAMA\0cHRM\0sRGB\0iTXt\0eXIf";
    png_structp libpng = png->guard.png;
    png_set_keep_unknown_chunks(libpng, PNG_HANDLE_CHUNK_NEVER, names, sizeof names / 5);
    png_set_read_user_chunk_fn(libpng, png, take_chunk);
    png_set_chunk_malloc_max(libpng, (png_alloc_size_t)png->reader->limits.max_metadata);
}

static void start_rows(void *user)
{
    const struct png *png = user;
    png_structp libpng = png->guard.png;
    png_set_expand(libpng); /* palette, 1 to 4 bits, transparent colour */
    if (png->reader->shape.type == SWATHE_U16)
        png_guard_swap(&png->guard);
    if (png->interlaced)
        png_set_interlace_handling(libpng);
    png_read_update_info(libpng, png->guard.info);
    if ((int64_t)png_get_rowbytes(libpng, png->guard.info) != png->row_bytes)
        png_error(libpng, "rows are not of the expected size");
}

static void png_read_header(void *user)
{
    struct png *png = user;
    png_structp libpng = png->guard.png;
    const struct png_guard *guard = &png->guard;
    png_guard_setup(guard);
    png_set_crc_action(libpng, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    set_chunks(png);
    png_set_read_fn(libpng, png, png_read_bytes);
    png->in_header = true;
    png_read_info(libpng, guard->info);
    png->in_header = false;
    png->interlaced = png_get_interlace_type(libpng, guard->info) != PNG_INTERLACE_NONE;
}

static swathe_status keep_metadata(struct png *png)
{
    png_structp libpng = png->guard.png;
    png_infop info = png->guard.info;
    struct image_reader *reader = png->reader;
    png_charp name;
    png_bytep block;
    png_uint_32 size, x, y;
    int kind;
    if (png->guard.oversize)
        return limits_fail_metadata(&reader->limits, "an iCCP chunk");
    if (png_get_iCCP(libpng, info, &name, &kind, &block, &size))
        TRY(reader_store_metadata(reader, METADATA_ICC, block, size));
    if (png_get_pHYs(libpng, info, &x, &y, &kind) && kind == PNG_RESOLUTION_METER) {
        reader->metadata.x_resolution = x;
        reader->metadata.y_resolution = y;
    }
    return png_chunks_keep_rest(reader, png->guard.dropped);
}

/* Sets the shape that start_rows will produce. It is needed earlier, because limits must be checked
 * before the allocations. */
static void png_read_set_shape(struct png *png)
{
    swathe_shape *shape = &png->reader->shape;
    png_structp libpng = png->guard.png;
    png_infop info = png->guard.info;
    int color = png_get_color_type(libpng, info);
    bool alpha = (color & PNG_COLOR_MASK_ALPHA) || png_get_valid(libpng, info, PNG_INFO_tRNS);
    shape->width = png_get_image_width(libpng, info);
    shape->height = png_get_image_height(libpng, info);
    shape->channels = (color & PNG_COLOR_MASK_COLOR ? 3 : 1) + alpha;
    shape->type = png_get_bit_depth(libpng, info) == 16 ? SWATHE_U16 : SWATHE_U8;
    shape->color = color & PNG_COLOR_MASK_COLOR ? SWATHE_COLOR_RGB : SWATHE_COLOR_GREY;
    shape->alpha = alpha ? shape->channels : 0;
}

static void png_read_note_encoding(struct png *png)
{
    swathe_encoding *encoding = &png->reader->encoding;
    int bits = png_get_bit_depth(png->guard.png, png->guard.info);
    encoding->compression = "deflate";
    encoding->bits = bits < 8 ? bits : 0;
    encoding->palette =
        png_get_color_type(png->guard.png, png->guard.info) == PNG_COLOR_TYPE_PALETTE;
}

/* Deflate expands a byte to at most 1032 bytes, so a small file that declares more rows is refused
 * before memory is allocated for them. A row has at most 2^31 pixels of 8 bytes. */
static swathe_status png_read_check_size(const struct png *png)
{
    const struct image_reader *reader = png->reader;
    int64_t row = (int64_t)png_get_rowbytes(png->guard.png, png->guard.info) + 1;
    int64_t most = reader->limits.file_bytes, height = reader->shape.height;
    if (most == 0 || most > INT64_MAX / 1032 || height <= most * 1032 / row)
        return SWATHE_OK;
    return fail(SWATHE_ERROR_INPUT,
                "the file ends early: %" PRId64 " bytes cannot hold %" PRId64 " rows of %" PRId64
                " bytes",
                most, height, row);
}

/* libpng holds about three rows. */
static swathe_status png_read_check_limits(struct png *png)
{
    struct image_reader *reader = png->reader;
    const swathe_shape *shape = &reader->shape;
    png->row_bytes = shape->width * shape->channels * sample_size(shape->type);
    if (png->interlaced) {
        TRY(limits_check_whole(&reader->limits, shape));
        reader->held_bytes = shape->height * png->row_bytes;
        return SWATHE_OK;
    }
    return limits_check_memory(&reader->limits, 4 * png->row_bytes, "rows of this width");
}

static void png_read_close(struct image_reader *reader)
{
    struct png *png = reader->state;
    if (!png)
        return;
    png_destroy_read_struct(&png->guard.png, &png->guard.info, NULL);
#ifdef SWATHE_HAVE_ISAL
    png_feed_destroy(reader->memory, png->feed);
#endif
    memory_free(reader->memory, png->row);
    memory_free(reader->memory, png->whole);
    memory_free(reader->memory, png);
}

static swathe_status png_read_start(struct image_reader *reader)
{
    struct png *png;
    TRY(memory_new(reader->memory, 1, sizeof *png, "a PNG reader", &png));
    reader->state = png;
    reader->close = png_read_close;
    png->reader = reader;
    TRY(png_guard_start(&png->guard, reader->memory, SWATHE_ERROR_INPUT));
#ifdef SWATHE_HAVE_ISAL
    TRY(png_feed_create(reader->memory, &png->guard, reader->in, &png->feed));
#endif
    return SWATHE_OK;
}

swathe_status codec_png_open(struct image_reader *reader)
{
    TRY(png_read_start(reader));
    struct png *png = reader->state;
    TRY(png_guard_run(&png->guard, png_read_header, png));
    TRY(keep_metadata(png));
    png_read_set_shape(png);
    png_read_note_encoding(png);
    TRY(png_read_check_size(png));
    TRY(png_read_check_limits(png));
    TRY(png_guard_run(&png->guard, start_rows, png));
    reader->read = png->interlaced ? png_read_whole : read_forward;
    if (png->interlaced)
        return SWATHE_OK;
    reader->flags = SWATHE_FORWARD;
    return memory_new_raw(reader->memory, png->row_bytes, 1, "a PNG row", &png->row);
}

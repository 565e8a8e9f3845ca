/* TIFF and BigTIFF through libtiff: parts are read in any order and by any number of threads,
 * unless strips are too large to be decoded at once. One page of the file is read. */
#include "base/checked.h"
#include "image/view.h"
#include "io/codec.h"
#include "io/metadata/metadata.h"
#include "io/tiff/decoder.h"
#include "io/tiff/encoder.h"
#include "io/tiff/form.h"
#include "io/tiff/geo.h"

#include <string.h>

/* Rows of a part that is read from omitted blocks; most bytes of adjacent blocks to fetch at
 * once. */
enum { SPARSE_ROWS = 256, GATHER_MAX = 1 << 23 };

struct tiff_reader {
    struct tiff_form form;
    struct tiff_blocks blocks;
    struct tiff_pages *pages;   /* NULL: the header is damaged */
    uint64_t directory;         /* offset of the page's directory */
    struct tiff_decoder *first; /* the first decoder, until it joins the list */
    struct object_pool decoders;
    bool has_decoders; /* `decoders` is initialised */
    struct tiff_cache cache;
};

bool codec_tiff_detect(const uint8_t *head, size_t size)
{
    static const char starts[][5] = {"II*\0", "MM\0*", "II+\0", "MM\0+"};
    for (size_t i = 0; size >= 4 && i < sizeof starts / sizeof *starts; i++)
        if (memcmp(head, starts[i], 4) == 0)
            return true;
    return false;
}

/* ---- Metadata ------------------------------------------------------------------------------- */

static swathe_status keep_entry(struct image_reader *reader, const struct ifd_source *source,
                                const struct ifd_raw *raw, enum metadata_kind kind,
                                const char *what)
{
    void *block;
    TRY(limits_check_metadata(&reader->limits, raw->bytes, what));
    TRY(memory_new_raw(reader->memory, (int64_t)raw->bytes, 1, what, &block));
    swathe_status status = SWATHE_OK;
    if (ifd_raw_value(source, raw, block))
        status = reader_store_metadata(reader, kind, block, (size_t)raw->bytes);
    memory_free(reader->memory, block);
    return status;
}

/* Keeps blocks of bytes, whatever type their tags have. */
static swathe_status keep_blocks(struct image_reader *reader, const struct ifd_source *source)
{
    uint64_t directory = ((const struct tiff_reader *)reader->state)->directory;
    uint64_t count = ifd_raw_count(source, directory);
    struct ifd_raw raw;
    for (uint64_t i = 0; i < count; i++) {
        if (!ifd_raw_read(source, directory, i, &raw) || raw.bytes != raw.count)
            continue;
        if (raw.tag == TIFFTAG_ICCPROFILE)
            TRY(keep_entry(reader, source, &raw, METADATA_ICC, "ICC profile"));
        else if (raw.tag == TIFFTAG_XMLPACKET)
            TRY(keep_entry(reader, source, &raw, METADATA_XMP, "XMP packet"));
    }
    return SWATHE_OK;
}

static bool tiff_read_wanted_resolution(uint16_t tag)
{
    return tag == TIFFTAG_XRESOLUTION || tag == TIFFTAG_YRESOLUTION ||
           tag == TIFFTAG_RESOLUTIONUNIT;
}

/* Uses float arithmetic, like other readers. */
static swathe_status tiff_read_resolution(struct image_reader *reader,
                                          const struct ifd_source *source)
{
    const struct tiff_reader *tiff = reader->state;
    struct ifd ifd;
    TRY(ifd_read(source, tiff->directory, tiff_read_wanted_resolution, "resolution tags",
                 reader->memory, &reader->limits, &ifd));
    float x = (float)ifd_rational(&ifd, ifd_find(&ifd, TIFFTAG_XRESOLUTION));
    float y = (float)ifd_rational(&ifd, ifd_find(&ifd, TIFFTAG_YRESOLUTION));
    const struct ifd_entry *entry = ifd_find(&ifd, TIFFTAG_RESOLUTIONUNIT);
    uint64_t unit = entry ? ifd_number(&ifd, entry) : RESUNIT_INCH;
    double metre = unit == RESUNIT_INCH ? 1 / 0.0254 : unit == RESUNIT_CENTIMETER ? 100.0 : 0.0;
    if (metre > 0.0 && x > 0 && y > 0) {
        reader->metadata.x_resolution = (double)x * metre;
        reader->metadata.y_resolution = (double)y * metre;
    }
    ifd_free(reader->memory, &ifd);
    return SWATHE_OK;
}

static swathe_status read_exif(struct image_reader *reader, const struct ifd_source *source)
{
    const struct tiff_reader *tiff = reader->state;
    struct exif exif;
    swathe_status status =
        exif_load(reader->memory, &reader->limits, source, tiff->directory, &exif);
    if (status == SWATHE_OK)
        status = exif_keep(reader, &exif);
    exif_free(reader->memory, &exif);
    return status;
}

/* ---- Pixels --------------------------------------------------------------------------------- */

static bool tiff_is_whole(int64_t start, int64_t length, int64_t extent, int64_t block)
{
    return start % block == 0 && (length % block == 0 || start + length == extent);
}

/* True if the part consists of whole blocks. Then they are unlikely to be needed again soon. */
static bool whole_blocks(const struct tiff_reader *tiff, const swathe_image *into)
{
    const struct tiff_form *form = &tiff->form;
    return tiff_is_whole(into->x, into->width, form->width, form->block_width) &&
           tiff_is_whole(into->y, into->height, form->height, tiff->blocks.height);
}

/* True if `into` has the layout of the block at (x, y), so that it can be decoded in place. */
static bool fits_in_place(const struct tiff_reader *tiff, int64_t x, int64_t y,
                          const swathe_image *into)
{
    const struct tiff_blocks *blocks = &tiff->blocks;
    int64_t size = sample_size(into->type);
    return into->x == x && into->width == tiff->form.block_width &&
           into->row_stride == blocks->row && into->channel_stride == size &&
           into->pixel_stride == size * into->channels && into->y <= y &&
           y + tiff_blocks_rows(blocks, y) <= into->y + into->height;
}

/* Sets a view of the part of `into` inside the block at (x, y). */
static swathe_status part_in_block(const struct tiff_reader *tiff, int64_t x, int64_t y,
                                   const swathe_image *into, swathe_image *part)
{
    int64_t left = max64(into->x, x), top = max64(into->y, y);
    int64_t right = min64(into->x + into->width, x + tiff->form.block_width);
    int64_t bottom = min64(into->y + into->height, y + tiff->blocks.height);
    return view_crop(into, &(swathe_rect){left, top, right - left, bottom - top}, part);
}

/* Copies a part of the block's samples. */
static swathe_status copy_block(const struct tiff_reader *tiff, int64_t x, int64_t y,
                                uint8_t *samples, const swathe_image *into)
{
    swathe_shape shape = tiff->form.shape;
    swathe_image block, part;
    shape.width = tiff->form.block_width;
    shape.height = tiff->blocks.height;
    TRY(view_init(&shape, SWATHE_INTERLEAVED, samples, &block));
    block.x = x;
    block.y = y;
    TRY(part_in_block(tiff, x, y, into, &part));
    view_copy(&block, &part);
    return SWATHE_OK;
}

#define SAMPLE(constant, name, c_type, lowest, highest, summary)                                   \
    _Static_assert(sizeof(c_type) <= sizeof(double), "a pixel of " #name " fits");
#include "image/sample.def"
#undef SAMPLE

/* Fills the part of an omitted block with converted zeros, without a block in memory. */
static swathe_status tiff_read_fill_part(const struct tiff_reader *tiff, int64_t x, int64_t y,
                                         const swathe_image *into)
{
    _Alignas(double) uint8_t pixel[VIEW_CHANNELS_MAX * sizeof(double)] = {0};
    int32_t size = sample_size(into->type);
    swathe_image part;
    TRY(part_in_block(tiff, x, y, into, &part));
    tiff_unpack_finish(&tiff->form, 1, pixel);
    for (int64_t row = part.y; row < part.y + part.height; row++)
        for (int32_t c = 0; c < part.channels; c++)
            view_copy_samples(pixel + c * size, 0, view_at(&part, part.x, row, c),
                              part.pixel_stride, part.width, size);
    return SWATHE_OK;
}

static swathe_status tiff_read_whole(struct tiff_reader *tiff, struct tiff_decoder *decoder,
                                     int64_t x, int64_t y, const swathe_image *into)
{
    uint8_t *samples;
    if (fits_in_place(tiff, x, y, into))
        return tiff_decoder_get(decoder, x, y, view_at(into, x, y, 0));
    TRY(tiff_decoder_hold(decoder, x, y, &samples));
    return copy_block(tiff, x, y, samples, into);
}

static int64_t block_index(const struct tiff_reader *tiff, int64_t x, int64_t y)
{
    return y / tiff->blocks.height * tiff->blocks.across + x / tiff->form.block_width;
}

static swathe_status read_kept(struct tiff_reader *tiff, struct tiff_decoder *decoder, int64_t x,
                               int64_t y, const swathe_image *into)
{
    struct tiff_cache *cache = &tiff->cache;
    bool filled;
    TRY(tiff_cache_ready(cache));
    struct tiff_place *place = tiff_cache_take(cache, block_index(tiff, x, y), &filled);
    if (!place)
        return tiff_read_whole(tiff, decoder, x, y, into);
    swathe_status status = SWATHE_OK;
    uint8_t *samples = tiff_cache_samples(cache, place);
    if (!filled)
        status = tiff_decoder_get(decoder, x, y, samples);
    filled = status == SWATHE_OK;
    if (filled)
        status = copy_block(tiff, x, y, samples, into);
    tiff_cache_give(cache, place, filled);
    return status;
}

static swathe_status read_block(struct tiff_reader *tiff, struct tiff_decoder *decoder, int64_t x,
                                int64_t y, bool kept, const swathe_image *into)
{
    bool left_out;
    TRY(tiff_decoder_check(decoder, x, y, &left_out));
    if (left_out)
        return tiff_read_fill_part(tiff, x, y, into);
    return (kept ? read_kept : tiff_read_whole)(tiff, decoder, x, y, into);
}

static int64_t gather_bytes(const struct limits *limits)
{
    return min64(GATHER_MAX, limits->max_memory / 16);
}

/* Bytes of neighbouring blocks, to be fetched at once. */
struct neighbours {
    int64_t start, end, most;
    bool full;
};

/* Adds a block's bytes if they are adjacent. */
static void tiff_read_extend(struct neighbours *run, struct tiff_decoder *decoder, int64_t x,
                             int64_t y)
{
    const struct tiff_form *form = decoder->blocks->form;
    int64_t planes = form->separate ? form->samples : 1, offset, size;
    for (int64_t plane = 0; plane < planes && !run->full; plane++) {
        bool known = tiff_decoder_find(decoder, x, y, plane, &offset, &size);
        if (known && size == 0)
            continue;
        if (run->end == 0)
            run->start = run->end = offset;
        run->full = !known || offset < run->end ||
                    offset - run->end > stream_gap(decoder->stream.in) ||
                    offset + size - run->start > run->most ||
                    (run->start == offset && stream_holds(decoder->stream.in, offset, size));
        if (!run->full)
            run->end = offset + size;
    }
}

static bool wants_bytes(struct tiff_reader *tiff, int64_t x, int64_t y, bool kept)
{
    return !kept || !tiff_cache_holds(&tiff->cache, block_index(tiff, x, y));
}

/* If each fetch is a call of the reader: fetches the bytes of the block at (x, y), and of the
 * blocks that are read next and follow it in the file. */
static swathe_status tiff_read_gather(struct tiff_reader *tiff, struct tiff_decoder *decoder,
                                      int64_t x, int64_t y, bool kept, const swathe_image *into)
{
    int64_t width = tiff->form.block_width, height = tiff->blocks.height;
    int64_t right = into->x + into->width, bottom = into->y + into->height;
    struct neighbours run = {.most = gather_bytes(tiff->blocks.limits)};
    if (!stream_calls(decoder->stream.in) || tiff->blocks.by_rows)
        return SWATHE_OK;
    if (!wants_bytes(tiff, x, y, kept))
        return SWATHE_OK;
    tiff_read_extend(&run, decoder, x, y);
    run.full = run.full || run.end == 0; /* a gap is examined once, not for each of its blocks */
    for (x += width; y < bottom && !run.full; y += height, x = into->x - into->x % width)
        for (; x < right && !run.full; x += width)
            if (wants_bytes(tiff, x, y, kept))
                tiff_read_extend(&run, decoder, x, y);
    return run.end > run.start ? stream_gather(decoder->stream.in, run.start, run.end - run.start)
                               : SWATHE_OK;
}

static swathe_status read_blocks(const struct image_reader *reader, struct tiff_decoder *decoder,
                                 const swathe_image *into)
{
    struct tiff_reader *tiff = reader->state;
    int64_t width = tiff->form.block_width, height = tiff->blocks.height;
    int64_t right = into->x + into->width, bottom = into->y + into->height;
    bool kept = !whole_blocks(tiff, into);
    for (int64_t y = into->y - into->y % height; y < bottom; y += height)
        for (int64_t x = into->x - into->x % width; x < right; x += width) {
            TRY(cancel_check(&reader->cancel));
            TRY(tiff_read_gather(tiff, decoder, x, y, kept, into));
            TRY(read_block(tiff, decoder, x, y, kept, into));
        }
    return SWATHE_OK;
}

static swathe_status tiff_read(struct image_reader *reader, const swathe_image *into)
{
    struct tiff_reader *tiff = reader->state;
    struct tiff_decoder *decoder = (struct tiff_decoder *)(void *)object_pool_take(&tiff->decoders);
    swathe_status status = SWATHE_OK;
    if (!decoder)
        status = tiff_decoder_join(reader->memory, &reader->limits, reader->in, tiff->directory,
                                   &tiff->blocks, &decoder);
    if (status == SWATHE_OK)
        status = read_blocks(reader, decoder, into);
    /* Its state may be inconsistent. libtiff's decoder of old-style JPEG even decodes a block
     * wrongly if it did so before. */
    if (status != SWATHE_OK || tiff->blocks.form->compression == COMPRESSION_OJPEG) {
        tiff_decoder_close(decoder);
        decoder = NULL;
    }
    object_pool_give(&tiff->decoders, decoder ? &decoder->pooled : NULL);
    return status;
}

/* ---- Opening and closing -------------------------------------------------------------------- */

static void close_decoders(struct tiff_reader *tiff)
{
    struct pooled_object *pooled;
    tiff_decoder_close(tiff->first);
    if (!tiff->has_decoders)
        return;
    while ((pooled = object_pool_pop(&tiff->decoders)))
        tiff_decoder_close((struct tiff_decoder *)(void *)pooled);
    object_pool_destroy(&tiff->decoders);
}

static void tiff_read_tiff_close(struct image_reader *reader)
{
    struct tiff_reader *tiff = reader->state;
    if (!tiff)
        return;
    close_decoders(tiff);
    tiff_cache_close(&tiff->cache);
    tiff_pages_drop(tiff->pages);
    memory_free(reader->memory, tiff);
    reader->state = NULL;
}

/* The number of decoders that fit into the memory for all: each needs three times a block,
 * compressed and decoded, and the gathered bytes. Files that are read forward use one decoder for
 * all rows. */
static int64_t count_decoders(const struct image_reader *reader, const struct tiff_blocks *blocks)
{
    int64_t each = size_add(size_mul(2, blocks->bytes), blocks->raw_bytes);
    each = size_add(each, size_mul(16, blocks->count)); /* offsets and sizes of its blocks */
    if (stream_calls(reader->in))
        each = size_add(each, gather_bytes(&reader->limits));
    return blocks->forward ? 1 : blocks->held / size_add(each, 1 << 16);
}

/* Finds the requested page, in the list of another reader of the same file if there is one. */
static swathe_status tiff_read_open_page(struct image_reader *reader, struct tiff_reader *tiff,
                                         struct ifd_source *source)
{
    const struct tiff_reader *same = reader->same ? reader->same->state : NULL;
    uint64_t first = 0;
    if (ifd_open(source, &first)) {
        tiff->pages = same ? tiff_pages_share(same->pages) : NULL;
        if (!tiff->pages)
            TRY(tiff_pages_read(reader->memory, source, first, &tiff->pages));
        reader->pages = tiff_pages_count(tiff->pages);
        tiff->directory = tiff_pages_at(tiff->pages, reader->page);
    }
    TRY(codec_check_page(reader));
    return tiff_decoder_open(reader->memory, &reader->limits, reader->in, tiff->directory,
                             &tiff->first);
}

static void tiff_read_note_encoding(const struct tiff_form *form, swathe_encoding *encoding)
{
    encoding->compression = tiff_compression_name(form->compression);
    encoding->bits = form->bits < 8 * sample_size(form->shape.type) ? form->bits : 0;
    encoding->palette = form->palette;
    encoding->planar = form->separate && form->samples > 1;
    encoding->tile_width = form->tiled ? form->block_width : 0;
    encoding->tile_height = form->block_height;
}

static swathe_status open_blocks(struct image_reader *reader, struct tiff_reader *tiff)
{
    struct tiff_blocks *blocks = &tiff->blocks;
    TRY(tiff_form_read(tiff->first->tiff, tiff->first->directory.predictor, &tiff->form));
    reader->shape = tiff->form.shape;
    tiff_read_note_encoding(&tiff->form, &reader->encoding);
    TRY(tiff_blocks_choose(&reader->limits, tiff->first->tiff, stream_size(reader->in), &tiff->form,
                           blocks));
    tiff_decoder_ready(tiff->first, blocks);
    reader->flags = blocks->forward ? SWATHE_FORWARD : SWATHE_CONCURRENT;
    reader->tile_width = tiff->form.block_width;
    /* Reading whole omitted blocks has no advantage. */
    reader->tile_height = blocks->sparse ? min64(blocks->height, SPARSE_ROWS) : blocks->height;
    return tiff_cache_open(&tiff->cache, reader->memory, blocks->count, blocks->bytes,
                           blocks->by_rows ? 0 : blocks->kept);
}

static void start_decoders(struct image_reader *reader, struct tiff_reader *tiff)
{
    object_pool_init(&tiff->decoders, count_decoders(reader, &tiff->blocks));
    tiff->has_decoders = true;
    tiff->decoders.count = 1;
    object_pool_give(&tiff->decoders, &tiff->first->pooled);
    tiff->first = NULL;
}

swathe_status codec_tiff_open(struct image_reader *reader)
{
    struct tiff_reader *tiff;
    TRY(stream_make_seekable(reader->in, reader->limits.max_spool));
    struct ifd_source source = tiff_pages_source(reader->in);
    TRY(memory_new(reader->memory, 1, sizeof *tiff, "TIFF reader", &tiff));
    reader->state = tiff;
    reader->close = tiff_read_tiff_close;
    reader->read = tiff_read;
    stream_keep(reader->in); /* each thread reads these bytes again */
    TRY(tiff_read_open_page(reader, tiff, &source));
    TRY(open_blocks(reader, tiff));
    TRY(keep_blocks(reader, &source));
    TRY(tiff_read_resolution(reader, &source));
    TRY(read_exif(reader, &source));
    TRY(tiff_geo_read(reader, &source, tiff->directory, &tiff->form));
    stream_keep_no_more(reader->in);
    start_decoders(reader, tiff);
    return SWATHE_OK;
}

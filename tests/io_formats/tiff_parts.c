/* A TIFF whose tiles are written by several sinks has the bytes of one that a single sink writes,
 * for any division into parts. Wrong parts and sizes are refused. `--caught` inverts the result for
 * a build with a planted bug. */
#include "io_check.h"
#include "io_samples.h"
#include "io_ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct form {
    int64_t width, height, tile;
    int32_t channels;
    swathe_type type;
    const char *compression;
    bool planar, big;
};

static const char *form_text(const struct form *f)
{
    static char text[160];
    snprintf(text, sizeof text, "%d x %d x %d %s, tile %d, %s%s%s", (int)f->width, (int)f->height,
             f->channels, sample_entry(f->type)->name, (int)f->tile, f->compression,
             f->planar ? ", planar" : "", f->big ? ", BigTIFF" : "");
    return text;
}

/* GeoTIFF: the size of a pixel, three doubles. */
static const uint8_t geo[] = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x0e, 0x83, 12, 0, 3, 0, 0,
                              0,   26,  0,  0, 0, 0, 0, 0, 0, 0, 0,    0,    0,  0, 0, 0, 0,
                              0,   0,   0,  0, 0, 0, 0, 0, 0, 0, 0,    0,    0,  0, 0, 0};

static swathe_metadata metadata_for(const struct form *f, swathe_encoding *encoding)
{
    swathe_metadata metadata = io_sample_metadata(f->channels);
    *encoding = SWATHE_INIT(swathe_encoding);
    encoding->format = "tiff";
    encoding->planar = f->planar;
    metadata.encoding = encoding;
    metadata.geo = geo;
    metadata.geo_size = sizeof geo;
    return metadata;
}

static swathe_write_options options_for(const struct form *f, swathe_tiff_part *part)
{
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    options.format = "tiff";
    options.compression = f->compression;
    options.tile = f->tile;
    options.pages = f->big ? 1 << 30 : 1;
    options.tiff_part = part;
    return options;
}

static swathe_status create(const struct form *f, swathe_tiff_part *part, struct io_callback *to,
                            swathe_sink **sink)
{
    swathe_encoding encoding;
    swathe_shape shape = io_shape(f->width, f->height, f->channels, f->type);
    swathe_metadata metadata = metadata_for(f, &encoding);
    swathe_write_options options = options_for(f, part);
    swathe_writer writer = io_callback_writer(to, "parts");
    return file_create_writer(&memory_default, 1 << 28, &writer, &shape, &metadata, &options, sink);
}

/* ---- Writing -------------------------------------------------------------------------------- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Writes a tile of the sink, whose pixels start at a corner of the image. */
static swathe_status write_tile(const swathe_sink *sink, const swathe_image *image, int64_t x,
                                int64_t y, const swathe_rect *region)
{
    swathe_image part;
    swathe_rect rect = {region->x + x, region->y + y, least(sink->tile_width, region->width - x),
                        least(sink->tile_height, region->height - y)};
    TRY(view_crop(image, &rect, &part));
    part.x = x;
    part.y = y;
    part.full_width = region->width;
    part.full_height = region->height;
    return sink->write(sink->user, &part);
}

/* Writes the tiles row by row, or backwards. */
static swathe_status write_region(swathe_sink *sink, const swathe_image *image,
                                  const swathe_rect *region, bool backwards)
{
    int64_t across = (region->width + sink->tile_width - 1) / sink->tile_width;
    int64_t down = (region->height + sink->tile_height - 1) / sink->tile_height;
    for (int64_t i = 0; i < across * down; i++) {
        int64_t tile = backwards ? across * down - 1 - i : i;
        TRY(write_tile(sink, image, tile % across * sink->tile_width,
                       tile / across * sink->tile_height, region));
    }
    return file_commit(sink);
}

static swathe_status write_whole(const struct form *f, const swathe_image *image, bool backwards,
                                 struct io_callback *to)
{
    swathe_sink *sink;
    swathe_rect whole = {0, 0, f->width, f->height};
    TRY(create(f, NULL, to, &sink));
    swathe_status status = write_region(sink, image, &whole, backwards);
    file_discard(sink);
    return status;
}

/* A range that starts here: rows of a column, or a part of a row. */
static int64_t draw_count(const swathe_tiff_part *about, int64_t first, uint64_t *random)
{
    int64_t across = about->tiles / about->tile_rows, column = about->column_tiles;
    int64_t left = first / (column * about->tile_rows) * column;
    int64_t width = least(column, across - left), at = first - left * about->tile_rows;
    if (at % width == 0 && io_random(random) % 2)
        return width * (1 + io_random(random) % (about->tile_rows - at / width));
    return 1 + io_random(random) % (width - at % width);
}

static swathe_status write_tiles(const struct form *f, const swathe_image *image, int64_t *sizes,
                                 const swathe_tiff_part *about, struct io_callback *to)
{
    uint64_t random = 5;
    swathe_tiff_part part = SWATHE_INIT(swathe_tiff_part);
    for (int64_t first = 0; first < about->tiles; first += part.count) {
        swathe_sink *sink;
        part.first = first;
        part.count = draw_count(about, first, &random);
        part.sizes = sizes + first * about->planes;
        TRY(create(f, &part, to, &sink));
        swathe_status status = write_region(sink, image, &part.region, io_random(&random) % 2);
        file_discard(sink);
        TRY(status);
        to->finished = 0; /* the next part is appended */
    }
    return SWATHE_OK;
}

/* The whole file, put together from all parts. */
static swathe_status write_parts(const struct form *f, const swathe_image *image,
                                 struct io_callback *file)
{
    struct io_callback tiles = {0}, rest = {0};
    swathe_sink *sink;
    swathe_tiff_part part = SWATHE_INIT(swathe_tiff_part);
    TRY(create(f, &part, &rest, &sink));
    part.sizes = calloc((size_t)(part.tiles * part.planes), sizeof *part.sizes);
    swathe_status status = write_tiles(f, image, part.sizes, &part, &tiles);
    if (status == SWATHE_OK)
        status = file_commit(sink);
    if (status == SWATHE_OK) {
        size_t prefix = (size_t)part.prefix_bytes;
        file->size = rest.size + tiles.size;
        file->bytes = malloc(file->size);
        memcpy(file->bytes, rest.bytes, prefix);
        memcpy(file->bytes + prefix, tiles.bytes, tiles.size);
        memcpy(file->bytes + prefix + tiles.size, rest.bytes + prefix, rest.size - prefix);
    }
    file_discard(sink);
    free(part.sizes);
    free(tiles.bytes);
    free(rest.bytes);
    return status;
}

static void check_form(const struct form *f)
{
    swathe_shape shape = io_shape(f->width, f->height, f->channels, f->type);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    struct io_callback whole = {0}, backwards = {0}, parts = {0};
    io_fill_smooth(&image.view, 7);
    swathe_status status = write_whole(f, &image.view, false, &whole);
    if (status == SWATHE_OK)
        status = write_whole(f, &image.view, true, &backwards);
    if (status == SWATHE_OK)
        status = write_parts(f, &image.view, &parts);
    if (io_check(status == SWATHE_OK, "%s: %s", form_text(f), fail_text())) {
        io_check(whole.bytes[2] == (f->big ? 43 : 42), "%s: wrong kind", form_text(f));
        io_check(whole.size == backwards.size && !memcmp(whole.bytes, backwards.bytes, whole.size),
                 "%s: other bytes if tiles are written backwards", form_text(f));
        io_check(whole.size == parts.size && !memcmp(whole.bytes, parts.bytes, whole.size),
                 "%s: other bytes in parts", form_text(f));
    }
    free(whole.bytes);
    free(backwards.bytes);
    free(parts.bytes);
    io_image_free(&image);
}

static void check_forms(void)
{
    static const char *const compressions[] = {"none", "deflate", "lzw", "zstd"};
    static const struct form forms[] = {
        {.width = 331, .height = 117, .tile = 32, .channels = 3, .type = SWATHE_U8},
        {.width = 100, .height = 331, .tile = 48, .channels = 1, .type = SWATHE_U16},
        {.width = 96, .height = 64, .tile = 32, .channels = 2, .type = SWATHE_F32},
        {.width = 1, .height = 1, .tile = 16, .channels = 3, .type = SWATHE_S16},
        {.width = 50, .height = 40, .tile = 16, .channels = 2, .type = SWATHE_F64},
        {.width = 50, .height = 40, .tile = 32, .channels = 1, .type = SWATHE_S32},
        {.width = 77, .height = 91, .tile = 16, .channels = 3, .type = SWATHE_U8, .planar = true},
        {.width = 65, .height = 33, .tile = 32, .channels = 3, .type = SWATHE_U32, .planar = true},
        {.width = 65, .height = 33, .tile = 32, .channels = 4, .type = SWATHE_F32, .planar = true},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (size_t c = 0; c < sizeof compressions / sizeof *compressions; c++)
            for (int big = 0; big < 2; big++) {
                struct form f = forms[i];
                f.compression = compressions[c];
                f.big = big;
                check_form(&f);
            }
    /* Two columns, of 8 and 3 tiles: a row of tiles has more than 32 MiB. */
    check_form(&(struct form){.width = 10900,
                              .height = 1100,
                              .tile = 1024,
                              .channels = 3,
                              .type = SWATHE_U8,
                              .compression = "none"});
}

/* ---- What is refused ------------------------------------------------------------------------ */

static const struct form usual = {.width = 100,
                                  .height = 90,
                                  .tile = 16,
                                  .channels = 3,
                                  .type = SWATHE_U8,
                                  .compression = "none"}; /* 7 x 6 tiles */

static void refuse_create(const struct form *f, swathe_tiff_part part, const char *text)
{
    struct io_callback to = {0};
    swathe_sink *sink = NULL;
    swathe_status status = create(f, &part, &to, &sink);
    io_check(status == SWATHE_ERROR_ARGUMENT && io_said(text) && to.abandoned == 1 && !to.finished,
             "%d tiles from %d: status %d instead of \"%s\": %s", (int)part.count, (int)part.first,
             (int)status, text, fail_text());
    if (status == SWATHE_OK)
        file_discard(sink);
    free(to.bytes);
}

static void refuse_ranges(void)
{
    static const int64_t ranges[][2] = {{-1, 1}, {0, -1},        {INT64_MIN, 7}, {0, 43}, {42, 1},
                                        {41, 2}, {1, INT64_MAX}, {INT64_MAX, 1}, {1, 7},  {5, 3},
                                        {0, 8},  {7, 20},        {3, 0}};
    int64_t sizes[42];
    swathe_tiff_part part = SWATHE_INIT(swathe_tiff_part);
    part.sizes = sizes;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        part.first = ranges[i][0];
        part.count = ranges[i][1];
        refuse_create(&usual, part, "tiff_part: ");
    }
    part.first = 0;
    part.count = 7;
    part.sizes = NULL;
    refuse_create(&usual, part, "sizes is NULL");
    part.sizes = sizes;
    part.struct_size = offsetof(swathe_tiff_part, prefix_bytes);
    refuse_create(&usual, part, "SWATHE_INIT");
    struct form strips = usual;
    strips.tile = -1;
    part.struct_size = sizeof part;
    refuse_create(&strips, part, "requires tiles");
}

/* Sizes of all tiles of which one is changed. */
static void refuse_size(int64_t size, const char *text)
{
    struct io_callback to = {0};
    swathe_sink *sink;
    int64_t sizes[42];
    swathe_tiff_part part = SWATHE_INIT(swathe_tiff_part);
    if (!io_check(create(&usual, &part, &to, &sink) == SWATHE_OK, "%s", fail_text()))
        return;
    for (int i = 0; i < 42; i++)
        sizes[i] = 768;
    sizes[17] = size;
    part.sizes = size ? sizes : NULL;
    swathe_status status = file_commit(sink);
    io_check(status == SWATHE_ERROR_ARGUMENT && io_said(text), "a size of %lld: %s",
             (long long)size, fail_text());
    file_discard(sink);
    io_check(to.abandoned == 1 && !to.finished && to.size == 0, "something was written");
}

static void refuse_pixels(void)
{
    struct io_callback to = {0};
    swathe_sink *sink;
    int64_t sizes[7];
    swathe_shape shape = io_shape(usual.width, usual.height, usual.channels, usual.type);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_rect whole = {0, 0, usual.width, usual.height};
    swathe_tiff_part part = SWATHE_INIT(swathe_tiff_part);
    for (part.count = 0; part.count <= 7; part.count += 7) {
        part.sizes = part.count ? sizes : NULL;
        if (!io_check(create(&usual, &part, &to, &sink) == SWATHE_OK, "%s", fail_text()))
            continue;
        io_check(sink->write(sink->user, &image.view) == SWATHE_ERROR_ARGUMENT,
                 "pixels of other tiles are accepted");
        io_check(file_next_page(sink, &shape, NULL) == SWATHE_ERROR_UNSUPPORTED, "a second page");
        io_check(write_tile(sink, &image.view, 16, 16, &whole) == SWATHE_ERROR_ARGUMENT,
                 "a tile outside the part is accepted");
        io_check(file_commit(sink) == SWATHE_ERROR_ARGUMENT, "a part without pixels is committed");
        file_discard(sink);
    }
    swathe_write_options options = options_for(&usual, &part);
    swathe_writer writer = io_callback_writer(&to, "parts");
    options.tile = 0;
    options.compression = NULL;
    options.format = "pnm";
    part.count = 0;
    io_check(file_create_writer(&memory_default, 1 << 28, &writer, &shape, NULL, &options, &sink) ==
                     SWATHE_ERROR_ARGUMENT &&
                 io_said("is not written in parts"),
             "parts of another format: %s", fail_text());
    io_image_free(&image);
}

/* ---- Very large images ---------------------------------------------------------------------- */

/* An image of 10^12 pixels; tile 0: the default. */
static void check_huge(int64_t tile, int64_t want_edge, int64_t want_tiles)
{
    struct form f = {.width = 1000000,
                     .height = 1000000,
                     .tile = tile,
                     .channels = 3,
                     .type = SWATHE_U8,
                     .compression = "deflate"};
    struct io_callback to = {0};
    swathe_sink *sink;
    swathe_tiff_part part = SWATHE_INIT(swathe_tiff_part);
    if (!io_check(create(&f, &part, &to, &sink) == SWATHE_OK, "huge: %s", fail_text()))
        return;
    io_check(part.tiles == want_tiles && sink->tile_width == want_edge && part.column_tiles == 8,
             "huge: %lld tiles of %lld in columns of %lld", (long long)part.tiles,
             (long long)sink->tile_width, (long long)part.column_tiles);
    part.sizes = malloc((size_t)part.tiles * sizeof *part.sizes);
    for (int64_t i = 0; i < part.tiles; i++)
        part.sizes[i] = 300000 + i % 77777;
    io_check(file_commit(sink) == SWATHE_OK, "huge: %s", fail_text());
    io_check(to.size > 8 * (size_t)part.tiles && to.size < 16 * (size_t)part.tiles + (1 << 20),
             "huge: %zu bytes for %lld tiles", to.size, (long long)part.tiles);
    file_discard(sink);
    free(part.sizes);
    free(to.bytes);
}

int main(int argc, char **argv)
{
    bool caught = argc > 1 && strcmp(argv[1], "--caught") == 0;
    check_forms();
    if (caught)
        return io_failures() > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    refuse_ranges();
    refuse_size(0, "neither tiles nor the sizes");
    refuse_size(-1, "sizes[17] is -1");
    refuse_size(INT64_MIN, "sizes[17] is ");
    refuse_size(INT64_MAX, "sizes[17] is ");
    refuse_size((int64_t)1 << 32, "the sum of all is at most 4026531840");
    refuse_pixels();
    check_huge(0, 1024, 977 * 977);
    check_huge(512, 512, (int64_t)1954 * 1954);
    return io_finish("tiff_parts");
}

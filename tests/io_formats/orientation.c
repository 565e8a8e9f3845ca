/* Images turned upright: every orientation × every format that stores EXIF × types × channels,
 * whole and in parts; the values in EXIF and XMP afterwards; damaged EXIF; limits. `--caught`
 * inverts the result for a build with a planted bug: it succeeds if checks failed. */
#include "io_check.h"

#include "io/metadata/metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FREE_MEMORY = 1 << 28, BLOCK_SIZE = 80, LETTER = 16 };

/* How an image with the rows ABC and DEF is displayed. */
static const char *const shown[] = {"",         "ABC/DEF",  "CBA/FED",  "FED/CBA", "DEF/ABC",
                                    "AD/BE/CF", "DA/EB/FC", "FC/EB/DA", "CF/BE/AD"};

struct problem {
    const struct codec *codec;
    swathe_shape shape;
    int how;
    int64_t tile;
};

static bool check(const struct problem *p, bool held, const char *what, const char *text)
{
    return io_check(held, "%s %dx%dx%d type %s tile %d orientation %d: %s: %s", p->codec->name,
                    (int)p->shape.width, (int)p->shape.height, p->shape.channels,
                    sample_entry(p->shape.type)->name, (int)p->tile, p->how, what, text);
}

/* ---- EXIF ----------------------------------------------------------------------------------- */

static void put(uint8_t *to, bool swapped, int size, uint32_t value)
{
    for (int i = 0; i < size; i++)
        to[swapped ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static void put_entry(uint8_t *to, bool swapped, uint16_t tag, uint16_t type, uint32_t count,
                      uint32_t value)
{
    put(to, swapped, 2, tag);
    put(to + 2, swapped, 2, type);
    put(to + 4, swapped, 4, count);
    put(to + 8, swapped, type == IFD_SHORT ? 2 : 4, value);
}

/* Orientation, 300 dots per inch horizontally, 150 vertically. */
static void make_block(uint8_t block[BLOCK_SIZE], bool swapped, uint16_t type, uint32_t count,
                       uint32_t value)
{
    memset(block, 0, BLOCK_SIZE);
    memcpy(block, swapped ? "MM\0*\0\0\0\x08" : "II*\0\x08\0\0\0", 8);
    put(block + 8, swapped, 2, 3);
    put_entry(block + 10, swapped, EXIF_ORIENTATION, type, count, value);
    put_entry(block + 22, swapped, EXIF_X_RESOLUTION, IFD_RATIONAL, 1, 50);
    put_entry(block + 34, swapped, EXIF_Y_RESOLUTION, IFD_RATIONAL, 1, 58);
    put(block + 50, swapped, 4, 300);
    put(block + 54, swapped, 4, 1);
    put(block + 58, swapped, 4, 150);
    put(block + 62, swapped, 4, 1);
}

static const char *file_of(const struct problem *p)
{
    char name[32];
    snprintf(name, sizeof name, "turned.%s", p->codec->name);
    return io_path(name);
}

static swathe_status write_file(const struct problem *p, const swathe_image *image,
                                const void *exif, size_t size)
{
    swathe_write_options options = io_faithful(p->codec);
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    static const char xmp[] = "<x tiff:Orientation=\"6\"><tiff:Orientation>8</tiff:Orientation>";
    options.tile = p->tile;
    metadata.exif = exif;
    metadata.exif_size = size;
    metadata.xmp = xmp;
    metadata.xmp_size = sizeof xmp - 1;
    metadata.x_resolution = 300 / 0.0254;
    metadata.y_resolution = 150 / 0.0254;
    return io_write(file_of(p), image, &metadata, &options, 0);
}

static swathe_status open_file(const struct problem *p, int orient, swathe_source **source)
{
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    options.orient = orient;
    return file_open(&memory_default, FREE_MEMORY, file_of(p), &options, source);
}

/* ---- Pixels --------------------------------------------------------------------------------- */

/* The upright image, computed from the stored position of each sample. */
static struct io_image turned(const struct problem *p, const swathe_image *stored)
{
    swathe_shape shape = p->shape;
    int64_t right = shape.width - 1, bottom = shape.height - 1;
    if (p->how >= 5) {
        shape.width = p->shape.height;
        shape.height = p->shape.width;
    }
    struct io_image image = io_image_make(&shape, IO_DENSE);
    for (int64_t y = 0; y < shape.height; y++)
        for (int64_t x = 0; x < shape.width; x++) {
            const int64_t places[][2] = {
                {x, y}, {right - x, y},  {right - x, bottom - y}, {x, bottom - y},
                {y, x}, {y, bottom - x}, {right - y, bottom - x}, {right - y, x}};
            const int64_t *place = places[p->how - 1];
            for (int32_t c = 0; c < shape.channels; c++)
                memcpy(view_at(&image.view, x, y, c), view_at(stored, place[0], place[1], c),
                       (size_t)sample_size(shape.type));
        }
    return image;
}

/* Reads parts of an image with random access, in any order. */
static void check_parts(const struct problem *p, const swathe_source *source,
                        const swathe_image *want, uint64_t *random)
{
    char text[128];
    struct io_image part = io_image_make(&source->shape, IO_SPREAD);
    for (int i = 0; i < 5 && !(source->flags & SWATHE_FORWARD); i++) {
        swathe_rect rect;
        swathe_image into, expected;
        rect.x = io_random(random) % want->width;
        rect.y = io_random(random) % want->height;
        rect.width = 1 + io_random(random) % (want->width - rect.x);
        rect.height = 1 + io_random(random) % (want->height - rect.y);
        if (view_crop(&part.view, &rect, &into) != SWATHE_OK ||
            view_crop(want, &rect, &expected) != SWATHE_OK)
            continue;
        if (check(p, source->read(source->user, &into) == SWATHE_OK, "part", fail_text()))
            check(p, io_equal(&expected, &into, io_tolerance(p->codec), text, sizeof text), "part",
                  text);
    }
    io_image_free(&part);
}

static void check_pixels(const struct problem *p, const swathe_source *source,
                         const swathe_image *want, uint64_t *random)
{
    char text[128];
    struct io_image got;
    enum io_strides strides = (enum io_strides)(io_random(random) % IO_STRIDES_COUNT);
    swathe_status status = io_read_source(source, strides, 1 + io_random(random) % 20, &got);
    if (!check(p, status == SWATHE_OK, "not read", fail_text()))
        return;
    check(p, io_equal(want, &got.view, io_tolerance(p->codec), text, sizeof text), "differs", text);
    io_image_free(&got);
    check_parts(p, source, want, random);
}

/* ---- Metadata afterwards -------------------------------------------------------------------- */

static void check_metadata(const struct problem *p, const swathe_source *source)
{
    static const char xmp[] = "tiff:Orientation=\"1\"><tiff:Orientation>1<";
    const swathe_metadata *m = source->metadata;
    double x = m->x_resolution * 0.0254, y = m->y_resolution * 0.0254;
    check(p, exif_orientation(m) == 1, "not upright", "in EXIF");
    if (p->how > 1 && m->xmp_size > 0)
        check(p, memcmp((const char *)m->xmp + 3, xmp, sizeof xmp - 1) == 0, "not upright",
              "in XMP");
    if (x > 0)
        check(p, (p->how >= 5) == (x < y) && x > 149 && y > 149 && x < 301 && y < 301, "resolution",
              p->how >= 5 ? "not swapped" : "swapped");
}

/* The image stays the same when it is written and read again. */
static void check_again(const struct problem *p, const swathe_source *source)
{
    struct io_image got;
    swathe_source *again;
    swathe_shape shape = source->shape;
    if (source->flags & SWATHE_FORWARD)
        return;
    swathe_status status = io_read_source(source, IO_DENSE, 0, &got);
    if (!check(p, status == SWATHE_OK, "not read again", fail_text()))
        return;
    swathe_write_options options = io_faithful(p->codec);
    status = io_write(io_path("again"), &got.view, source->metadata, &options, 0);
    swathe_read_options upright = SWATHE_INIT(swathe_read_options);
    upright.format = p->codec->name;
    upright.orient = 1;
    if (status == SWATHE_OK)
        status = file_open(&memory_default, FREE_MEMORY, io_path("again"), &upright, &again);
    if (check(p, status == SWATHE_OK, "not written again", fail_text())) {
        check(p, again->shape.width == shape.width && again->shape.height == shape.height, "again",
              "turned twice");
        file_close(again);
    }
    io_image_free(&got);
}

/* Without the option the image is read as stored. */
static void check_kept(const struct problem *p)
{
    swathe_source *source;
    if (!check(p, open_file(p, 0, &source) == SWATHE_OK, "not opened", fail_text()))
        return;
    check(p, exif_orientation(source->metadata) == p->how, "orientation", "lost");
    check(p, source->shape.width == p->shape.width && source->shape.height == p->shape.height,
          "turned", "unasked");
    file_close(source);
}

static void check_upright(const struct problem *p, const swathe_image *want, uint64_t *random)
{
    swathe_source *source;
    if (!check(p, open_file(p, 1, &source) == SWATHE_OK, "not opened", fail_text()))
        return;
    check(p, p->how < 3 || !(source->flags & SWATHE_FORWARD), "random access", "missing");
    check_pixels(p, source, want, random);
    check_metadata(p, source);
    check_again(p, source);
    file_close(source);
}

static void check_noise(const struct problem *p, uint64_t *random)
{
    uint8_t exif[BLOCK_SIZE];
    struct io_image image = io_image_make(&p->shape, IO_DENSE);
    make_block(exif, p->how % 2 == 0, IFD_SHORT, 1, (uint32_t)p->how);
    if (io_tolerance(p->codec) > 0)
        io_fill_smooth(&image.view, 3);
    else
        io_fill_noise(&image.view, io_random(random));
    struct io_image want = turned(p, &image.view);
    swathe_status status = write_file(p, &image.view, exif, sizeof exif);
    if (check(p, status == SWATHE_OK, "not written", fail_text())) {
        check_upright(p, &want.view, random);
        check_kept(p);
    }
    io_image_free(&want);
    io_image_free(&image);
}

/* ---- Letters -------------------------------------------------------------------------------- */

static void fill_letters(const swathe_image *image)
{
    for (int64_t y = 0; y < image->height; y++)
        for (int64_t x = 0; x < image->width; x++)
            for (int32_t c = 0; c < image->channels; c++) {
                int64_t value = 20 + 40 * (x / LETTER + 3 * (y / LETTER));
                sample_store(view_at(image, x, y, c), image->type, (double)value);
            }
}

/* The letter at the centre of each square. */
static void read_letters(const swathe_image *image, char *text)
{
    for (int64_t y = LETTER / 2; y < image->height; y += LETTER) {
        for (int64_t x = LETTER / 2; x < image->width; x += LETTER) {
            const void *at = view_at(image, x, y, 0);
            *text++ = (char)('A' + (int)sample_load(at, image->type) / 40);
        }
        *text++ = y + LETTER < image->height ? '/' : '\0';
    }
}

static void check_letters(struct problem p)
{
    uint8_t exif[BLOCK_SIZE];
    char text[32] = "";
    p.shape.width = 3 * LETTER;
    p.shape.height = 2 * LETTER;
    struct io_image image = io_image_make(&p.shape, IO_DENSE), got;
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    make_block(exif, false, IFD_SHORT, 1, (uint32_t)p.how);
    fill_letters(&image.view);
    options.orient = 1;
    swathe_status status = write_file(&p, &image.view, exif, sizeof exif);
    if (status == SWATHE_OK)
        status = io_read(file_of(&p), &options, IO_DENSE, 0, &got);
    if (check(&p, status == SWATHE_OK, "letters", fail_text())) {
        read_letters(&got.view, text);
        check(&p, strcmp(text, shown[p.how]) == 0, "letters", text);
        io_image_free(&got);
    }
    io_image_free(&image);
}

/* ---- All of them ---------------------------------------------------------------------------- */

static bool keeps_exif(const struct codec *codec)
{
    const char *name = codec->name;
    return codec->built && (strcmp(name, "png") == 0 || strcmp(name, "jpeg") == 0 ||
                            strcmp(name, "tiff") == 0 || strcmp(name, "webp") == 0);
}

static void check_codec(const struct codec *codec, swathe_type type, int32_t channels,
                        uint64_t *random)
{
    static const int64_t sizes[][2] = {{75, 133}, {1, 9}, {130, 67}};
    struct problem p = {codec, io_shape(1, 1, channels, type), 0, 0};
    if (!codec_holds(codec, &p.shape))
        return;
    for (p.how = 1; p.how <= 8; p.how++) {
        check_letters(p);
        for (int i = 0; i < 3; i++)
            for (p.tile = 0; p.tile <= (strcmp(codec->name, "tiff") == 0 ? 16 : 0); p.tile += 16) {
                p.shape.width = sizes[i][0];
                p.shape.height = sizes[i][1];
                check_noise(&p, random);
            }
        p.tile = 0;
    }
}

/* ---- Damage and limits ---------------------------------------------------------------------- */

/* The image opens with any block, as stored unless the block specifies otherwise. */
static void check_block(const struct problem *p, const void *exif, size_t size, bool may_turn)
{
    struct io_image image = io_image_make(&p->shape, IO_DENSE);
    swathe_source *source;
    swathe_status status = write_file(p, &image.view, exif, size);
    if (status == SWATHE_OK)
        status = open_file(p, 1, &source);
    if (check(p, status == SWATHE_OK, "damaged EXIF", fail_text())) {
        check(p, may_turn || source->shape.width == p->shape.width, "damaged EXIF", "turned");
        check(p,
              may_turn || !exif || size == 0 || !source->metadata->exif ||
                  memcmp(source->metadata->exif, exif, size) == 0,
              "damaged EXIF", "changed");
        file_close(source);
    }
    io_image_free(&image);
}

static void check_damage(void)
{
    static const struct {
        uint16_t type;
        uint32_t count, value;
    } blocks[] = {{IFD_SHORT, 1, 0},   {IFD_SHORT, 1, 9}, {IFD_SHORT, 1, 65535},
                  {IFD_SHORT, 0, 6},   {IFD_SHORT, 2, 6}, {IFD_LONG, 1, 6},
                  {IFD_ASCII, 1, '6'}, {99, 1, 6},        {IFD_RATIONAL, 1, 6}};
    uint8_t exif[BLOCK_SIZE];
    struct problem p = {codec_named("jpeg"), io_shape(20, 10, 3, SWATHE_U8), 6, 0};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (int swapped = 0; swapped <= 1; swapped++) {
            make_block(exif, swapped, blocks[i].type, blocks[i].count, blocks[i].value);
            check_block(&p, exif, sizeof exif, false);
        }
    make_block(exif, false, IFD_SHORT, 1, 6);
    for (size_t size = 0; size <= sizeof exif; size++)
        check_block(&p, exif, size, size >= 22);
    for (uint32_t at = 0; at < 256; at++) { /* offset of the directory: in the header, and past the
                                             * end */
        put(exif + 4, false, 4, at < 128 ? at : UINT32_MAX - at);
        check_block(&p, exif, sizeof exif, at == 8);
    }
}

/* Random bytes in a block that ends at an unreadable page. */
static void check_any_bytes(uint64_t *random)
{
    swathe_shape shape = io_shape(BLOCK_SIZE, 1, 1, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    uint8_t *block = image.view.data;
    for (int i = 0; i < 20000; i++) {
        swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
        make_block(block, i % 2, IFD_SHORT, 1, 6);
        for (uint32_t n = io_random(random) % 6; n > 0; n--)
            block[io_random(random) % BLOCK_SIZE] = (uint8_t)io_random(random);
        metadata.exif_size = BLOCK_SIZE - io_random(random) % BLOCK_SIZE;
        metadata.exif = block + BLOCK_SIZE - metadata.exif_size;
        memmove((uint8_t *)metadata.exif, block, metadata.exif_size);
        int how = exif_orientation(&metadata);
        io_check(how >= 1 && how <= 8, "damaged block %d: orientation %d", i, how);
        exif_set_upright(&metadata, how >= 5);
    }
    io_image_free(&image);
}

/* The limit applies only if the whole image must be in memory. */
static void check_limit(int how, bool refused)
{
    uint8_t exif[BLOCK_SIZE];
    struct problem p = {codec_named("jpeg"), io_shape(40, 30, 3, SWATHE_U8), how, 0};
    struct io_image image = io_image_make(&p.shape, IO_DENSE);
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    swathe_source *source = NULL;
    make_block(exif, true, IFD_SHORT, 1, (uint32_t)how);
    options.orient = 1;
    options.max_pixels = 1199;
    swathe_status status = write_file(&p, &image.view, exif, sizeof exif);
    if (status == SWATHE_OK)
        status = file_open(&memory_default, FREE_MEMORY, file_of(&p), &options, &source);
    check(&p, status == (refused ? SWATHE_ERROR_LIMIT : SWATHE_OK), "limit", fail_text());
    check(&p, !refused || fail_last()->needed == 1200, "limit", fail_text());
    file_close(source);
    options.orient = 2;
    status = file_open(&memory_default, FREE_MEMORY, file_of(&p), &options, &source);
    check(&p, status == SWATHE_ERROR_ARGUMENT, "orient 2", "taken");
    io_image_free(&image);
}

int main(int count, char **arguments)
{
    uint64_t random = 11;
    for (int i = 0; codec_at(i); i++)
        for (int32_t channels = 1; channels <= 3 && keeps_exif(codec_at(i)); channels += 2) {
            check_codec(codec_at(i), SWATHE_U8, channels, &random);
            check_codec(codec_at(i), SWATHE_U16, channels, &random);
            check_codec(codec_at(i), SWATHE_F64, channels, &random);
        }
    check_damage();
    check_any_bytes(&random);
    check_limit(1, false);
    check_limit(2, false);
    check_limit(3, true);
    check_limit(6, true);
    io_folder_remove();
    int status = io_finish("orientation");
    if (count > 1 && strcmp(arguments[1], "--caught") == 0)
        return io_failures() > 0 ? 0 : 1;
    return status;
}

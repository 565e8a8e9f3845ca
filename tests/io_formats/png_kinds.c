/* Kinds of PNG files, and damaged ones. */
#include "io_check.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- Every kind ----------------------------------------------------------------------------- */

/* Every kind of PNG that libpng can write (colour type × depth × interlacing × transparency) is
 * decoded to the samples that the format defines, in rows and in parts; wrong checksums are
 * refused. */

enum { WIDTH = 13, HEIGHT = 11, COLORS = 5 };

struct kind {
    int color, depth;
    bool interlaced, transparent;
};

static const char *name_of(const struct kind *kind)
{
    static char name[64];
    snprintf(name, sizeof name, "color type %d, %d bits%s%s", kind->color, kind->depth,
             kind->interlaced ? ", interlaced" : "", kind->transparent ? ", tRNS" : "");
    return name;
}

static int stored_channels(int color)
{
    return color == PNG_COLOR_TYPE_PALETTE
               ? 1
               : (color & PNG_COLOR_MASK_COLOR ? 3 : 1) + (color & PNG_COLOR_MASK_ALPHA ? 1 : 0);
}

/* Sample c of a pixel as stored in the file. Pixel 5,3 has the transparent colour. */
static unsigned stored(const struct kind *kind, int x, int y, int c)
{
    unsigned most = (1u << kind->depth) - 1;
    if (kind->color == PNG_COLOR_TYPE_PALETTE)
        return (unsigned)(x + y) % (most < COLORS ? most + 1 : COLORS);
    return ((unsigned)(x * 2654435761u) ^ (unsigned)(y * 40503u + c * 977) ^ (unsigned)x >> 1) &
           most;
}

static void palette_entry(unsigned index, unsigned rgba[4])
{
    rgba[0] = index * 50;
    rgba[1] = 255 - index * 30;
    rgba[2] = index * index * 9;
    rgba[3] = index < 2 ? index * 100 : 255;
}

static bool is_transparent_color(const struct kind *kind, int x, int y)
{
    for (int c = 0; c < stored_channels(kind->color); c++)
        if (stored(kind, x, y, c) != stored(kind, 5, 3, c))
            return false;
    return true;
}

/* Sample c as the reader must return it. */
static unsigned expected(const struct kind *kind, int x, int y, int c)
{
    unsigned rgba[4], most = (1u << kind->depth) - 1;
    if (kind->color == PNG_COLOR_TYPE_PALETTE) {
        palette_entry(stored(kind, x, y, 0), rgba);
        return rgba[c];
    }
    if (c == stored_channels(kind->color))
        return is_transparent_color(kind, x, y) ? 0 : kind->depth == 16 ? 65535 : 255;
    unsigned value = stored(kind, x, y, c);
    return kind->depth < 8 ? value * 255 / most : value;
}

/* ---- Writing with libpng -------------------------------------------------------------------- */

static void pack_row(const struct kind *kind, int y, uint8_t *row)
{
    int channels = stored_channels(kind->color);
    memset(row, 0, WIDTH * 8);
    for (int i = 0; i < WIDTH * channels; i++) {
        unsigned value = stored(kind, i / channels, y, i % channels);
        if (kind->depth == 16) {
            row[2 * i] = (uint8_t)(value >> 8);
            row[2 * i + 1] = (uint8_t)value;
        } else {
            int bit = i * kind->depth;
            row[bit / 8] |= (uint8_t)(value << (8 - kind->depth - bit % 8));
        }
    }
}

static void set_palette(const struct kind *kind, png_structp png, png_infop info)
{
    png_color colors[COLORS];
    png_byte alpha[COLORS];
    int count = 1 << kind->depth < COLORS ? 1 << kind->depth : COLORS;
    for (int i = 0; i < count; i++) {
        unsigned rgba[4];
        palette_entry((unsigned)i, rgba);
        colors[i] = (png_color){(png_byte)rgba[0], (png_byte)rgba[1], (png_byte)rgba[2]};
        alpha[i] = (png_byte)rgba[3];
    }
    png_set_PLTE(png, info, colors, count);
    if (kind->transparent)
        png_set_tRNS(png, info, alpha, 2, NULL);
}

static void set_transparent(const struct kind *kind, png_structp png, png_infop info)
{
    png_color_16 color = {0};
    color.gray = color.red = (png_uint_16)stored(kind, 5, 3, 0);
    color.green = (png_uint_16)stored(kind, 5, 3, 1);
    color.blue = (png_uint_16)stored(kind, 5, 3, 2);
    png_set_tRNS(png, info, NULL, 0, &color);
}

static void write_png(const struct kind *kind, const char *path)
{
    static uint8_t row[WIDTH * 8];
    FILE *file = fopen(path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    if (!file || !info)
        exit(EXIT_FAILURE);
    png_init_io(png, file);
    png_set_IHDR(png, info, WIDTH, HEIGHT, kind->depth, kind->color,
                 kind->interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, 0, 0);
    if (kind->color == PNG_COLOR_TYPE_PALETTE)
        set_palette(kind, png, info);
    else if (kind->transparent)
        set_transparent(kind, png, info);
    png_write_info(png, info);
    int passes = png_set_interlace_handling(png);
    for (int pass = 0; pass < passes; pass++)
        for (int y = 0; y < HEIGHT; y++) {
            pack_row(kind, y, row);
            png_write_row(png, row);
        }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    fclose(file);
}

/* ---- Checking ------------------------------------------------------------------------------- */

static unsigned sample(const swathe_image *image, int x, int y, int c)
{
    const void *at = view_at(image, x, y, c);
    return image->type == SWATHE_U8 ? *(const uint8_t *)at : *(const uint16_t *)at;
}

static void check_image(const struct kind *kind, const swathe_image *image)
{
    int channels = kind->color == PNG_COLOR_TYPE_PALETTE ? 3 : stored_channels(kind->color);
    channels += kind->transparent;
    if (!io_check(image->channels == channels &&
                      image->type == (kind->depth == 16 ? SWATHE_U16 : SWATHE_U8) &&
                      image->width == WIDTH && image->height == HEIGHT,
                  "%s: %d channels of type %d", name_of(kind), image->channels, (int)image->type))
        return;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < channels; c++)
                if (sample(image, x, y, c) != expected(kind, x, y, c)) {
                    io_check(false, "%s: at %d,%d channel %d: %u instead of %u", name_of(kind), x,
                             y, c, sample(image, x, y, c), expected(kind, x, y, c));
                    return;
                }
    io_check(true, "same");
}

/* The offset of a chunk's data; 0 if there is none. */
static size_t find_chunk(const uint8_t *bytes, size_t size, const char *name, size_t *length)
{
    for (size_t at = 8; at + 12 <= size; at += 12 + *length) {
        *length =
            (size_t)bytes[at] << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3];
        if (memcmp(bytes + at + 4, name, 4) == 0)
            return at + 8;
    }
    return 0;
}

/* One bit of each chunk's data or checksum is wrong. */
static void check_checksums(const struct kind *kind, const char *path)
{
    static const char *const names[] = {"IHDR", "PLTE", "tRNS", "IDAT", "IEND"};
    size_t size, length = 0;
    uint8_t *bytes = io_load(path, &size);
    for (int i = 0; i < 5; i++) {
        size_t data = find_chunk(bytes, size, names[i], &length);
        if (!data)
            continue;
        struct io_image image;
        bytes[data + length + 3] ^= 1;
        io_save(io_path("broken"), bytes, size);
        bytes[data + length + 3] ^= 1;
        swathe_status status = io_read(io_path("broken"), NULL, IO_DENSE, 3, &image);
        io_check(status == SWATHE_ERROR_INPUT && strstr(fail_text(), "CRC"),
                 "%s: wrong checksum of %s: status %d, %s", name_of(kind), names[i], (int)status,
                 fail_text());
    }
    free(bytes);
}

static void check_kind(const struct kind *kind)
{
    static const int64_t strips[] = {1, 4, 0};
    const char *path = io_path("kind.png");
    write_png(kind, path);
    for (int i = 0; i < IO_STRIDES_COUNT; i++) {
        struct io_image image;
        swathe_status status = io_read(path, NULL, (enum io_strides)i, strips[i % 3], &image);
        if (!io_check(status == SWATHE_OK, "%s: %s", name_of(kind), fail_text()))
            continue;
        check_image(kind, &image.view);
        io_image_free(&image);
    }
    check_checksums(kind, path);
}

static void kinds_read(void)
{
    static const struct {
        int color, depths[6];
    } types[] = {
        {PNG_COLOR_TYPE_GRAY, {1, 2, 4, 8, 16}}, {PNG_COLOR_TYPE_PALETTE, {1, 2, 4, 8}},
        {PNG_COLOR_TYPE_RGB, {8, 16}},           {PNG_COLOR_TYPE_GRAY_ALPHA, {8, 16}},
        {PNG_COLOR_TYPE_RGB_ALPHA, {8, 16}},
    };
    int kinds = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int depth = 0; types[i].depths[depth]; depth++)
            for (int flags = 0; flags < 4; flags++) {
                struct kind kind = {types[i].color, types[i].depths[depth], flags & 1, flags & 2};
                if (kind.transparent && (kind.color & PNG_COLOR_MASK_ALPHA))
                    continue;
                check_kind(&kind);
                kinds++;
            }
    printf("%d kinds of PNG\n", kinds);
}

/* ---- Damage --------------------------------------------------------------------------------- */

/* PNG image data split into chunks in many ways, and damage that chunk checksums do not reveal:
 * ISA-L and zlib accept and refuse the same. */

enum { SIDE = 200, ROW = SIDE + 1, RAW = SIDE * ROW, MORE = 100000 };

/* A file under construction. */
struct png_file {
    uint8_t *bytes;
    size_t size;
};

static uint8_t raw[RAW + MORE], data[2 * (RAW + MORE)];

static uint8_t pixel(int x, int y)
{
    return (uint8_t)(x * y ^ (x >> 2) * 5);
}

static void put(struct png_file *file, const void *bytes, size_t size)
{
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
}

static void put32(struct png_file *file, uint32_t value)
{
    uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
                        (uint8_t)value};
    put(file, bytes, sizeof bytes);
}

static void put_chunk(struct png_file *file, const char *name, const void *bytes, size_t size)
{
    put32(file, (uint32_t)size);
    put(file, name, 4);
    if (size)
        put(file, bytes, size);
    put32(file, (uint32_t)crc32(0, file->bytes + file->size - size - 4, (uInt)size + 4));
}

static struct png_file begin(void)
{
    static const uint8_t header[] = {0, 0, 0, SIDE, 0, 0, 0, SIDE, 8, 0, 0, 0, 0};
    struct png_file file = {malloc(64 * sizeof data), 0};
    put(&file, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(&file, "IHDR", header, sizeof header);
    return file;
}

/* Compresses `size` bytes of rows, and then as many zeros as `raw` has. */
static size_t pack(size_t size)
{
    uLongf packed = sizeof data;
    compress2(data, &packed, raw, (uLong)size, 6);
    return packed;
}

/* `refusal` NULL: the pixels must be decoded. */
static void check(struct png_file *file, const char *what, const char *refusal)
{
    struct io_image image;
    const char *path = io_path("damage.png");
    put_chunk(file, "IEND", NULL, 0);
    io_save(path, file->bytes, file->size);
    swathe_status status = io_read(path, NULL, IO_DENSE, 0, &image);
    bool good = refusal ? status == SWATHE_ERROR_INPUT && strstr(fail_text(), refusal)
                        : status == SWATHE_OK;
    io_check(good, "%s: %s", what, status == SWATHE_OK ? "was taken" : fail_text());
    for (int y = 0; y < SIDE && status == SWATHE_OK; y++)
        for (int x = 0; x < SIDE; x++)
            if (*(uint8_t *)view_at(&image.view, x, y, 0) != pixel(x, y))
                io_check(false, "%s: pixel %d, %d", what, x, y);
    if (status == SWATHE_OK)
        io_image_free(&image);
    free(file->bytes);
}

/* Chunks of `step` bytes with empty ones in between, and all following chunks. */
static void check_cut(size_t step, size_t skip)
{
    struct png_file file = begin();
    size_t size = pack(RAW);
    for (size_t at = 0; at < size; at += step) {
        put_chunk(&file, "IDAT", data + at, size - at < step ? size - at : step);
        if (at / step % 3 == skip)
            put_chunk(&file, "IDAT", NULL, 0);
    }
    check(&file, "image data in small chunks", NULL);
}

/* One chunk of the first `size` bytes of data. */
static void check_data(size_t size, const char *what, const char *refusal)
{
    struct png_file file = begin();
    put_chunk(&file, "IDAT", data, size);
    check(&file, what, refusal);
}

static void check_lengths(void)
{
    check_data(pack(RAW + MORE), "too many rows", NULL);
    check_data(pack(RAW - 5), "too few rows", "Not enough image data");
    check_data(0, "no data", "Not enough image data");
    check_data(pack(RAW) - 4, "data without a checksum", "Not enough image data");
    check_data(pack(RAW) / 2, "half the data", "Not enough image data");
    check_data(1, "one byte of data", "Not enough image data");
    check_data(pack(RAW) + 4, "bytes after the data", NULL);
}

static void check_damage(void)
{
    size_t size = pack(RAW);
    data[size - 1] ^= 1;
    check_data(size, "a wrong checksum of the rows", "IDAT: incorrect data check");
    size = pack(RAW);
    data[1] ^= 2;
    check_data(size, "a wrong header of the data", "IDAT: incorrect header check");
    size = pack(RAW);
    data[2] |= 6;
    check_data(size, "a block with an invalid type", "IDAT: invalid block type");
    for (size_t at = 3; at < size - 4; at += size / 50) {
        struct png_file file = begin();
        size = pack(RAW);
        data[at] ^= 0x55;
        put_chunk(&file, "IDAT", data, size);
        check(&file, "a wrong byte of data", "damaged PNG");
    }
}

static void check_order(void)
{
    struct png_file file = begin();
    size_t size = pack(RAW);
    put_chunk(&file, "IDAT", data, size / 2);
    put_chunk(&file, "tEXt", "a\0b", 3);
    put_chunk(&file, "IDAT", data + size / 2, size - size / 2);
    check(&file, "a chunk between the data", "Not enough image data");
    file = begin();
    put_chunk(&file, "IDAT", data, size);
    put_chunk(&file, "tEXt", "a\0b", 3);
    put_chunk(&file, "IDAT", data, 7);
    check(&file, "more data later", NULL);
    file = begin();
    put_chunk(&file, "IDAT", data, size);
    file.bytes[file.size - 1] ^= 1;
    check(&file, "a wrong checksum of a chunk", "IDAT: CRC error");
    file = begin();
    put_chunk(&file, "IDAT", data, size);
    put_chunk(&file, "IDAT", data, 9);
    file.bytes[file.size - 1] ^= 1;
    check(&file, "a wrong checksum after the data", "IDAT: CRC error");
}

static void damage_found(void)
{
    for (int i = 0; i < RAW; i++)
        raw[i] = i % ROW ? pixel(i % ROW - 1, i / ROW) : 0;
    check_cut(1, 0);
    check_cut(2, 1);
    check_cut(7, 2);
    check_cut(1000, 0);
    check_lengths();
    check_damage();
    check_order();
}

int main(void)
{
    kinds_read();
    damage_found();
    io_folder_remove();
    return io_finish("png_kinds");
}

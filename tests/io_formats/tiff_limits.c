/* Limits of memory for TIFF files. */
#include "base/sanitizers.h"
#include "io_check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <tiffio.h>
#include <time.h>

/* ---- Valid files ---------------------------------------------------------------------------- */

/* TIFF files with limits that are small compared with their blocks: valid files are read, and the
 * value that an error recommends suffices. */

enum { UNPACKED = 512, MEMORY = 1 << 20, NO_BLOCK = -1 };

struct kind {
    const char *name;
    uint16_t compression, photometric, samples, bits;
    bool separate;
    uint32_t width, height, block_width, block_height; /* block_width 0: strips */
    int left_out;                                      /* index of the missing block, or NO_BLOCK */
};

static void set_tags(TIFF *tiff, const struct kind *kind)
{
    static uint16_t map[3][256];
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, kind->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, kind->height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, kind->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, kind->samples);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG,
                 kind->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, kind->compression);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, kind->photometric);
    if (kind->photometric == PHOTOMETRIC_PALETTE)
        TIFFSetField(tiff, TIFFTAG_COLORMAP, map[0], map[1], map[2]);
    if (kind->photometric == PHOTOMETRIC_YCBCR)
        TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, 2, 2);
    if (kind->block_width)
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, kind->block_width);
    TIFFSetField(tiff, kind->block_width ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP,
                 kind->block_height);
}

static tmsize_t block_size(TIFF *tiff, const struct kind *kind, uint32_t block)
{
    uint32_t down = (kind->height + kind->block_height - 1) / kind->block_height;
    uint32_t left = kind->height - block % down * kind->block_height;
    return kind->block_width
               ? TIFFTileSize(tiff)
               : TIFFVStripSize(tiff, left < kind->block_height ? left : kind->block_height);
}

/* All samples are 0. */
static void make(const struct kind *kind)
{
    static uint8_t zeros[1 << 20];
    TIFF *tiff = TIFFOpen(io_path("limits.tif"), "wl");
    if (!tiff)
        exit(EXIT_FAILURE);
    set_tags(tiff, kind);
    uint32_t count = kind->block_width ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
    for (uint32_t i = 0; i < count; i++) {
        tmsize_t size = block_size(tiff, kind, i);
        if ((int)i == kind->left_out)
            continue;
        if ((kind->block_width ? TIFFWriteEncodedTile : TIFFWriteEncodedStrip)(tiff, i, zeros,
                                                                               size) != size)
            exit(EXIT_FAILURE);
    }
    TIFFClose(tiff);
}

/* Reads the file from row `from` to its end. */
static swathe_status read_with(int64_t max_unpacked, int64_t max_memory, int64_t from)
{
    struct image_reader reader = {.memory = &memory_default, .page = 1};
    reader.limits = (struct limits){
        .max_memory = max_memory, .max_metadata = MEMORY, .max_unpacked = max_unpacked};
    TRY(stream_open(&memory_default, io_path("limits.tif"), &reader.cancel, &reader.in));
    swathe_status status = codec_named("tiff")->open(&reader);
    if (status == SWATHE_OK) {
        swathe_shape shape = reader.shape;
        shape.height -= from;
        struct io_image image = io_image_make(&shape, IO_DENSE);
        image.view.y = from;
        status = reader.read(&reader, &image.view);
        io_image_free(&image);
    }
    reader.close(&reader);
    stream_close(reader.in);
    return status;
}

/* The last strip is shorter than the others, and YCbCr takes less space in the file than as RGB. */
static void check_valid(void)
{
    static const struct kind kinds[] = {
        {"planes of uncompressed samples", COMPRESSION_NONE, PHOTOMETRIC_RGB, 3, 16, true, 30, 21,
         0, 10, NO_BLOCK},
        {"plain samples", COMPRESSION_NONE, PHOTOMETRIC_RGB, 3, 16, false, 30, 21, 0, 10, NO_BLOCK},
        {"planes of deflate", COMPRESSION_ADOBE_DEFLATE, PHOTOMETRIC_RGB, 3, 8, true, 3000, 11, 0,
         10, NO_BLOCK},
        {"JPEG, row by row", COMPRESSION_JPEG, PHOTOMETRIC_MINISBLACK, 1, 8, false, 1024, 520, 0,
         512, NO_BLOCK},
        {"strips of YCbCr", COMPRESSION_NONE, PHOTOMETRIC_YCBCR, 3, 8, false, 64, 50, 0, 32,
         NO_BLOCK},
        {"tiles of YCbCr", COMPRESSION_NONE, PHOTOMETRIC_YCBCR, 3, 8, false, 64, 50, 64, 64,
         NO_BLOCK},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!TIFFIsCODECConfigured(kinds[i].compression))
            continue;
        make(&kinds[i]);
        io_check(read_with(UNPACKED, MEMORY, 0) == SWATHE_OK, "%s: %s", kinds[i].name, fail_text());
    }
}

/* The value that the error reports as needed. */
static int64_t advised(void)
{
    const struct failure *last = fail_last();
    return strcmp(last->subject, "max_memory") == 0 ? last->needed : 0;
}

/* zstd compresses so well that valid files reach the limit. */
static void check_advice(void)
{
    enum { EDGE = 256, NEEDS = EDGE * EDGE * 4 }; /* indices, and RGB */
    static const struct kind palette = {
        "palette", COMPRESSION_ZSTD, PHOTOMETRIC_PALETTE, 1, 8, false, EDGE, EDGE, EDGE,
        EDGE,      NO_BLOCK};
    if (!TIFFIsCODECConfigured(COMPRESSION_ZSTD))
        return;
    make(&palette);
    for (int64_t memory = NEEDS / 2; memory <= 4 * NEEDS; memory *= 2) {
        swathe_status status = read_with(UNPACKED, memory, 0);
        int64_t value = status == SWATHE_ERROR_LIMIT ? advised() : 0;
        io_check(value >= NEEDS && value >= memory, "limit %d: status %d, %s", (int)memory,
                 (int)status, fail_text());
        io_check(read_with(value, value, 0) == SWATHE_OK, "max_memory %d: %s", (int)value,
                 fail_text());
    }
}

/* What zstd would make of large tiles is refused; the limit that the error names is enough. */
static void check_writing(void)
{
    swathe_shape shape = io_shape(4, 4, 3, SWATHE_U8);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    options.compression = "zstd";
    options.tile = 8192;
    for (int64_t memory = 1 << 26; memory <= (int64_t)1 << 32; memory *= 8) {
        swathe_sink *sink = NULL;
        options.max_memory = 0;
        swathe_status status = file_create(&memory_default, memory, io_path("tiles.tif"), &shape,
                                           NULL, &options, &sink);
        options.max_memory = status == SWATHE_ERROR_LIMIT ? advised() : 0;
        io_check(options.max_memory >= memory, "tiles, limit %d MiB: status %d, %s",
                 (int)(memory >> 20), (int)status, fail_text());
        status = file_create(&memory_default, memory, io_path("tiles.tif"), &shape, NULL, &options,
                             &sink);
        io_check(status == SWATHE_OK, "tiles, max_memory %d MiB: %s",
                 (int)(options.max_memory >> 20), fail_text());
        file_discard(sink);
    }
}

/* Missing blocks take no memory; others do. */
static void check_left_out(void)
{
    enum { EDGE = 512 };
    static const struct kind tiles = {
        "tiles", COMPRESSION_NONE, PHOTOMETRIC_MINISBLACK, 1, 8, false, EDGE, 2 * EDGE, EDGE, EDGE,
        1};
    make(&tiles);
    io_check(read_with(EDGE, EDGE * 8, EDGE) == SWATHE_OK, "left out: %s", fail_text());
    io_check(read_with(EDGE * EDGE, EDGE * 8, EDGE) == SWATHE_OK, "left out: %s", fail_text());
    io_check(read_with(EDGE, EDGE * 8, 0) == SWATHE_ERROR_LIMIT && advised() == 256 << 10,
             "a tile next to it: %s", fail_text());
    io_check(read_with(EDGE, EDGE * EDGE, 0) == SWATHE_OK, "a tile next to it: %s", fail_text());
}

static void limits(void)
{
    TIFFSetWarningHandler(NULL);
    check_valid();
    check_advice();
    if (TIFFIsCODECConfigured(COMPRESSION_ZSTD))
        check_writing();
    check_left_out();
}

/* ---- Files that claim more than they contain ------------------------------------------------ */

/* Small TIFF files that claim far more than they contain: each is refused or read with little time
 * and memory, and the error names the limit. */

enum { MOST_BYTES = 4096, MOST_TAGS = 24 };

struct tag {
    uint16_t tag, type;
    uint32_t count, value;
};

/* A classic file: the header, `data` bytes of data, the tags. */
static size_t build(const struct tag *tags, int count, const void *data, size_t size,
                    uint8_t *bytes)
{
    uint32_t at = 8 + (uint32_t)(size + size % 2);
    memset(bytes, 0, MOST_BYTES);
    memcpy(bytes, "II*\0", 4);
    memcpy(bytes + 4, &at, 4);
    memcpy(bytes + 8, data, size);
    uint16_t entries = (uint16_t)count;
    memcpy(bytes + at, &entries, 2);
    memcpy(bytes + at + 2, tags, (size_t)count * sizeof *tags);
    return at + 2 + (size_t)count * sizeof *tags + 4;
}

enum { SHORT = 3, LONG = 4 };
enum { NONE = 1, FAX4 = 4, LZW = 5, JPEG = 7, DEFLATE = 8, PACKBITS = 32773, ZSTD = 50000 };

struct bomb {
    const char *name;
    uint32_t width, height, block_width, block_height; /* block_width 0: strips */
    uint32_t compression, samples, planar;
    uint32_t stored; /* as claimed by the tag; the file has 500 */
    swathe_status status;
    const char *text; /* expected in the error */
};

enum { DATA = 8, TILES_MOST = 16, OFFSETS = 800, SIZES = OFFSETS + 4 * TILES_MOST };

/* Offsets and sizes of tiles that share the first bytes of the data, which begins with `start`. */
static void put_tiles(const struct bomb *bomb, const void *start, size_t size, uint8_t *data,
                      struct tag tags[2])
{
    uint32_t across = (bomb->width + bomb->block_width - 1) / bomb->block_width;
    uint32_t count = across * ((bomb->height + bomb->block_height - 1) / bomb->block_height);
    uint32_t offset = bomb->stored ? DATA : 0;
    memcpy(data, start, size);
    tags[0] = (struct tag){324, LONG, count, count > 1 ? DATA + OFFSETS : offset};
    tags[1] = (struct tag){325, LONG, count, count > 1 ? DATA + SIZES : bomb->stored};
    for (uint32_t i = 0; count > 1 && i < count; i++) {
        memcpy(data + OFFSETS + 4 * i, &offset, 4);
        memcpy(data + SIZES + 4 * i, &bomb->stored, 4);
    }
}

static size_t build_bomb(const struct bomb *bomb, const void *start, size_t size, uint8_t *bytes)
{
    uint8_t data[SIZES + 4 * TILES_MOST] = {0};
    bool tiled = bomb->block_width > 0;
    struct tag tags[MOST_TAGS] = {{256, LONG, 1, bomb->width},
                                  {257, LONG, 1, bomb->height},
                                  {258, SHORT, 1, bomb->compression == FAX4 ? 1 : 8},
                                  {259, SHORT, 1, bomb->compression},
                                  {262, SHORT, 1, 1},
                                  {277, SHORT, 1, bomb->samples},
                                  {284, SHORT, 1, bomb->planar}};
    int count = 7;
    if (tiled) {
        tags[count++] = (struct tag){322, LONG, 1, bomb->block_width};
        tags[count++] = (struct tag){323, LONG, 1, bomb->block_height};
        put_tiles(bomb, start, size, data, tags + count);
        count += 2;
    } else {
        memcpy(data, start, size);
        tags[count++] = (struct tag){273, LONG, 1, bomb->stored ? DATA : 0};
        tags[count++] = (struct tag){278, LONG, 1, bomb->block_height};
        tags[count++] = (struct tag){279, LONG, 1, bomb->stored};
    }
    return build(tags, count, data, sizeof data, bytes);
}

/* With 256 MiB of memory, opens the file and reads its first row, or the first row of its first
 * tile. */
static swathe_status look(const swathe_read_options *options)
{
    swathe_source *source;
    TRY(file_open(&memory_default, 1 << 28, io_path("bomb.tif"), options, &source));
    swathe_shape shape = source->shape;
    shape.height = 1;
    shape.width = (source->flags & SWATHE_FORWARD) || shape.width < 1024 ? shape.width : 1024;
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_status status = source->read(source->user, &image.view);
    io_image_free(&image);
    file_close(source);
    return status;
}

static void check_bomb(const struct bomb *bomb)
{
    uint8_t bytes[MOST_BYTES];
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    io_save(io_path("bomb.tif"), bytes, build_bomb(bomb, "\x78\x9c", 2, bytes));
    swathe_status status = look(&options);
    io_check(status == bomb->status && (status == SWATHE_OK || io_said(bomb->text)),
             "%s: status %d, %s", bomb->name, (int)status, status == SWATHE_OK ? "" : fail_text());
}

static swathe_status save(const char *compression, int64_t tile, int64_t max_memory)
{
    swathe_shape shape = io_shape(16, 16, 1, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    options.overwrite = 1;
    options.compression = compression;
    options.tile = tile;
    options.max_memory = max_memory;
    io_fill_noise(&image.view, 1);
    swathe_status status = io_write(io_path("bomb.tif"), &image.view, NULL, &options, 16);
    io_image_free(&image);
    return status;
}

/* Tiles with almost no data: files written with default limits are read with them, and the limit
 * that an error recommends suffices for a valid file. */
static void check_own(void)
{
    enum { WITHIN = 7088, BEYOND = 7104 }; /* of 48 MiB */
    const int64_t more = (int64_t)1 << 28;
    static const char *const names[] = {"deflate", "lzw", "none"};
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        io_check(save(names[i], BEYOND, 0) == SWATHE_OK && look(&options) == SWATHE_OK, "%s: %s",
                 names[i], fail_text());
    swathe_status status = save("zstd", WITHIN, 0);
    if (status == SWATHE_ERROR_UNSUPPORTED)
        return;
    io_check(status == SWATHE_OK && look(&options) == SWATHE_OK, "zstd: %s", fail_text());
    io_check(save("zstd", BEYOND, 0) == SWATHE_ERROR_LIMIT && strstr(fail_text(), "smaller tiles"),
             "large tiles of zstd: %s", fail_text());
    io_check(save("zstd", BEYOND, more) == SWATHE_OK, "limit raised: %s", fail_text());
    io_check(look(&options) == SWATHE_ERROR_LIMIT && io_said("[max_memory 268435456]"),
             "large tiles of zstd are read: %s", fail_text());
    options.max_memory = more;
    io_check(look(&options) == SWATHE_OK, "limit raised: %s", fail_text());
}

/* ---- Memory for all blocks together ---------------------------------------------------------- */

static int64_t large_bytes; /* that were allocated in pieces of at least 1 MiB */

static void *allocate(void *user, size_t size, size_t align)
{
    large_bytes += size >= 1 << 20 ? (int64_t)size : 0;
    return memory_default.allocate(user, size, align);
}

/* Several white tiles of 16 MiB from 500 bytes: of what is decoded, only 48 MiB are kept. */
static void check_kept(void)
{
    enum { EDGE = 4096, STORED = EDGE / 8 + 3 };
    static const struct bomb white = {"white tiles", 3 * EDGE,  4 * EDGE, EDGE, EDGE, FAX4, 1, 1,
                                      STORED,        SWATHE_OK, ""};
    struct memory memory = memory_default;
    uint8_t bytes[MOST_BYTES], data[STORED];
    swathe_source *source = NULL;
    memset(data, 0xff, sizeof data); /* a bit for each row: as the one above */
    memcpy(data + EDGE / 8, "\0\x10\1", 3);
    io_save(io_path("bomb.tif"), bytes, build_bomb(&white, data, sizeof data, bytes));
    memory.allocate = allocate;
    swathe_status status = file_open(&memory, (int64_t)1 << 30, io_path("bomb.tif"), NULL, &source);
    for (int64_t y = 1; status == SWATHE_OK && y < 4 * EDGE; y += EDGE) {
        swathe_shape shape = io_shape(3 * EDGE, 1, 1, SWATHE_U8);
        struct io_image row = io_image_make(&shape, IO_DENSE);
        row.view.y = y;
        status = source->read(source->user, &row.view);
        io_image_free(&row);
    }
    file_close(source);
    io_check(status == SWATHE_OK && large_bytes < 60 << 20, "%s: status %d, %lld bytes", white.name,
             (int)status, (long long)large_bytes);
}

/* Directories of 4000 unknown tags, each as large as the file. */
static void check_many_tags(void)
{
    enum { TAGS = 4000 };
    static uint8_t bytes[8 + 2 + TAGS * 12 + 4];
    uint32_t size = sizeof bytes, first = 8;
    uint16_t count = TAGS;
    memcpy(bytes, "II*\0", 4);
    memcpy(bytes + 4, &first, 4);
    memcpy(bytes + 8, &count, 2);
    for (uint32_t i = 0; i < TAGS; i++) {
        struct tag tag = {(uint16_t)(1000 + i * 11), 7, size, 0};
        memcpy(bytes + 10 + i * 12, &tag, sizeof tag);
    }
    io_save(io_path("bomb.tif"), bytes, sizeof bytes);
    io_check(look(NULL) == SWATHE_ERROR_INPUT, "4000 tags: %s", fail_text());
}

static void check_cost(clock_t start)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    io_check(seconds < 2, "the files took %.1f s of CPU time", seconds);
    io_check(SANITIZED || usage.ru_maxrss < 64 << 10, "the files took %ld KiB", usage.ru_maxrss);
}

static void bombs_refused(void)
{
    static const struct bomb bombs[] = {
        {"one huge tile", 65536, 65536, 65536, 65536, DEFLATE, 1, 1, 500, SWATHE_ERROR_LIMIT,
         "[max_memory 4294967296]"},
        {"a huge tile of zstd", 16384, 16384, 16384, 16384, ZSTD, 1, 1, 500, SWATHE_ERROR_LIMIT,
         "[max_memory 268435456]"},
        {"of LZW", 16384, 16384, 16384, 16384, LZW, 1, 1, 500, SWATHE_ERROR_LIMIT, "[max_memory "},
        {"of PackBits", 16384, 16384, 16384, 16384, PACKBITS, 1, 1, 500, SWATHE_ERROR_LIMIT,
         "[max_memory "},
        {"of uncompressed samples", 16384, 16384, 16384, 16384, NONE, 1, 1, 500, SWATHE_ERROR_INPUT,
         "of which the file contains"},
        {"a wrong size", 16384, 16384, 16384, 16384, DEFLATE, 1, 1, 2000000000, SWATHE_ERROR_LIMIT,
         "[max_memory "},
        {"48 MiB of zstd", 8192, 6144, 8192, 6144, ZSTD, 1, 1, 500, SWATHE_ERROR_INPUT, "decoding"},
        {"a sparse tile", 65536, 65536, 65536, 65536, DEFLATE, 1, 1, 0, SWATHE_OK, ""},
        {"a sparse tile of uncompressed samples", 65536, 65536, 65536, 65536, NONE, 1, 1, 0,
         SWATHE_OK, ""},
        {"a sparse tile of planes", 65536, 65536, 65536, 65536, DEFLATE, 3, 2, 0, SWATHE_OK, ""},
        {"one row of 2^31", 1u << 31, 16, 0, 16, DEFLATE, 1, 1, 500, SWATHE_ERROR_LIMIT,
         "[max_memory 2147483648]"},
        {"JPEG of which each row needs all", 65000, 65000, 0, 65000, JPEG, 1, 1, 500,
         SWATHE_ERROR_LIMIT, "[max_memory "},
        {"a strip of planes", 30000, 30000, 0, 30000, DEFLATE, 3, 2, 500, SWATHE_ERROR_LIMIT,
         "[max_memory "},
        {"2^32 - 1 strips", 100, UINT32_MAX, 0, 1, DEFLATE, 1, 1, 500, SWATHE_ERROR_INPUT, ""},
        {"a tile of bits", 8192, 8192, 8192, 8192, FAX4, 1, 1, 500, SWATHE_ERROR_LIMIT,
         "needs 64.0 MiB for a tile"},
        {"a row of tiles", 6912 * 3, 6912, 6912, 6912, FAX4, 1, 1, 500, SWATHE_ERROR_LIMIT,
         "[max_memory 268435456]"},
        {"high tiles, side by side", 100, 1 << 20, 16, 1 << 20, DEFLATE, 1, 1, 500,
         SWATHE_ERROR_LIMIT, "a row of tiles"},
        {"4000 samples", 60000, 10, 60000, 16, DEFLATE, 4000, 1, 500, SWATHE_ERROR_LIMIT,
         "[max_memory "},
    };
    clock_t start = clock();
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++)
        check_bomb(&bombs[i]);
    check_many_tags();
    check_cost(start);
    check_kept();
    check_own();
}

int main(void)
{
    limits();
    bombs_refused();
    io_folder_remove();
    return io_finish("tiff_limits");
}

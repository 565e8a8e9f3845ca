/* Small TIFF files that claim far more than they contain: each is refused or read with little time
 * and memory, and the error names the limit. */
#include "io_check.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>

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
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    io_check(usage.ru_maxrss < 64 << 10, "the files took %ld KiB", usage.ru_maxrss);
#endif
}

int main(void)
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
    io_folder_remove();
    return io_finish("tiff_bombs");
}

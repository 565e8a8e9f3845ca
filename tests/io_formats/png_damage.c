/* PNG image data split into chunks in many ways, and damage that chunk checksums do not reveal:
 * ISA-L and zlib accept and refuse the same. */
#include "io_check.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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

int main(void)
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
    io_folder_remove();
    return io_finish("png_damage");
}

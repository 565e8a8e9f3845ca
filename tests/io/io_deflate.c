/* Our deflate, decoded by zlib: data of every kind and size is restored, within guard pages and the
 * stated space, and incompressible blocks do not grow. */
#include "io/png/deflate.h"
#include "io_check.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { KINDS = 9, PARTS = 3 };

static const char *const kinds[KINDS] = {
    "zeros", "noise", "skewed noise", "one symbol each",
    "runs",  "steep", "runs of 258",  "a single different byte",
    "255"};

/* Symbols whose frequencies are Fibonacci numbers, which give the deepest code. */
static uint8_t steep(size_t i)
{
    size_t below = 1, next = 1, symbol = 0;
    for (size_t left = i % 100000; left >= below; symbol++) {
        size_t sum = below + next;
        left -= below;
        below = next;
        next = sum;
    }
    return (uint8_t)(symbol * 7);
}

static uint8_t byte_of(int kind, size_t i, uint64_t *state)
{
    uint32_t random = io_random(state);
    switch (kind) {
    case 1:
        return (uint8_t)random;
    case 2:
        return (uint8_t)(random & random >> 8 & random >> 16);
    case 3:
        return (uint8_t)i;
    case 4:
        return (uint8_t)((i + i * i / 4000) / 23);
    case 5:
        return steep(i);
    case 6:
        return (uint8_t)(i / 259);
    case 7:
        return i == 1000;
    case 8:
        return 255;
    default:
        return 0;
    }
}

/* `size` bytes that end at an unreadable page. */
static struct io_image bytes_at_page(size_t size)
{
    swathe_shape shape = io_shape((int64_t)size, 1, 1, SWATHE_U8);
    return io_image_make(&shape, IO_DENSE);
}

/* The stream consists of three parts, the last of which ends it. */
static bool comes_back(const uint8_t *bytes, size_t size, size_t *total)
{
    uint8_t *back = malloc(size + 1);
    size_t got = 0;
    bool good = true;
    z_stream inflater = {0};
    *total = 0;
    inflateInit2(&inflater, -15);
    for (int part = 0; part < PARTS; part++) {
        size_t from = size * (size_t)part / PARTS, to = size * (size_t)(part + 1) / PARTS;
        bool last = part == PARTS - 1;
        struct io_image room = bytes_at_page(deflate_runs_bound(to - from));
        uint8_t *packed = room.view.data;
        size_t made = deflate_runs(bytes + from, to - from, last, packed);
        inflater.next_in = packed;
        inflater.avail_in = (uInt)made;
        inflater.next_out = back + got;
        inflater.avail_out = (uInt)(size + 1 - got);
        int status = inflate(&inflater, Z_SYNC_FLUSH);
        got = size + 1 - inflater.avail_out;
        good = good && status == (last ? Z_STREAM_END : Z_OK) && inflater.avail_in == 0;
        *total += made;
        io_image_free(&room);
    }
    good = good && got == size && memcmp(back, bytes, size) == 0;
    inflateEnd(&inflater);
    free(back);
    return good;
}

static void check(int kind, size_t size)
{
    struct io_image source = bytes_at_page(size);
    uint8_t *bytes = source.view.data;
    uint64_t state = size + (size_t)kind;
    size_t total;
    for (size_t i = 0; i < size; i++)
        bytes[i] = byte_of(kind, i, &state);
    io_check(comes_back(bytes, size, &total), "%s, %zu bytes are not restored", kinds[kind], size);
    io_check(total <= size + PARTS * 12 + size / 8000, "%s, %zu bytes became %zu", kinds[kind],
             size, total);
    io_check(adler_of(bytes, size) == adler32_z(1, bytes, size), "%s, %zu bytes: checksum",
             kinds[kind], size);
    if (kind == 0 && size > 100000)
        io_check(total < size / 200, "%zu zeros became %zu bytes", size, total);
    io_image_free(&source);
}

int main(void)
{
    static const size_t sizes[] = {3,    4,     9,      24,     31,     3 * 258, 3 * 259,
                                   5000, 49151, 147456, 147457, 147460, 300000,  1000003};
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            check(kind, sizes[i]);
    return io_finish("io_deflate");
}

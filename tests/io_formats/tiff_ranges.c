/* A BigTIFF of 4 GiB behind read_at, generated as it is read: a small region costs a few calls, and
 * little more than the bytes of the tiles that it touches. */
#include "../core/shorthand.h"
#include "io_check.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 65536, TILE = 256, ACROSS = SIDE / TILE, TILES = ACROSS * ACROSS, HEADER = 16 };
enum { REGION = 512, REACH = 4, CALLS_MOST = 12 };
enum { TAGS = 10, DIRECTORY = 8 + TAGS * 20 + 8 };

static const int64_t tile_bytes = TILE * TILE, offsets_at = HEADER + (int64_t)TILES * TILE * TILE,
                     counts_at = HEADER + (int64_t)TILES * TILE * TILE + 8 * (int64_t)TILES,
                     directory_at = HEADER + (int64_t)TILES * TILE * TILE + 12 * (int64_t)TILES;

/* ---- The file ------------------------------------------------------------------------------- */

static uint8_t header[HEADER], directory[DIRECTORY];

static void put(uint8_t *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static void make_directory(void)
{
    static const struct {
        uint16_t tag, type;
        uint64_t count;
        int64_t value;
    } tags[TAGS] = {{256, 4, 1, SIDE},   {257, 4, 1, SIDE}, {258, 3, 1, 8},    {259, 3, 1, 1},
                    {262, 3, 1, 1},      {277, 3, 1, 1},    {322, 3, 1, TILE}, {323, 3, 1, TILE},
                    {324, 16, TILES, 0}, {325, 4, TILES, 0}};
    put(header, 0x002b4949, 4); /* "II", 43 */
    put(header + 4, 8, 2);
    put(header + 8, (uint64_t)directory_at, 8);
    put(directory, TAGS, 8);
    for (int i = 0; i < TAGS; i++) {
        uint8_t *entry = directory + 8 + i * 20;
        int64_t value = tags[i].tag == 324   ? offsets_at
                        : tags[i].tag == 325 ? counts_at
                                             : tags[i].value;
        put(entry, tags[i].tag, 2);
        put(entry + 2, tags[i].type, 2);
        put(entry + 4, tags[i].count, 8);
        put(entry + 12, (uint64_t)value, 8);
    }
}

static uint8_t sample(int64_t x, int64_t y)
{
    uint32_t mix = (uint32_t)x * 2654435761u ^ (uint32_t)y * 2246822519u;
    return (uint8_t)(mix >> 23);
}

static uint8_t byte_at(int64_t at)
{
    if (at < HEADER)
        return header[at];
    if (at >= directory_at)
        return directory[at - directory_at];
    if (at >= counts_at)
        return (uint8_t)(tile_bytes >> 8 * ((at - counts_at) % 4));
    if (at >= offsets_at)
        return (uint8_t)((HEADER + (at - offsets_at) / 8 * tile_bytes) >>
                         8 * ((at - offsets_at) % 8));
    int64_t tile = (at - HEADER) / tile_bytes, within = (at - HEADER) % tile_bytes;
    return sample(tile % ACROSS * TILE + within % TILE, tile / ACROSS * TILE + within / TILE);
}

static atomic_llong calls, bytes_read;
static atomic_int busy, crowded;

static swathe_status read_at(void *user, int64_t offset, void *buffer, size_t count, size_t *got)
{
    (void)user;
    if (atomic_fetch_add(&busy, 1) > 0)
        atomic_store(&crowded, 1);
    atomic_fetch_add(&calls, 1);
    atomic_fetch_add(&bytes_read, (long long)count);
    for (size_t i = 0; i < count; i++)
        ((uint8_t *)buffer)[i] = byte_at(offset + (int64_t)i);
    *got = count;
    atomic_fetch_sub(&busy, 1);
    return SWATHE_OK;
}

/* ---- The region ----------------------------------------------------------------------------- */

/* In the middle of tiles, and at positions where it touches one more tile in each direction. */
static const int64_t places[][2] = {{30000, 41000}, {30206, 41214}};
static int64_t region_x, region_y;

static uint8_t result[REGION * REGION], wanted[REGION * REGION];

static swathe_status write_part(void *user, const swathe_image *from)
{
    (void)user;
    for (int64_t y = 0; y < from->height; y++)
        memcpy(result + (from->y + y) * REGION + from->x, (char *)from->data + y * from->row_stride,
               (size_t)from->width);
    return SWATHE_OK;
}

static swathe_status run(swathe_context *context, swathe_source *source, const swathe_chain *chain)
{
    swathe_plan *plan = NULL;
    swathe_run_options options = SWATHE_INIT(swathe_run_options);
    swathe_shape shape = io_shape(REGION, REGION, 1, SWATHE_U8);
    options.region = (swathe_rect){region_x, region_y, REGION, REGION};
    TRY(swathe_plan_create(context, chain, &source->shape, NULL, &plan));
    swathe_sink *sink = wrapped_sink(context, &shape, SWATHE_CONCURRENT, write_part, NULL);
    swathe_status status = swathe_run_stream(context, plan, source, sink, &options);
    swathe_sink_destroy(sink);
    swathe_plan_destroy(plan);
    return status;
}

/* The same pixels, filtered in memory. */
static swathe_status make_wanted(swathe_context *context)
{
    enum { EDGE = REGION + 2 * REACH };
    static uint8_t pixels[EDGE * EDGE];
    swathe_shape from_shape = io_shape(EDGE, EDGE, 1, SWATHE_U8);
    swathe_shape to_shape = io_shape(REGION, REGION, 1, SWATHE_U8);
    swathe_image from = SWATHE_INIT(swathe_image), to = SWATHE_INIT(swathe_image);
    for (int64_t i = 0; i < EDGE * EDGE; i++)
        pixels[i] = sample(region_x - REACH + i % EDGE, region_y - REACH + i / EDGE);
    TRY(swathe_image_init(&from_shape, SWATHE_INTERLEAVED, pixels, &from));
    TRY(swathe_image_init(&to_shape, SWATHE_INTERLEAVED, wanted, &to));
    return swathe_filter(context, "gaussian:9:border=valid", &from, &to);
}

static int64_t tiles_along(int64_t start)
{
    return (start + REGION + REACH - 1) / TILE - (start - REACH) / TILE + 1;
}

static void check(swathe_context *context, const int64_t place[2], uint32_t flags)
{
    region_x = place[0];
    region_y = place[1];
    swathe_source *source = NULL;
    swathe_chain *chain = NULL;
    swathe_reader reader = SWATHE_INIT(swathe_reader);
    reader.size = directory_at + DIRECTORY;
    reader.flags = flags;
    reader.name = "large.tif";
    reader.read_at = read_at;
    atomic_store(&calls, 0);
    atomic_store(&bytes_read, 0);
    swathe_status status = make_wanted(context);
    if (status == SWATHE_OK)
        status = swathe_chain_parse(context, "gaussian:9", &chain);
    if (status == SWATHE_OK)
        status = swathe_source_open(context, &reader, NULL, &source);
    if (status == SWATHE_OK)
        status = run(context, source, chain);
    int64_t touched = tiles_along(region_x) * tiles_along(region_y) * tile_bytes;
    int64_t asked = atomic_load(&calls), read = atomic_load(&bytes_read);
    printf("%d tiles of %d bytes: %d calls, %d bytes, %.2f times those of the tiles\n",
           (int)(touched / tile_bytes), (int)tile_bytes, (int)asked, (int)read,
           (double)read / (double)touched);
    io_check(status == SWATHE_OK, "%s", swathe_error_text());
    io_check(memcmp(result, wanted, sizeof result) == 0, "other pixels than in memory");
    io_check(asked <= CALLS_MOST, "%d calls", (int)asked);
    io_check(read <= 4 * touched, "%d bytes for tiles of %d", (int)read, (int)touched);
    io_check((flags & SWATHE_CONCURRENT) || !atomic_load(&crowded), "two calls at once");
    swathe_source_destroy(source);
    swathe_chain_destroy(chain);
}

int main(void)
{
    swathe_context *context = NULL;
    swathe_context_options options = SWATHE_INIT(swathe_context_options);
    options.threads = 4;
    make_directory();
    io_check(swathe_context_create(&options, &context) == SWATHE_OK, "%s", swathe_error_text());
    for (int i = 0; i < 2; i++) {
        check(context, places[i], 0);
        check(context, places[i], SWATHE_CONCURRENT);
    }
    swathe_context_destroy(context);
    return io_finish("tiff_ranges");
}

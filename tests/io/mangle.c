/* mangle COUNT SEED: damages small files of every format (truncated, bytes changed, checksums
 * corrected) and reads them: an error or an image, never a crash. Intended to run under sanitizers.
 *  */
#include "io_check.h"

#include "io_samples.h"
#include "io_ways.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS_MOST = 256, READ_MOST = 1 << 22 };

struct seed {
    char name[64];
    uint8_t *bytes;
    size_t size;
};

static struct seed seeds[SEEDS_MOST];
static int seed_count;
static int opened, complete, refused;

static void add_seed(const char *name, const void *bytes, size_t size)
{
    if (seed_count == SEEDS_MOST)
        exit(EXIT_FAILURE);
    struct seed *seed = &seeds[seed_count++];
    snprintf(seed->name, sizeof seed->name, "%s", name);
    seed->bytes = malloc(size);
    seed->size = size;
    if (!seed->bytes)
        exit(EXIT_FAILURE);
    memcpy(seed->bytes, bytes, size);
}

static void add_written(const struct codec *codec, const swathe_shape *shape,
                        const swathe_write_options *options, const char *variant)
{
    char name[64];
    struct io_image image = io_image_make(shape, IO_DENSE);
    io_fill_smooth(&image.view, 5);
    swathe_metadata metadata = io_sample_metadata(shape->channels);
    snprintf(name, sizeof name, "%s %s x%d %s", codec->name, sample_entry(shape->type)->name,
             shape->channels, variant);
    swathe_status status = io_write(io_path("seed"), &image.view, &metadata, options, 0);
    if (io_check(status == SWATHE_OK, "%s: %s", name, fail_text())) {
        size_t size;
        uint8_t *bytes = io_load(io_path("seed"), &size);
        add_seed(name, bytes, size);
        free(bytes);
    }
    io_image_free(&image);
}

/* TIFF has several layouts. */
static void add_variants(const struct codec *codec, const swathe_shape *shape)
{
    static const char *const compressions[] = {"none", "lzw", "deflate", "zstd"};
    swathe_write_options options = io_faithful(codec);
    add_written(codec, shape, &options, "");
    if (strcmp(codec->name, "tiff") != 0)
        return;
    options.tile = 16;
    options.compression = compressions[shape->channels % 4];
    add_written(codec, shape, &options, options.compression);
}

static void make_seeds(void)
{
    for (int i = 0; codec_at(i); i++)
        for (int type = 0; codec_at(i)->built && sample_entry_at(type); type++)
            for (int32_t channels = 1; channels <= 4; channels++) {
                swathe_shape shape = io_shape(19, 17, channels, sample_entry_at(type)->type);
                if (codec_holds(codec_at(i), &shape))
                    add_variants(codec_at(i), &shape);
            }
    for (int i = 0; io_samples[i].name; i++)
        add_seed(io_samples[i].name, io_samples[i].bytes, io_samples[i].size);
}

/* ---- Damage --------------------------------------------------------------------------------- */

static uint32_t checksum(const uint8_t *bytes, size_t size)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

/* Corrects a PNG's checksums, so that the damage reaches the decoder. */
static void mend(uint8_t *bytes, size_t size)
{
    size_t at = 8;
    while (size >= at + 12) {
        size_t length =
            (size_t)bytes[at] << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3];
        if (length > size - at - 12)
            return;
        uint32_t crc = checksum(bytes + at + 4, length + 4);
        for (int i = 0; i < 4; i++)
            bytes[at + 8 + length + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
        at += 12 + length;
    }
}

/* Fills `bytes` with a damaged copy; returns its size. */
static size_t damage(const struct seed *seed, uint8_t *bytes, uint64_t *random)
{
    static const uint8_t favourites[] = {0, 1, 0x7f, 0x80, 0xff};
    size_t size = seed->size;
    memcpy(bytes, seed->bytes, size);
    uint32_t kind = io_random(random) % 4;
    if (kind == 0)
        return io_random(random) % size;
    for (uint32_t flips = 1 + io_random(random) % 4; flips > 0; flips--) {
        /* Half of the changes are near the start, where the headers are. */
        size_t most = io_random(random) % 2 && size > 64 ? 64 : size;
        uint8_t *at = &bytes[io_random(random) % most];
        if (io_random(random) % 2)
            *at ^= (uint8_t)(1u << io_random(random) % 8);
        else
            *at = favourites[io_random(random) % sizeof favourites];
    }
    if (kind == 1 && strstr(seed->name, "png"))
        mend(bytes, size);
    return kind == 3 ? size - io_random(random) % (size / 4 + 1) : size;
}

/* ---- Reading -------------------------------------------------------------------------------- */

static swathe_status read_some(const swathe_source *source)
{
    swathe_shape shape = source->shape;
    int64_t row;
    shape.height = 1;
    if (shape_bytes(&shape, &row) != SWATHE_OK || row > READ_MOST)
        return SWATHE_OK; /* larger than this test allocates */
    shape.height = READ_MOST / row < source->shape.height ? READ_MOST / row : source->shape.height;
    struct io_image image = io_image_make(&shape, IO_PADDED);
    image.view.full_height = source->shape.height;
    swathe_status status = source->read(source->user, &image.view);
    complete += status == SWATHE_OK;
    io_image_free(&image);
    return status;
}

static swathe_status read_back(const char *path, enum io_way way, int orient)
{
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    options.max_pixels = 1 << 20;
    options.max_memory = 1 << 24;
    options.orient = orient;
    swathe_source *source;
    TRY(io_open(way, path, &options, &source));
    opened++;
    swathe_status status = read_some(source);
    file_close(source);
    return status;
}

static bool clean(swathe_status status)
{
    return status == SWATHE_OK || status == SWATHE_ERROR_INPUT || status == SWATHE_ERROR_LIMIT ||
           status == SWATHE_ERROR_UNSUPPORTED;
}

static void mangle(int64_t index, uint64_t *random)
{
    const struct seed *seed = &seeds[index % seed_count];
    uint8_t *bytes = malloc(seed->size);
    if (!bytes)
        exit(EXIT_FAILURE);
    size_t size = damage(seed, bytes, random);
    io_save(io_path("mangled"), bytes, size);
    swathe_status status =
        read_back(io_path("mangled"), (enum io_way)(io_random(random) % IO_WAYS), (int)(index % 2));
    refused += status != SWATHE_OK;
    io_check(clean(status) && (status == SWATHE_OK || *fail_text()),
             "mangled %s, case %" PRId64 ": status %d: %s", seed->name, index, (int)status,
             fail_text());
    free(bytes);
}

int main(int argc, char **argv)
{
    int64_t count = argc > 1 ? atoll(argv[1]) : 1000;
    uint64_t random = argc > 2 ? (uint64_t)atoll(argv[2]) : 1;
    make_seeds();
    for (int64_t i = 0; i < count; i++)
        mangle(i, &random);
    printf("%" PRId64 " damaged files of %d kinds: %d opened, %d read, %d refused\n", count,
           seed_count, opened, complete, refused);
    for (int i = 0; i < seed_count; i++)
        free(seeds[i].bytes);
    io_folder_remove();
    return io_finish("mangle");
}

/* ICC, EXIF, XMP and resolution are read back unchanged, or not at all; PNG keeps all of them. */
#include "io_check.h"
#include "io_samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
    const char *name;
    const void *want, *got;
    size_t want_size, got_size;
};

/* The block is kept with the same bytes. */
static bool check_block(const char *format, const struct block *block, bool must)
{
    if (block->got_size == 0)
        return io_check(!must, "%s lost its %s", format, block->name) && false;
    bool same = block->got_size == block->want_size &&
                memcmp(block->got, block->want, block->want_size) == 0;
    io_check(same, "%s changed its %s: %zu bytes instead of %zu", format, block->name,
             block->got_size, block->want_size);
    return same;
}

static bool check_resolution(const char *format, const swathe_metadata *want,
                             const swathe_metadata *got, bool must)
{
    if (got->x_resolution == 0 && got->y_resolution == 0)
        return io_check(!must, "%s lost its resolution", format) && false;
    bool close = fabs(got->x_resolution / want->x_resolution - 1) < 0.002 &&
                 fabs(got->y_resolution / want->y_resolution - 1) < 0.002;
    io_check(close, "%s changed its resolution: %g x %g instead of %g x %g", format,
             got->x_resolution, got->y_resolution, want->x_resolution, want->y_resolution);
    return close;
}

static void check_metadata(const char *format, const swathe_metadata *want,
                           const swathe_metadata *got, bool must)
{
    struct block blocks[] = {
        {"ICC profile", want->icc, got->icc, want->icc_size, got->icc_size},
        {"EXIF block", want->exif, got->exif, want->exif_size, got->exif_size},
        {"XMP packet", want->xmp, got->xmp, want->xmp_size, got->xmp_size},
    };
    printf("%s keeps:", format);
    for (int i = 0; i < 3; i++)
        if (check_block(format, &blocks[i], must))
            printf(" %s,", blocks[i].name);
    printf(" %s\n", check_resolution(format, want, got, must) ? "resolution" : "");
}

static swathe_source *open_file(const char *path)
{
    swathe_source *source = NULL;
    io_check(file_open(&memory_default, 1 << 28, path, NULL, &source) == SWATHE_OK, "not read: %s",
             fail_text());
    return source;
}

static void check_codec(const struct codec *codec, const swathe_shape *shape)
{
    struct io_image image = io_image_make(shape, IO_DENSE);
    io_fill_smooth(&image.view, 3);
    swathe_metadata metadata = io_sample_metadata(shape->channels);
    swathe_write_options options = io_faithful(codec);
    swathe_status status = io_write(io_path("image"), &image.view, &metadata, &options, 4);
    swathe_source *source = NULL;
    if (io_check(status == SWATHE_OK, "%s: not written: %s", codec->name, fail_text()))
        source = open_file(io_path("image"));
    if (source)
        check_metadata(codec->name, &metadata, source->metadata, strcmp(codec->name, "png") == 0);
    file_close(source);
    io_image_free(&image);
}

/* ---- PNG metadata after the pixels ---------------------------------------------------------- */

static size_t chunk_size(const uint8_t *at)
{
    return 12 + ((size_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3]);
}

/* Moves the eXIf and iTXt chunks after the last IDAT. */
static void move_to_end(uint8_t *bytes, size_t size)
{
    uint8_t *moved = malloc(size);
    if (!moved)
        exit(EXIT_FAILURE);
    size_t to = 8;
    memcpy(moved, bytes, 8);
    for (int pass = 0; pass < 3; pass++)
        for (size_t at = 8; at < size; at += chunk_size(bytes + at)) {
            bool late = !memcmp(bytes + at + 4, "eXIf", 4) || !memcmp(bytes + at + 4, "iTXt", 4);
            bool end = !memcmp(bytes + at + 4, "IEND", 4);
            if ((end ? 2 : late ? 1 : 0) != pass)
                continue;
            memcpy(moved + to, bytes + at, chunk_size(bytes + at));
            to += chunk_size(bytes + at);
        }
    io_save(io_path("late"), moved, to);
    free(moved);
}

static void check_late(const struct codec *png)
{
    swathe_shape shape = io_shape(9, 9, 3, SWATHE_U8);
    check_codec(png, &shape);
    size_t size;
    uint8_t *bytes = io_load(io_path("image"), &size);
    move_to_end(bytes, size);
    free(bytes);
    swathe_metadata metadata = io_sample_metadata(3);
    swathe_source *source = open_file(io_path("late"));
    if (source)
        check_metadata("png with late chunks", &metadata, source->metadata, true);
    struct io_image image;
    if (source && io_check(io_read_source(source, IO_DENSE, 2, &image) == SWATHE_OK,
                           "png with late chunks: %s", fail_text()))
        io_image_free(&image);
    file_close(source);
}

int main(void)
{
    for (int i = 0; codec_at(i); i++)
        for (int32_t channels = 1; codec_at(i)->built && channels <= 3; channels += 2) {
            swathe_shape shape = io_shape(12, 10, channels, SWATHE_U8);
            if (!codec_holds(codec_at(i), &shape))
                shape.type = SWATHE_F32;
            check_codec(codec_at(i), &shape);
        }
    if (codec_named("png")->built)
        check_late(codec_named("png"));
    io_folder_remove();
    return io_finish("io_metadata");
}

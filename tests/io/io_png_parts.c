/* A PNG that several threads prepare, part by part in any order, has the same bytes as one written
 * row by row, and the original pixels. With an argument, for sanitizers, only a few images. */
#include "io_check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 64, THREADS_MAX = 16 };

struct part {
    int64_t start, end; /* rows */
    void *prepared;
    swathe_status status;
};

/* Threads take parts in `order`, which is shuffled. */
struct work {
    const swathe_sink *sink;
    const swathe_image *image;
    struct part parts[PARTS_MAX];
    int order[PARTS_MAX], count, next;
};

/* ---- Images --------------------------------------------------------------------------------- */

/* Rows that repeat after a while, so that matches reach into the previous segment, with noise in
 * between, so that filters do not find them all. */
static void fill_figures(const swathe_image *image)
{
    uint64_t state = 7;
    for (int64_t y = 0; y < image->height; y++)
        for (int64_t x = 0; x < image->width; x++)
            for (int32_t c = 0; c < image->channels; c++) {
                uint32_t value = (uint32_t)((x % 37) * 77 + (y % 3) * 1313 + c * 501);
                value ^= (value >> 3) * 2654435761u;
                if (io_random(&state) % 97 == 0)
                    value = io_random(&state);
                void *sample = view_at(image, x, y, c);
                if (image->type == SWATHE_U8)
                    *(uint8_t *)sample = (uint8_t)(value >> 7);
                else
                    *(uint16_t *)sample = (uint16_t)(value >> 5);
            }
}

static swathe_image rows_of(const swathe_image *image, int64_t first, int64_t last)
{
    swathe_rect rect = {0, first, image->width, last - first};
    swathe_image rows = *image;
    if (view_crop(image, &rect, &rows) != SWATHE_OK)
        abort();
    return rows;
}

/* ---- Parts ---------------------------------------------------------------------------------- */

/* One to three segments each, in random order. */
static void plan_parts(struct work *work, uint64_t *state)
{
    int64_t step = work->sink->tile_height, height = work->image->height;
    work->count = work->next = 0;
    for (int64_t y = 0; y < height;) {
        struct part *part = &work->parts[work->count];
        part->start = y;
        y += step * (work->count == PARTS_MAX - 1 ? height : 1 + io_random(state) % 3);
        part->end = y = y < height ? y : height;
        part->status = SWATHE_ERROR_INTERNAL;
        work->order[work->count] = work->count;
        work->count++;
    }
    for (int i = work->count - 1; i > 0; i--) {
        int other = (int)(io_random(state) % (uint32_t)(i + 1)), kept = work->order[i];
        work->order[i] = work->order[other];
        work->order[other] = kept;
    }
}

static void *prepare_parts(void *user)
{
    struct work *work = user;
    for (;;) {
        int turn = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED);
        if (turn >= work->count)
            return NULL;
        struct part *part = &work->parts[work->order[turn]];
        int64_t above = part->start < work->sink->parts->context_rows
                            ? part->start
                            : work->sink->parts->context_rows;
        swathe_image rows = rows_of(work->image, part->start - above, part->end);
        part->status = work->sink->parts->prepare(work->sink->user, &rows, above, &part->prepared);
    }
}

static swathe_status deliver_parts(struct work *work)
{
    swathe_status status = SWATHE_OK;
    for (int i = 0; i < work->count; i++) {
        struct part *part = &work->parts[i];
        if (part->status != SWATHE_OK)
            status = part->status;
        else if (work->sink->parts->deliver(work->sink->user, part->prepared, status == SWATHE_OK))
            status = SWATHE_ERROR_IO;
    }
    return status;
}

static swathe_status write_parts(const char *path, const swathe_image *image,
                                 const swathe_write_options *options, int threads)
{
    pthread_t ids[THREADS_MAX];
    struct work work = {.image = image};
    swathe_sink *sink;
    uint64_t state = (uint64_t)threads;
    swathe_shape shape = view_shape(image);
    TRY(file_create(&memory_default, (int64_t)1 << 30, path, &shape, NULL, options, &sink));
    work.sink = sink;
    plan_parts(&work, &state);
    for (int i = 0; i < threads; i++)
        pthread_create(&ids[i], NULL, prepare_parts, &work);
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    swathe_status status = deliver_parts(&work);
    if (status == SWATHE_OK)
        status = file_commit(sink);
    file_discard(sink);
    return status;
}

/* ---- Checks --------------------------------------------------------------------------------- */

static void check_pixels(const char *what, const char *path, const swathe_image *image)
{
    struct io_image got;
    char text[256] = "";
    swathe_status status = io_read(path, NULL, IO_DENSE, 0, &got);
    if (!io_check(status == SWATHE_OK, "%s: cannot be read: %s", what, fail_text()))
        return;
    io_check(io_equal(image, &got.view, 0, text, sizeof text), "%s: %s", what, text);
    io_image_free(&got);
}

static void check_level(const char *name, const swathe_image *image, const char *level)
{
    static const int threads[] = {1, 2, 5, 16};
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    char what[128];
    options.compression = level;
    options.overwrite = 1;
    snprintf(what, sizeof what, "png %s, compression %s", name, level);
    const char *plain = io_path("plain.png"), *parts = io_path("parts.png");
    swathe_status status = io_write(plain, image, NULL, &options, 7);
    if (!io_check(status == SWATHE_OK, "%s: cannot be written: %s", what, fail_text()))
        return;
    check_pixels(what, plain, image);
    for (int i = 0; i < (int)(sizeof threads / sizeof *threads); i++) {
        status = write_parts(parts, image, &options, threads[i]);
        io_check(status == SWATHE_OK && io_same_files(plain, parts),
                 "%s: other bytes with %d threads", what, threads[i]);
    }
}

static void check_image(int64_t width, int64_t height, int32_t channels, swathe_type type,
                        enum io_strides strides, bool noise)
{
    static const char *const levels[] = {"fast", "default", "0", "small"};
    swathe_shape shape = io_shape(width, height, channels, type);
    struct io_image image = io_image_make(&shape, strides);
    char name[96];
    snprintf(name, sizeof name, "%dx%dx%d %s, %s, %s", (int)width, (int)height, (int)channels,
             sample_entry(type)->name, io_strides_name(strides), noise ? "noise" : "figures");
    if (noise)
        io_fill_smooth(&image.view, 3);
    else
        fill_figures(&image.view);
    for (int i = 0; i < (int)(sizeof levels / sizeof *levels); i++)
        check_level(name, &image.view, levels[i]);
    io_image_free(&image);
}

/* A part without the rows above it would give a corrupted file. */
static void check_refused(void)
{
    swathe_shape shape = io_shape(1000, 1200, 3, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_sink *sink;
    void *prepared = NULL;
    const char *path = io_path("refused.png");
    if (io_check(!file_create(&memory_default, (int64_t)1 << 30, path, &shape, NULL, NULL, &sink),
                 "png: cannot be created: %s", fail_text())) {
        int64_t start = sink->tile_height, above = sink->parts->context_rows - 1;
        swathe_image rows = rows_of(&image.view, start - above, shape.height);
        io_check(sink->parts->prepare(sink->user, &rows, above, &prepared) ==
                         SWATHE_ERROR_ARGUMENT &&
                     strstr(fail_text(), "rows above the part"),
                 "png: a part with too few rows above it is accepted");
        file_discard(sink);
    }
    io_image_free(&image);
}

static void check_more(void)
{
    check_image(1400, 1100, 2, SWATHE_U8, IO_PLANAR, true);
    check_image(900, 1200, 1, SWATHE_U16, IO_FLIPPED, false);
    check_image(400, 700, 4, SWATHE_U16, IO_SPREAD, false);
    check_image(1, 600000, 4, SWATHE_U8, IO_DENSE, false);
    check_image(400000, 9, 3, SWATHE_U8, IO_DENSE, false);
}

int main(int argc, char **argv)
{
    (void)argv;
    check_image(700, 1300, 3, SWATHE_U8, IO_DENSE, false);
    if (argc == 1)
        check_more();
    check_image(40, 30, 3, SWATHE_U8, IO_DENSE, false);
    check_refused();
    io_folder_remove();
    return io_finish("io_png_parts");
}

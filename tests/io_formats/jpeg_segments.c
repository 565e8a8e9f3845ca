/* JPEG files in segments have the bytes of libjpeg alone with the same restart interval, for any
 * order and number of threads. `--caught` inverts the result for a build with a planted bug: it
 * succeeds if checks failed. */
#include "counting.h"
#include "io_check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

enum { FREE_MEMORY = 1 << 28, PARTS_MAX = 64 };

struct kind {
    const char *name;
    int32_t channels;
    int quality;
    int64_t width, height;
    int segments;    /* at least */
    int subsampling; /* 0: determined by the quality */
    int across, down;
};

static const struct kind kinds[] = {
    {"grey", 1, 90, 3001, 1501, 3, 0, 0, 0},
    {"grey, small", 1, 75, 77, 55, 1, 0, 0, 0},
    {"grey, 4:2:0's rows", 1, 60, 8, 9, 1, 0, 0, 0},
    {"4:2:0", 3, 90, 1333, 1111, 3, 0, 0, 0},
    {"4:2:0, narrow", 3, 40, 5, 60001, 1, 0, 0, 0},
    {"4:2:0, one segment", 3, 90, 640, 480, 1, 0, 0, 0},
    {"4:2:0, wide", 3, 85, 65500, 65, 5, 0, 0, 0},
    {"4:2:0, more than 8", 3, 30, 2999, 2333, 9, 0, 0, 0},
    {"4:4:4", 3, 96, 1025, 1537, 3, 0, 0, 0},
    {"4:4:4, wide", 3, 100, 65499, 33, 5, 0, 0, 0},
    {"CMYK", 4, 90, 1111, 999, 3, 0, 0, 0},
    {"CMYK, small", 4, 10, 17, 33, 1, 0, 0, 0},
    {"4:4:4, coarse", 3, 50, 1025, 1537, 3, 444, 1, 1},
    {"4:4:0", 3, 90, 1111, 1333, 3, 440, 1, 2},
    {"4:2:2", 3, 90, 1333, 1111, 3, 422, 2, 1},
    {"4:1:1", 3, 90, 1335, 1111, 3, 411, 4, 1},
    {"4:1:0", 3, 98, 1335, 1111, 3, 410, 4, 2},
};

/* ---- Written by libjpeg alone --------------------------------------------------------------- */

static void set_up(struct jpeg_compress_struct *info, const struct kind *kind, int64_t rows)
{
    info->image_width = (JDIMENSION)kind->width;
    info->image_height = (JDIMENSION)kind->height;
    info->input_components = kind->channels;
    info->in_color_space = kind->channels == 1   ? JCS_GRAYSCALE
                           : kind->channels == 3 ? JCS_RGB
                                                 : JCS_CMYK;
    jpeg_set_defaults(info);
    jpeg_set_quality(info, kind->quality, TRUE);
    if (kind->quality > 95 && kind->channels == 3)
        info->comp_info[0].h_samp_factor = info->comp_info[0].v_samp_factor = 1;
    if (kind->subsampling) {
        info->comp_info[0].h_samp_factor = kind->across;
        info->comp_info[0].v_samp_factor = kind->down;
    }
    if (rows < kind->height)
        info->restart_in_rows = (int)(rows / (8 * info->comp_info[0].v_samp_factor));
}

static uint8_t *alone(const struct kind *kind, const swathe_image *image, int64_t rows,
                      unsigned long *size)
{
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    uint8_t *row = malloc((size_t)(kind->width * kind->channels)), *bytes = NULL;
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    *size = 0;
    jpeg_mem_dest(&info, &bytes, size);
    set_up(&info, kind, rows);
    jpeg_start_compress(&info, TRUE);
    for (int64_t y = 0; y < kind->height; y++) {
        memcpy(row, view_at(image, 0, y, 0), (size_t)(kind->width * kind->channels));
        for (int64_t i = 0; i < kind->width * kind->channels && kind->channels == 4; i++)
            row[i] = (uint8_t)~row[i];
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    free(row);
    return bytes;
}

/* ---- On several threads --------------------------------------------------------------------- */

struct task {
    swathe_sink *sink;
    const swathe_image *image;
    swathe_rect parts[PARTS_MAX];
    void *prepared[PARTS_MAX];
    int count;
    atomic_int next, failed;
};

/* Parts of one to three segments each. */
static void cut(struct task *task, uint64_t *random)
{
    int64_t height = task->image->height, tile = task->sink->tile_height;
    for (int64_t y = 0; y < height && task->count < PARTS_MAX; task->count++) {
        int64_t rows = tile * (1 + io_random(random) % 3);
        rows = rows < height - y ? rows : height - y;
        task->parts[task->count] = (swathe_rect){0, y, task->image->width, rows};
        y += rows;
    }
}

/* From the last part to the first, so that none is prepared when it is its turn to be written. */
static void *work(void *user)
{
    struct task *task = user;
    for (int i; (i = task->count - 1 - atomic_fetch_add(&task->next, 1)) >= 0;) {
        swathe_image part;
        if (view_crop(task->image, &task->parts[i], &part) != SWATHE_OK ||
            task->sink->parts->prepare(task->sink->user, &part, 0, &task->prepared[i]) != SWATHE_OK)
            atomic_fetch_add(&task->failed, 1);
    }
    return NULL;
}

static swathe_status deliver(struct task *task, int wanted)
{
    swathe_status status = task->failed ? SWATHE_ERROR_INTERNAL : SWATHE_OK;
    for (int i = 0; i < task->count; i++)
        if (task->prepared[i]) {
            bool good = wanted && status == SWATHE_OK;
            swathe_status got =
                task->sink->parts->deliver(task->sink->user, task->prepared[i], good);
            status = good ? got : status;
        }
    return status;
}

static swathe_status write_parts(swathe_sink *sink, const swathe_image *image, int threads,
                                 uint64_t *random)
{
    pthread_t made[16];
    struct task task = {.sink = sink, .image = image};
    cut(&task, random);
    for (int i = 0; i < threads; i++)
        pthread_create(&made[i], NULL, work, &task);
    for (int i = 0; i < threads; i++)
        pthread_join(made[i], NULL);
    TRY(deliver(&task, 1));
    return file_commit(sink);
}

/* ---- Checks --------------------------------------------------------------------------------- */

static swathe_status create(const struct memory *memory, const struct kind *kind,
                            swathe_sink **sink)
{
    swathe_write_options options = io_faithful(codec_named("jpeg"));
    swathe_shape shape = io_shape(kind->width, kind->height, kind->channels, SWATHE_U8);
    options.quality = kind->quality;
    options.subsampling = kind->subsampling;
    if (kind->channels == 4) {
        shape.color = SWATHE_COLOR_CMYK;
        shape.alpha = 0;
    }
    return file_create(memory, FREE_MEMORY, io_path("it.jpg"), &shape, NULL, &options, sink);
}

static void compare(const struct kind *kind, const char *way, int number, const uint8_t *want,
                    size_t want_size)
{
    size_t size, at = 0;
    uint8_t *got = io_load(io_path("it.jpg"), &size);
    while (at < size && at < want_size && got[at] == want[at])
        at++;
    io_check(size == want_size && at == size,
             "%s, %s %d: %zu bytes, libjpeg alone has %zu; byte %zu differs", kind->name, way,
             number, size, want_size, at);
    free(got);
}

static void check_threads(const struct kind *kind, const swathe_image *image, const uint8_t *want,
                          size_t size, uint64_t *random)
{
    static const int counts[] = {1, 2, 5, 16};
    for (int i = 0; i < 4; i++) {
        swathe_sink *sink;
        swathe_status status = create(&memory_default, kind, &sink);
        if (!io_check(status == SWATHE_OK, "%s: %s", kind->name, fail_text()))
            return;
        status = write_parts(sink, image, counts[i], random);
        file_discard(sink);
        if (io_check(status == SWATHE_OK, "%s: %s", kind->name, fail_text()))
            compare(kind, "threads", counts[i], want, size);
    }
}

static swathe_status write_rows(swathe_sink *sink, const swathe_image *image, int64_t rows)
{
    for (int64_t y = 0; y < image->height; y += rows) {
        swathe_rect rect = {0, y, image->width,
                            rows < image->height - y ? rows : image->height - y};
        swathe_image part;
        TRY(view_crop(image, &rect, &part));
        TRY(sink->write(sink->user, &part));
    }
    return file_commit(sink);
}

/* Rows in any number, with any strides. */
static void check_rows(const struct kind *kind, const swathe_image *image, const uint8_t *want,
                       size_t size)
{
    static const int64_t counts[] = {1, 7, 999, 1 << 20};
    swathe_shape shape = view_shape(image);
    for (int i = 0; i < 4; i++) {
        struct io_image copy = io_image_make(&shape, (enum io_strides)(i + 1));
        view_copy(image, &copy.view);
        swathe_sink *sink;
        swathe_status status = create(&memory_default, kind, &sink);
        if (status == SWATHE_OK) {
            status = write_rows(sink, &copy.view, counts[i]);
            file_discard(sink);
        }
        if (io_check(status == SWATHE_OK, "%s: %s", kind->name, fail_text()))
            compare(kind, "rows", (int)counts[i], want, size);
        io_image_free(&copy);
    }
}

/* Prepared parts that are not delivered are freed, and the file does not appear. */
static void check_unwanted(const struct kind *kind, const swathe_image *image, uint64_t *random)
{
    swathe_sink *sink;
    if (!io_check(create(&memory_default, kind, &sink) == SWATHE_OK, "%s: %s", kind->name,
                  fail_text()))
        return;
    struct task task = {.sink = sink, .image = image};
    cut(&task, random);
    work(&task);
    swathe_status status = deliver(&task, 0);
    io_check(status == SWATHE_OK, "%s, unwanted: %s", kind->name, fail_text());
    io_check(file_commit(sink) != SWATHE_OK, "%s: committed without rows", kind->name);
    file_discard(sink);
}

/* Every allocation fails once: an error, and no leaks. */
static void check_memory(const struct kind *kind, const swathe_image *image)
{
    const struct memory memory = {counting_allocate, counting_release, NULL};
    swathe_status status = SWATHE_ERROR_MEMORY;
    for (counting.at = 1; status != SWATHE_OK && counting.at < 1000; counting.at++) {
        swathe_sink *sink;
        counting.calls = 0;
        status = create(&memory, kind, &sink);
        if (status == SWATHE_OK) {
            status = write_rows(sink, image, 1000);
            file_discard(sink);
        }
        io_check(counting.live == 0 && (status == SWATHE_OK || status == SWATHE_ERROR_MEMORY),
                 "%s: allocation %d fails: status %d, %d left", kind->name, (int)counting.at,
                 (int)status, (int)counting.live);
    }
    io_check(counting.at > 5 && status == SWATHE_OK, "%s: %d allocations", kind->name,
             (int)counting.at);
}

static void fill(const swathe_image *image, uint64_t *random)
{
    for (int64_t y = 0; y < image->height; y++) {
        uint8_t *row = view_at(image, 0, y, 0);
        uint32_t noise = io_random(random);
        for (int64_t i = 0; i < image->width * image->channels; i++) {
            noise = noise * 1664525u + 1013904223u;
            row[i] = (uint8_t)(i / 7 + 3 * y + (noise >> 27));
        }
    }
}

static void check_kind(const struct kind *kind, uint64_t *random)
{
    swathe_sink *sink;
    unsigned long size;
    if (!io_check(create(&memory_default, kind, &sink) == SWATHE_OK, "%s: %s", kind->name,
                  fail_text()))
        return;
    int64_t rows = sink->tile_height;
    io_check((kind->height + rows - 1) / rows >= kind->segments, "%s: segments of %d rows",
             kind->name, (int)rows);
    struct io_image image = io_image_make(&sink->shape, IO_DENSE);
    file_discard(sink);
    fill(&image.view, random);
    uint8_t *want = alone(kind, &image.view, rows, &size);
    check_threads(kind, &image.view, want, size, random);
    check_rows(kind, &image.view, want, size);
    check_unwanted(kind, &image.view, random);
    check_memory(kind, &image.view);
    free(want);
    io_image_free(&image);
}

int main(int count, char **arguments)
{
    uint64_t random = 5;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        check_kind(&kinds[i], &random);
    io_folder_remove();
    int status = io_finish("jpeg_segments");
    if (count > 1 && strcmp(arguments[1], "--caught") == 0)
        return io_failures() > 0 ? 0 : 1;
    return status;
}

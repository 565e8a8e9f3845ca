/* Measures how TIFF reading and writing scale with threads: wall-clock and CPU time for an image of
 * 6000 x 4000 x 3 u8, best of three rounds. The directory defaults to /dev/shm, which is in memory.
 *     tiff_threads [DIRECTORY [COMPRESSION...]] */
#include "swathe/swathe.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WIDTH = 6000, HEIGHT = 4000, ROUNDS = 3, THREADS_MAX = 64 };

struct job {
    swathe_context *context;
    swathe_plan *plan; /* of identity */
    swathe_source *source;
    swathe_sink *sink;
    swathe_shape shape;
    swathe_image image;
    int64_t rows;
    atomic_llong next;
    atomic_int failed;
};

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Paints gradients with seeded noise. */
static void paint(uint8_t *samples)
{
    uint32_t state = 1;
    for (int64_t y = 0; y < HEIGHT; y++)
        for (int64_t x = 0; x < WIDTH; x++)
            for (int64_t c = 0; c < 3; c++) {
                state = state * 1664525u + 1013904223u;
                int64_t slope = (x * (3 + c) + y * 2) / 24 + x * y / 60000;
                *samples++ = (uint8_t)(slope + (state >> 29));
            }
}

/* Sets `part` to part number `index`; returns 0 if there are no more. */
static int part_of(const struct job *job, int64_t index, swathe_image *part)
{
    swathe_rect rect = {0, index * job->rows, WIDTH, job->rows};
    if (rect.y >= HEIGHT)
        return 0;
    if (rect.y + rect.height > HEIGHT)
        rect.height = HEIGHT - rect.y;
    return swathe_image_crop(&job->image, &rect, part) == SWATHE_OK;
}

static void *read_parts(void *user)
{
    struct job *job = user;
    swathe_image part = SWATHE_INIT(swathe_image);
    while (part_of(job, atomic_fetch_add(&job->next, 1), &part))
        if (swathe_source_read(job->source, &part) != SWATHE_OK)
            atomic_store(&job->failed, 1);
    return NULL;
}

static void read_all(struct job *job, int threads)
{
    pthread_t handles[THREADS_MAX];
    atomic_store(&job->next, 0);
    for (int i = 0; i < threads; i++)
        pthread_create(&handles[i], NULL, read_parts, job);
    for (int i = 0; i < threads; i++)
        pthread_join(handles[i], NULL);
}

static swathe_status read_view(void *user, const swathe_image *into)
{
    const struct job *job = user;
    for (int64_t y = 0; y < into->height; y++)
        memcpy((char *)into->data + y * into->row_stride,
               (char *)job->image.data + ((into->y + y) * WIDTH + into->x) * 3,
               (size_t)into->width * 3);
    return SWATHE_OK;
}

/* Runs identity, because the threads of a run share the work of the codec. */
static void write_all(struct job *job, int threads)
{
    swathe_source_info info = SWATHE_INIT(swathe_source_info);
    swathe_source_callbacks callbacks = SWATHE_INIT(swathe_source_callbacks);
    swathe_source *source = NULL;
    swathe_run_options options = SWATHE_INIT(swathe_run_options);
    info.shape = swathe_sink_properties(job->sink).shape;
    info.flags = SWATHE_CONCURRENT;
    callbacks.user = job;
    callbacks.read = read_view;
    options.threads = threads;
    if (swathe_source_wrap(job->context, &info, &callbacks, &source) != SWATHE_OK ||
        swathe_run_stream(job->context, job->plan, source, job->sink, &options) != SWATHE_OK)
        atomic_store(&job->failed, 1);
    swathe_source_destroy(source);
}

static void time_step(struct job *job, int threads, void (*step)(struct job *, int), double best[2])
{
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    step(job, threads);
    wall = seconds(CLOCK_MONOTONIC) - wall;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (best[0] == 0 || wall < best[0])
        best[0] = wall;
    if (best[1] == 0 || cpu < best[1])
        best[1] = cpu;
}

static swathe_status round_trip(struct job *job, const char *path, const char *compression,
                                int threads, double times[4])
{
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    options.overwrite = 1;
    options.compression = compression;
    swathe_status status =
        swathe_file_create(job->context, path, &job->shape, NULL, &options, &job->sink);
    if (status != SWATHE_OK)
        return status;
    time_step(job, threads, write_all, times);
    status = swathe_sink_commit(job->sink);
    swathe_sink_destroy(job->sink);
    if (status == SWATHE_OK)
        status = swathe_file_open(job->context, path, NULL, &job->source);
    if (status != SWATHE_OK)
        return status;
    job->rows = 4 * swathe_source_properties(job->source).tile_height;
    time_step(job, threads, read_all, times + 2);
    swathe_source_destroy(job->source);
    return atomic_load(&job->failed) ? SWATHE_ERROR_INTERNAL : SWATHE_OK;
}

static int measure(struct job *job, const char *directory, const char *compression)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/tiff_threads.%d.tif", directory, rand());
    for (int threads = 1; threads <= 4; threads *= 2) {
        double times[4] = {0};
        for (int i = 0; i < ROUNDS; i++)
            if (round_trip(job, path, compression, threads, times) != SWATHE_OK)
                return fprintf(stderr, "tiff_threads: %s\n", swathe_error_text()), 1;
        printf("%-12s %7d  %8.3f  %8.3f  %8.3f  %8.3f\n", compression, threads, times[0], times[1],
               times[2], times[3]);
    }
    remove(path);
    return 0;
}

int main(int count, char **arguments)
{
    static const char *const usual[] = {"none", "lzw", "deflate:1", "deflate", "zstd"};
    struct job job = {.image = SWATHE_INIT(swathe_image)};
    swathe_chain *chain = NULL;
    uint8_t *samples = malloc((size_t)WIDTH * HEIGHT * 3);
    job.shape.width = WIDTH;
    job.shape.height = HEIGHT;
    job.shape.channels = 3;
    job.shape.type = SWATHE_U8;
    job.shape.color = SWATHE_COLOR_RGB;
    if (!samples || swathe_context_create(NULL, &job.context) != SWATHE_OK ||
        swathe_chain_parse(job.context, "identity", &chain) != SWATHE_OK ||
        swathe_plan_create(job.context, chain, &job.shape, NULL, &job.plan) != SWATHE_OK ||
        swathe_image_init(&job.shape, SWATHE_INTERLEAVED, samples, &job.image) != SWATHE_OK)
        return fprintf(stderr, "tiff_threads: %s\n", swathe_error_text()), 1;
    paint(samples);
    printf("%-12s threads  %8s  %8s  %8s  %8s\n", "compression", "write s", "CPU s", "read s",
           "CPU s");
    int failed = 0, many = count > 2 ? count - 2 : 5;
    for (int i = 0; !failed && i < many; i++)
        failed = measure(&job, count > 1 ? arguments[1] : "/dev/shm",
                         count > 2 ? arguments[2 + i] : usual[i]);
    swathe_plan_destroy(job.plan);
    swathe_chain_destroy(chain);
    swathe_context_destroy(job.context);
    free(samples);
    return failed;
}

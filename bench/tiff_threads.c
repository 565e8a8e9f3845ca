/* How TIFF files are read and written by several threads: an image of 6000 x 4000 x 3 u8 in the
 * memory file system, wall and CPU time of each step, the best of some rounds.
 *     tiff_threads [FOLDER [COMPRESSION...]] */
#include "swathe/swathe.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WIDTH = 6000, HEIGHT = 4000, ROUNDS = 3, THREADS_MAX = 64 };

struct job {
    swathe_source *source;
    swathe_sink *sink;
    swathe_image image;
    int64_t rows;
    atomic_llong next;
    atomic_int failed;
    pthread_mutex_t mutex;
    pthread_cond_t turned;
    int64_t turn;
};

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Slopes with grain, the same on every machine. */
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

/* Number `index` of the parts, or NULL when there are no more. */
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
        if (job->source->read(job->source->user, &part) != SWATHE_OK)
            atomic_store(&job->failed, 1);
    return NULL;
}

static void *write_parts(void *user)
{
    struct job *job = user;
    swathe_image part = SWATHE_INIT(swathe_image);
    int64_t index;
    while (part_of(job, index = atomic_fetch_add(&job->next, 1), &part)) {
        void *prepared = NULL;
        swathe_status status = job->sink->prepare(job->sink->user, &part, 0, &prepared);
        pthread_mutex_lock(&job->mutex);
        while (job->turn != index)
            pthread_cond_wait(&job->turned, &job->mutex);
        if (status == SWATHE_OK)
            status = job->sink->deliver(job->sink->user, prepared, 1);
        if (status != SWATHE_OK)
            atomic_store(&job->failed, 1);
        job->turn++;
        pthread_cond_broadcast(&job->turned);
        pthread_mutex_unlock(&job->mutex);
    }
    return NULL;
}

static void work(struct job *job, int threads, void *(*with)(void *), double best[2])
{
    pthread_t handles[THREADS_MAX];
    atomic_store(&job->next, 0);
    job->turn = 0;
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < threads; i++)
        pthread_create(&handles[i], NULL, with, job);
    for (int i = 0; i < threads; i++)
        pthread_join(handles[i], NULL);
    wall = seconds(CLOCK_MONOTONIC) - wall;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (best[0] == 0 || wall < best[0])
        best[0] = wall;
    if (best[1] == 0 || cpu < best[1])
        best[1] = cpu;
}

static swathe_status round_trip(swathe_context *context, struct job *job, const char *path,
                                const char *compression, int threads, double times[4])
{
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    swathe_shape shape = {0};
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = 3;
    shape.type = SWATHE_U8;
    shape.color = SWATHE_COLOR_RGB;
    options.overwrite = 1;
    options.compression = compression;
    swathe_status status = swathe_file_create(context, path, &shape, NULL, &options, &job->sink);
    if (status != SWATHE_OK)
        return status;
    job->rows = job->sink->tile_height;
    work(job, threads, write_parts, times);
    status = swathe_sink_commit(job->sink);
    swathe_sink_destroy(job->sink);
    if (status == SWATHE_OK)
        status = swathe_file_open(context, path, NULL, &job->source);
    if (status != SWATHE_OK)
        return status;
    job->rows = 4 * job->source->tile_height;
    work(job, threads, read_parts, times + 2);
    swathe_source_destroy(job->source);
    return atomic_load(&job->failed) ? SWATHE_ERROR_INTERNAL : SWATHE_OK;
}

static int measure(swathe_context *context, struct job *job, const char *folder,
                   const char *compression)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/tiff_threads.%d.tif", folder, rand());
    for (int threads = 1; threads <= 4; threads *= 2) {
        double times[4] = {0};
        for (int i = 0; i < ROUNDS; i++)
            if (round_trip(context, job, path, compression, threads, times) != SWATHE_OK)
                return fprintf(stderr, "tiff_threads: %s\n", swathe_error_text()), 1;
        printf("%-10s %7d  %8.3f %8.3f  %8.3f %8.3f\n", compression, threads, times[0], times[1],
               times[2], times[3]);
    }
    remove(path);
    return 0;
}

int main(int count, char **arguments)
{
    static const char *const usual[] = {"none", "lzw", "deflate:1", "deflate", "zstd"};
    struct job job = {.image = SWATHE_INIT(swathe_image)};
    swathe_shape shape = {0};
    swathe_context *context = NULL;
    uint8_t *samples = malloc((size_t)WIDTH * HEIGHT * 3);
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = 3;
    shape.type = SWATHE_U8;
    if (!samples || swathe_context_create(NULL, &context) != SWATHE_OK ||
        swathe_image_init(&shape, SWATHE_INTERLEAVED, samples, &job.image) != SWATHE_OK)
        return fprintf(stderr, "tiff_threads: %s\n", swathe_error_text()), 1;
    paint(samples);
    pthread_mutex_init(&job.mutex, NULL);
    pthread_cond_init(&job.turned, NULL);
    printf("packing    threads  write s  of CPU     read s   of CPU\n");
    int failed = 0, many = count > 2 ? count - 2 : 5;
    for (int i = 0; !failed && i < many; i++)
        failed = measure(context, &job, count > 1 ? arguments[1] : "/dev/shm",
                         count > 2 ? arguments[2 + i] : usual[i]);
    swathe_context_destroy(context);
    free(samples);
    return failed;
}

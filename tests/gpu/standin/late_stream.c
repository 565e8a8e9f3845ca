#define _GNU_SOURCE
#include "late_stream.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct late_stream {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct late_step *first, **last;
    int busy, closing, failed;
    unsigned seed;
};

static void dawdle(struct late_stream *stream)
{
    struct timespec time = {0, rand_r(&stream->seed) % 400 * 1000};
    if (rand_r(&stream->seed) % 2)
        nanosleep(&time, NULL);
}

static int do_step(struct late_step *step)
{
    if (step->clock) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        *step->clock = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
        return 0;
    }
    if (!step->module) {
        memcpy(step->to, step->from, step->size);
        return 0;
    }
    step->launch.dims = dlsym(step->module, "standin_dims"); /* thread-local */
    return fiber_run(&step->launch);
}

/* NULL if the stream is closed. */
static struct late_step *next_step(struct late_stream *stream)
{
    pthread_mutex_lock(&stream->mutex);
    stream->busy = 0;
    pthread_cond_broadcast(&stream->changed);
    while (!stream->first && !stream->closing)
        pthread_cond_wait(&stream->changed, &stream->mutex);
    struct late_step *step = stream->first;
    if (step) {
        stream->busy = 1;
        stream->first = step->next;
        if (!stream->first)
            stream->last = &stream->first;
    }
    pthread_mutex_unlock(&stream->mutex);
    return step;
}

static void *work(void *user)
{
    struct late_stream *stream = user;
    struct late_step *step;
    while ((step = next_step(stream))) {
        dawdle(stream);
        int failed = do_step(step) != 0;
        free(step);
        pthread_mutex_lock(&stream->mutex);
        stream->failed |= failed;
        pthread_mutex_unlock(&stream->mutex);
    }
    return NULL;
}

struct late_stream *late_stream_new(void)
{
    static unsigned seeds;
    struct late_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->last = &stream->first;
    stream->seed = __atomic_add_fetch(&seeds, 7919, __ATOMIC_RELAXED);
    pthread_mutex_init(&stream->mutex, NULL);
    pthread_cond_init(&stream->changed, NULL);
    pthread_create(&stream->thread, NULL, work, stream);
    return stream;
}

int late_stream_add(struct late_stream *stream, const struct late_step *step)
{
    struct late_step *copy = malloc(sizeof *copy);
    if (!copy)
        return -1;
    *copy = *step;
    copy->next = NULL;
    pthread_mutex_lock(&stream->mutex);
    *stream->last = copy;
    stream->last = &copy->next;
    pthread_cond_broadcast(&stream->changed);
    pthread_mutex_unlock(&stream->mutex);
    return 0;
}

int late_stream_wait(struct late_stream *stream)
{
    pthread_mutex_lock(&stream->mutex);
    while (stream->first || stream->busy)
        pthread_cond_wait(&stream->changed, &stream->mutex);
    int failed = stream->failed;
    pthread_mutex_unlock(&stream->mutex);
    return failed ? -1 : 0;
}

void late_stream_free(struct late_stream *stream)
{
    late_stream_wait(stream);
    pthread_mutex_lock(&stream->mutex);
    stream->closing = 1;
    pthread_cond_broadcast(&stream->changed);
    pthread_mutex_unlock(&stream->mutex);
    pthread_join(stream->thread, NULL);
    pthread_cond_destroy(&stream->changed);
    pthread_mutex_destroy(&stream->mutex);
    free(stream);
}

/* The work of a worker without its queue, checksums and reports: GET, decode, filter, encode, PUT.
 *
 *     bare_images CHAIN FROM TO THREADS < KEYS
 *
 * Prints images per second. */
#include "store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEYS = 100000, PLANS = 64 };

struct bare_plan {
    swathe_shape shape;
    swathe_plan *plan;
};

struct bare_run {
    swathe_context *context;
    swathe_chain *chain;
    struct store *store;
    const char *from, *to;
    char *keys[KEYS];
    int count;
    atomic_int next, failed;
    pthread_mutex_t mutex;
    struct bare_plan plans[PLANS]; /* never replaced: the test has few shapes */
    int plan_count;
};

static swathe_status find_plan(struct bare_run *loop, const swathe_shape *shape, swathe_plan **plan)
{
    swathe_plan_options options = SWATHE_INIT(swathe_plan_options);
    swathe_status status = SWATHE_OK;
    options.exact = 1;
    pthread_mutex_lock(&loop->mutex);
    int i = 0;
    while (i < loop->plan_count && memcmp(&loop->plans[i].shape, shape, sizeof *shape) != 0)
        i++;
    if (i == loop->plan_count && i < PLANS) {
        status =
            swathe_plan_create(loop->context, loop->chain, shape, &options, &loop->plans[i].plan);
        loop->plans[i].shape = *shape;
        loop->plan_count += status == SWATHE_OK;
    }
    *plan = i < PLANS ? loop->plans[i].plan : NULL;
    pthread_mutex_unlock(&loop->mutex);
    return *plan ? status : SWATHE_ERROR_LIMIT;
}

static swathe_status filter(struct bare_run *loop, swathe_source *source, const char *name,
                            void **bytes, size_t *size)
{
    swathe_plan *plan;
    swathe_shape shape;
    swathe_sink *sink = NULL;
    swathe_writer writer = SWATHE_INIT(swathe_writer);
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    swathe_write_options write = SWATHE_INIT(swathe_write_options);
    swathe_run_options run = SWATHE_INIT(swathe_run_options);
    run.threads = 1;
    swathe_status status = find_plan(loop, &source->shape, &plan);
    if (status == SWATHE_OK)
        status = swathe_plan_output(plan, source, NULL, &shape, &metadata);
    if (status == SWATHE_OK)
        status = swathe_writer_memory(loop->context, bytes, size, &writer);
    writer.name = name;
    if (status == SWATHE_OK)
        status = swathe_sink_create(loop->context, &writer, &shape, &metadata, &write, &sink);
    if (status == SWATHE_OK)
        status = swathe_run_stream(loop->context, plan, source, sink, &run);
    if (status == SWATHE_OK)
        status = swathe_sink_commit(sink);
    swathe_sink_destroy(sink);
    return status;
}

static swathe_status do_image(struct bare_run *loop, const char *key)
{
    char from[2048], to[2048];
    void *input = NULL, *output = NULL;
    size_t size, output_size;
    swathe_reader reader = SWATHE_INIT(swathe_reader);
    swathe_source *source = NULL;
    snprintf(from, sizeof from, "%s%s", loop->from, key);
    snprintf(to, sizeof to, "%s%s", loop->to, key);
    swathe_status status = store_get(loop->store, from, 1 << 26, &input, &size, NULL);
    if (status == SWATHE_OK)
        status = swathe_reader_memory(input, size, &reader);
    if (status == SWATHE_OK)
        status = swathe_source_open(loop->context, &reader, NULL, &source);
    if (status == SWATHE_OK)
        status = filter(loop, source, to, &output, &output_size);
    swathe_source_destroy(source);
    if (status == SWATHE_OK)
        status = store_put(loop->store, to, output, output_size, STORE_REPLACE);
    swathe_free(loop->context, output);
    free(input);
    return status;
}

static void *work(void *user)
{
    struct bare_run *loop = user;
    for (int i; (i = atomic_fetch_add(&loop->next, 1)) < loop->count;)
        if (do_image(loop, loop->keys[i]) != SWATHE_OK && atomic_fetch_add(&loop->failed, 1) == 0)
            fprintf(stderr, "%s: %s\n", loop->keys[i], swathe_error_text());
    return NULL;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double run(struct bare_run *loop, int threads)
{
    pthread_t started[64];
    double start = now();
    for (int i = 0; i < threads; i++)
        if (pthread_create(&started[i], NULL, work, loop) != 0)
            exit(1);
    for (int i = 0; i < threads; i++)
        pthread_join(started[i], NULL);
    return now() - start;
}

static void read_keys(struct bare_run *loop)
{
    char line[1100];
    while (loop->count < KEYS && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        loop->keys[loop->count++] = strdup(line);
    }
}

int main(int argc, char **argv)
{
    static struct bare_run loop = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    struct store_options options = {0};
    int threads = argc == 5 ? atoi(argv[4]) : 0;
    if (threads < 1 || threads > 64) {
        fprintf(stderr, "use: bare_images CHAIN FROM TO THREADS < KEYS\n");
        return 2;
    }
    loop.from = argv[2];
    loop.to = argv[3];
    read_keys(&loop);
    if (swathe_context_create(NULL, &loop.context) != SWATHE_OK ||
        swathe_chain_parse(loop.context, argv[1], &loop.chain) != SWATHE_OK ||
        store_create(&options, &loop.store) != SWATHE_OK) {
        fprintf(stderr, "%s\n", swathe_error_text());
        return 1;
    }
    double seconds = run(&loop, threads);
    printf("%.2f images/s (%d images, %d failed, %.3f s)\n", loop.count / seconds, loop.count,
           atomic_load(&loop.failed), seconds);
    return atomic_load(&loop.failed) != 0;
}

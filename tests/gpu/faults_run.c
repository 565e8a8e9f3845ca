/* Every call of a device fails once during whole runs, then all calls from there on fail: an error
 * or the correct bytes, and no leaks; with `auto` always the correct bytes. faults_run DIRECTORY
 * BACK_END [MUST]
 *  */
#define _GNU_SOURCE
#include "../core/counting.h"
#include "device_file.h"
#include "faulty.h"
#include "swathe/unstable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 75, HEIGHT = 64, CHANNELS = 3, BYTES = WIDTH * HEIGHT * CHANNELS };

static const char chain[] = "mask:(1 2 1; 2 4 2; 1 2 1):normalise,gaussian:5";
static uint8_t source[BYTES], expected[BYTES], result[BYTES];
static int tried, failed;

static void verdict(bool good, const char *what)
{
    tried++;
    failed += !good;
    if (!good)
        printf("FAILED: %s: call %lld, forever %d: %s\n", what, faulty.at, faulty.forever,
               swathe_error_text());
}

/* Options of a run. */
struct way {
    const char *device;
    int32_t threads;
    bool timed; /* times are requested, so that the run waits for the device more often */
    bool pageable;
};

static swathe_status plan_and_run(swathe_context *context, const struct way *way,
                                  const swathe_image *from, const swathe_image *to,
                                  const swathe_shape *shape)
{
    swathe_plan_options options = SWATHE_INIT(swathe_plan_options);
    swathe_run_options run = SWATHE_INIT(swathe_run_options);
    swathe_run_times times = SWATHE_INIT(swathe_run_times);
    swathe_chain *parsed = NULL;
    swathe_plan *plan = NULL;
    options.device = way->device;
    options.device_memory = 30000; /* several cells */
    run.times = way->timed ? &times : NULL;
    times.gather = -1.0;
    swathe_status status = swathe_chain_parse(context, chain, &parsed);
    if (status == SWATHE_OK)
        status = swathe_plan_create(context, parsed, shape, &options, &plan);
    if (status == SWATHE_OK)
        status = swathe_run(context, plan, from, to, &run);
    verdict(!way->timed || (times.gather < 0.0) == (status != SWATHE_OK),
            "only runs that succeed fill in times");
    swathe_plan_destroy(plan);
    swathe_chain_destroy(parsed);
    return status;
}

static swathe_status run(const struct way *way, uint8_t *to)
{
    swathe_context_options options = SWATHE_INIT(swathe_context_options);
    swathe_shape shape = {0};
    swathe_image from = SWATHE_INIT(swathe_image), into = SWATHE_INIT(swathe_image);
    swathe_context *context;
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = CHANNELS;
    shape.type = SWATHE_U8;
    options.threads = way->threads;
    options.wisdom = "off";
    options.allocate = counting_allocate;
    options.release = counting_release;
    memset(to, 0x5a, BYTES);
    swathe_status status = swathe_context_create(&options, &context);
    if (status != SWATHE_OK)
        return status;
    swathe_context_pageable(context, way->pageable);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, source, &from);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, to, &into);
    status = plan_and_run(context, way, &from, &into, &shape);
    swathe_context_destroy(context);
    verdict(counting.live == 0, "memory was not freed");
    return status;
}

static int fail_calls(const struct way *way, bool must_work)
{
    int count = 0;
    for (int all = 0; all < 2; all++)
        for (long long at = 1;; at++, count++) {
            faulty_reset(at, all);
            swathe_status status = run(way, result);
            bool right = status == SWATHE_OK && memcmp(result, expected, BYTES) == 0;
            verdict(right || (!must_work && status != SWATHE_OK && *swathe_error_text()),
                    "neither the correct bytes nor an error");
            verdict(faulty_clean(), "something was not freed, or too early");
            if (!faulty_happened())
                break; /* no calls left to fail */
        }
    faulty_reset(0, false);
    return count;
}

/* The device selected by name, and by `auto`. */
static void fail_way(const char *name, const struct way *way)
{
    struct way by_name = *way, by_itself = *way;
    by_name.device = name;
    by_itself.device = "auto";
    int named = fail_calls(&by_name, false), any = fail_calls(&by_itself, true);
    verdict(any > 10, "auto did not use the device");
    printf("%s, %d workers%s%s: %d failed calls, %d of auto\n", name, way->threads,
           way->timed ? ", timed" : "", way->pageable ? ", pageable" : "", named, any);
}

int main(int argc, char **argv)
{
    const char *name = argc > 2 ? argv[2] : "opencl";
    for (int i = 0; i < BYTES; i++)
        source[i] = (uint8_t)(i * 7919 >> 5);
    static char folder[4000]; /* a separate directory: other tests run at the same time */
    snprintf(folder, sizeof folder, "%s/faults_%s", argc > 1 ? argv[1] : ".", name);
    if (argc < 3 || setenv("XDG_CACHE_HOME", folder, 1) != 0)
        return 2;
    if (run(&(struct way){"cpu", 1, false, false}, expected) != SWATHE_OK ||
        !faulty_install(name) || run(&(struct way){name, 1, false, false}, result) != SWATHE_OK ||
        !device_file_write(folder, name)) {
        printf("skipped: faults of %s (%s)\n", name, swathe_error_text());
        return argc > 3 ? 1 : 77;
    }
    verdict(memcmp(result, expected, BYTES) == 0, "a clean run");
    static const struct way ways[] = {{NULL, 1, false, false},
                                      {NULL, 2, false, false},
                                      {NULL, 1, true, false},
                                      {NULL, 2, true, false},
                                      {NULL, 2, false, true}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        fail_way(name, &ways[i]);
    printf("%d passed, %d failed\n", tried - failed, failed);
    return failed > 0;
}

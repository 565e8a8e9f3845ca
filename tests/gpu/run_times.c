/* The times that a run reports for a device, compared with those that the device saw. run_times
 * [BACK_END [MUST]] */
#include "../core/shorthand.h"
#include "base/os_clock.h"
#include "swathe/unstable.h"
#include "watched.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 331, HEIGHT = 240, CHANNELS = 3, BYTES = WIDTH * HEIGHT * CHANNELS };

static const char chain[] = "mask:(1 2 1; 2 4 2; 1 2 1):normalise,gaussian:5";
static uint8_t source[BYTES], expected[BYTES], result[BYTES];
static const char *name;
static int passed, failed;

static void verdict(bool good, const char *what)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s: %s\n", what, swathe_error_text());
}

struct setting {
    const char *device;
    int32_t threads;
    int64_t device_memory;
    bool stream;
};

/* A context, a plan for it, and views of source and result. */
struct bench {
    swathe_context *context;
    swathe_plan *plan;
    swathe_image from, to;
};

static void close_bench(struct bench *bench)
{
    swathe_plan_destroy(bench->plan);
    swathe_context_destroy(bench->context);
}

static swathe_status open_bench(const struct setting *setting, struct bench *bench)
{
    swathe_context_options options = SWATHE_INIT(swathe_context_options);
    swathe_plan_options plan = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = {0};
    swathe_chain *parsed = NULL;
    *bench = (struct bench){.from = SWATHE_INIT(swathe_image), .to = SWATHE_INIT(swathe_image)};
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = CHANNELS;
    shape.type = SWATHE_U8;
    options.threads = setting->threads;
    options.wisdom = "off";
    plan.device = setting->device;
    plan.device_memory = setting->device_memory;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, source, &bench->from);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, result, &bench->to);
    TRY(swathe_context_create(&options, &bench->context));
    swathe_status status = swathe_chain_parse(bench->context, chain, &parsed);
    if (status == SWATHE_OK)
        status = swathe_plan_create(bench->context, parsed, &shape, &plan, &bench->plan);
    swathe_chain_destroy(parsed);
    if (status != SWATHE_OK)
        close_bench(bench);
    return status;
}

static swathe_status copy_rows(const swathe_image *from, const swathe_image *to)
{
    const swathe_image *part = from->height < to->height ? from : to;
    for (int64_t y = part->y; y < part->y + part->height; y++)
        memcpy((uint8_t *)to->data + (y - to->y) * to->row_stride,
               (const uint8_t *)from->data + (y - from->y) * from->row_stride, WIDTH * CHANNELS);
    return SWATHE_OK;
}

static swathe_status read_rows(void *user, const swathe_image *into)
{
    return copy_rows(&((struct bench *)user)->from, into);
}

static swathe_status write_rows(void *user, const swathe_image *from)
{
    return copy_rows(from, &((struct bench *)user)->to);
}

static swathe_status run_stream(struct bench *bench, const swathe_run_options *run)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    TRY(swathe_plan_get(bench->plan, &info));
    swathe_source *from =
        wrapped_source(bench->context, &info.source, SWATHE_FORWARD, read_rows, bench);
    swathe_sink *to = wrapped_sink(bench->context, &info.result, SWATHE_FORWARD, write_rows, bench);
    swathe_status status = swathe_run_stream(bench->context, bench->plan, from, to, run);
    swathe_sink_destroy(to);
    swathe_source_destroy(from);
    return status;
}

/* Runs the setting; the device's counters are those of this run only. Returns the seconds of the
 * whole run. */
static swathe_status run_one(const struct setting *setting, const double *delay,
                             swathe_run_times *times, double *wall)
{
    struct bench bench;
    swathe_run_options run = SWATHE_INIT(swathe_run_options);
    run.times = times;
    memset(result, 0x5a, BYTES);
    TRY(open_bench(setting, &bench));
    watched_reset();
    memcpy(watched.delay, delay, sizeof watched.delay);
    double start = clock_now();
    swathe_status status =
        setting->stream ? run_stream(&bench, &run)
                        : swathe_run(bench.context, bench.plan, &bench.from, &bench.to, &run);
    *wall = clock_now() - start;
    close_bench(&bench);
    if (status == SWATHE_OK && memcmp(result, expected, BYTES) != 0)
        return swathe_error_set(SWATHE_ERROR_INTERNAL, "wrong bytes");
    return status;
}

static double sum_of(const swathe_run_times *times)
{
    return times->allocate + times->gather + times->upload + times->kernels + times->download +
           times->scatter + times->release;
}

/* Compares the run's report with the device's counters, for any setting. */
static void check(const struct setting *setting, const double *delay, const char *what)
{
    char text[100];
    double wall;
    swathe_run_times times = SWATHE_INIT(swathe_run_times);
    times.kernels = 1e9; /* times are overwritten, not accumulated */
    snprintf(text, sizeof text, "%s: it runs", what);
    verdict(run_one(setting, delay, &times, &wall) == SWATHE_OK, text);
    double parts[] = {times.upload, times.kernels, times.download};
    for (int part = 0; part < WATCHED_PARTS; part++) {
        snprintf(text, sizeof text, "%s: %g s of part %d, at least %g", what, parts[part], part,
                 delay[part]);
        verdict(parts[part] > delay[part] * (double)watched.downloads, text);
    }
    snprintf(text, sizeof text, "%s: gather %g s, scatter %g s, allocate %g s, release %g s", what,
             times.gather, times.scatter, times.allocate, times.release);
    verdict(times.gather > 0.0 && times.scatter > 0.0 && times.allocate > 0.0 &&
                times.release > 0.0,
            text);
    snprintf(text, sizeof text, "%s: %g s by the device's clock, %g s by the host's", what,
             times.launched, times.kernels);
    verdict(times.launched > 0.0 && times.launched < times.kernels, text);
    snprintf(text, sizeof text, "%s: %g s in total, wall time %g s", what, sum_of(&times), wall);
    verdict(sum_of(&times) < setting->threads * wall, text);
    snprintf(text, sizeof text, "%s: %lld bytes up, %lld down, %lld launches", what,
             (long long)times.bytes_up, (long long)times.bytes_down, (long long)times.launches);
    verdict(times.bytes_up == watched.bytes_up && times.bytes_down == watched.bytes_down &&
                times.launches == watched.launches,
            text);
    snprintf(text, sizeof text, "%s: the run waits after each part", what);
    verdict(watched.mixed == 0 && watched.finishes == 3 * watched.downloads, text);
}

static const double at_once[WATCHED_PARTS] = {0.0, 0.0, 0.0};

/* All in one cell: what is copied can be counted by hand. */
static void check_bytes(void)
{
    double wall;
    const struct setting one = {name, 1, 0, false};
    swathe_run_times times = SWATHE_INIT(swathe_run_times);
    int64_t samples = HEIGHT * ((WIDTH * CHANNELS + 63) / 64 * 64);
    int64_t tables = 4 * (WIDTH + 2 + HEIGHT + 2 + WIDTH + 4 + HEIGHT + 4);
    verdict(run_one(&one, at_once, &times, &wall) == SWATHE_OK, "one cell");
    verdict(times.launches == 2, "two stages are two launches");
    verdict(times.bytes_up == samples + tables, "rows padded to 64 bytes, and tables");
    verdict(times.bytes_down == samples, "rows padded to 64 bytes are downloaded");
}

static void check_others(void)
{
    double wall;
    const struct setting cpu = {"cpu", 2, 0, false}, gpu = {name, 1, 30000, false};
    swathe_run_times times = SWATHE_INIT(swathe_run_times);
    times.gather = times.kernels = 1.0;
    times.bytes_up = times.launches = 1;
    verdict(run_one(&cpu, at_once, &times, &wall) == SWATHE_OK, "the CPU");
    verdict(sum_of(&times) + times.launched == 0.0 &&
                times.launches + times.bytes_up + times.bytes_down == 0,
            "the CPU reports zeros");
    verdict(run_one(&gpu, at_once, NULL, &wall) == SWATHE_OK, "without times");
    verdict(watched.downloads > 1 && watched.finishes == watched.downloads,
            "without times, the run waits once for each cell");
}

/* Structs of other versions, and uninitialised structs. */
static void check_sizes(void)
{
    double wall;
    const struct setting one = {name, 1, 0, false};
    swathe_run_times times = SWATHE_INIT(swathe_run_times);
    times.struct_size = offsetof(swathe_run_times, kernels);
    times.kernels = 7.0;
    times.launches = 7;
    verdict(run_one(&one, at_once, &times, &wall) == SWATHE_OK && times.upload > 0.0 &&
                times.kernels == 7.0 && times.launches == 7 &&
                times.struct_size == offsetof(swathe_run_times, kernels),
            "bytes after a shorter struct are unchanged");
    times.struct_size = 0;
    times.upload = 7.0;
    verdict(run_one(&one, at_once, &times, &wall) == SWATHE_ERROR_ARGUMENT && times.upload == 7.0 &&
                watched.launches == 0 && strstr(swathe_error_text(), "times: struct_size is 0"),
            "a struct without a size is refused before the run");
}

/* Callers compiled before `times` existed, and runs that fail. */
static void check_untouched(void)
{
    struct bench bench;
    const struct setting one = {name, 1, 0, false};
    swathe_run_times times = SWATHE_INIT(swathe_run_times);
    swathe_run_options run = SWATHE_INIT(swathe_run_options);
    times.kernels = 7.0;
    run.times = &times;
    if (open_bench(&one, &bench) != SWATHE_OK) {
        verdict(false, "the device could be opened before");
        return;
    }
    run.struct_size = offsetof(swathe_run_options, times);
    verdict(swathe_run(bench.context, bench.plan, &bench.from, &bench.to, &run) == SWATHE_OK &&
                times.kernels == 7.0,
            "options that end before times");
    run.struct_size = sizeof run;
    bench.to.channels = 1;
    verdict(swathe_run(bench.context, bench.plan, &bench.from, &bench.to, &run) ==
                    SWATHE_ERROR_ARGUMENT &&
                times.kernels == 7.0,
            "a run that fails leaves times unchanged");
    close_bench(&bench);
}

/* Computes the CPU's result; fails if there is no such device. */
static swathe_status prepare(void)
{
    struct bench bench;
    const struct setting cpu = {"cpu", 1, 0, false}, one = {name, 1, 0, false};
    for (int i = 0; i < BYTES; i++)
        source[i] = (uint8_t)(i * 7919 >> 5);
    TRY(open_bench(&cpu, &bench));
    swathe_status status = swathe_run(bench.context, bench.plan, &bench.from, &bench.to, NULL);
    close_bench(&bench);
    TRY(status);
    memcpy(expected, result, BYTES);
    TRY(open_bench(&one, &bench));
    close_bench(&bench);
    return SWATHE_OK;
}

int main(int argc, char **argv)
{
    static const double late[WATCHED_PARTS] = {0.010, 0.030, 0.020};
    name = argc > 1 ? argv[1] : "opencl";
    if (!watched_install(name) || prepare() != SWATHE_OK) {
        printf("skipped: run times of %s (%s)\n", name, swathe_error_text());
        return argc > 2 ? 1 : 77;
    }
    check(&(struct setting){name, 1, 0, false}, at_once, "one cell");
    check(&(struct setting){name, 1, 0, false}, late, "one cell, late");
    check(&(struct setting){name, 1, 100000, false}, late, "cells, late");
    check(&(struct setting){name, 2, 100000, false}, late, "two workers, late");
    check(&(struct setting){name, 1, 100000, true}, late, "a stream, late");
    check_bytes();
    check_others();
    check_sizes();
    check_untouched();
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

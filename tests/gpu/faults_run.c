/* Every call of a device fails once, then all from there on, below whole runs: an error or the
 * right bytes, nothing lost; with `auto` always the right bytes. faults_run FOLDER BACK_END [MUST]
 */
#define _GNU_SOURCE
#include "faulty.h"
#include "swathe/swathe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static swathe_status run(const char *device, int32_t threads, uint8_t *to)
{
    swathe_context_options options = SWATHE_INIT(swathe_context_options);
    swathe_plan_options plan = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = SWATHE_INIT(swathe_shape);
    swathe_image from = SWATHE_INIT(swathe_image), into = SWATHE_INIT(swathe_image);
    swathe_context *context;
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = CHANNELS;
    shape.type = SWATHE_U8;
    options.threads = threads;
    options.wisdom = "off";
    plan.device = device;
    plan.device_memory = 30000; /* several pieces */
    memset(to, 0x5a, BYTES);
    swathe_status status = swathe_context_create(&options, &context);
    if (status != SWATHE_OK)
        return status;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, source, &from);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, to, &into);
    status = swathe_apply(context, chain, &from, &into, &plan);
    swathe_context_destroy(context);
    return status;
}

/* As `swathe devices --check` leaves it, for a device that costs nothing. */
static bool remember(const char *folder, const char *name)
{
    char path[4096];
    struct gpu_list *list = calloc(1, sizeof *list);
    gpu_back_end_named(name)->calls->list(list);
    snprintf(path, sizeof path, "%s/swathe", folder);
    mkdir(folder, 0700);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/swathe/devices", folder);
    FILE *file = fopen(path, "w");
    if (file && list->count > 0)
        fprintf(file, "swathe devices 2 %s\n%s:0\t%s\t%s\t0\t0\t0\t0\n", swathe_version(), name,
                list->devices[0].name, list->devices[0].driver);
    bool done = file && list->count > 0;
    if (file)
        fclose(file);
    free(list);
    return done;
}

static int fail_calls(const char *device, int32_t threads, bool must_work)
{
    int count = 0;
    for (int all = 0; all < 2; all++)
        for (long long at = 1;; at++, count++) {
            faulty_reset(at, all);
            swathe_status status = run(device, threads, result);
            bool right = status == SWATHE_OK && memcmp(result, expected, BYTES) == 0;
            verdict(right || (!must_work && status != SWATHE_OK && *swathe_error_text()),
                    "neither the right bytes nor an error");
            verdict(faulty_clean(), "something was not freed");
            if (!faulty_happened())
                break; /* no call left to fail */
        }
    faulty_reset(0, false);
    return count;
}

int main(int argc, char **argv)
{
    const char *name = argc > 2 ? argv[2] : "opencl";
    for (int i = 0; i < BYTES; i++)
        source[i] = (uint8_t)(i * 7919 >> 5);
    static char folder[4000]; /* of its own: others run beside it */
    snprintf(folder, sizeof folder, "%s/faults_%s", argc > 1 ? argv[1] : ".", name);
    if (argc < 3 || setenv("XDG_CACHE_HOME", folder, 1) != 0)
        return 2;
    if (run("cpu", 1, expected) != SWATHE_OK || !faulty_install(name) ||
        run(name, 1, result) != SWATHE_OK || !remember(folder, name)) {
        printf("skipped: faults of %s (%s)\n", name, swathe_error_text());
        return argc > 3 ? 1 : 77;
    }
    verdict(memcmp(result, expected, BYTES) == 0, "a clean run");
    for (int32_t threads = 1; threads <= 2; threads++) {
        int named = fail_calls(name, threads, false), any = fail_calls("auto", threads, true);
        verdict(any > 10, "auto did not use the device");
        printf("%s, %d lanes: %d failed calls, %d of auto\n", name, threads, named, any);
    }
    printf("%d passed, %d failed\n", tried - failed, failed);
    return failed > 0;
}

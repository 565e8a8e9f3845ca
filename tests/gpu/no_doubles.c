/* A device without f64 arithmetic: what needs it is refused with the reason, `auto` uses the CPU,
 * and the rest runs. no_doubles DIRECTORY BACK_END [MUST] */
#define _GNU_SOURCE /* setenv */
#include "../core/shorthand.h"
#include "device_file.h"
#include "gpu/drivers/device.h"
#include "swathe/swathe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 37, HEIGHT = 21, BYTES_MOST = WIDTH * HEIGHT * 3 * 8 };

static const struct gpu_calls *inner;
static struct gpu_calls calls;
static const char *back_end;
static bool hides;
static int passed, failed;
static uint8_t source[BYTES_MOST], expected[BYTES_MOST], result[BYTES_MOST];

static void verdict(bool good, const char *what, const char *of)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s: %s: %s\n", of, what, swathe_error_text());
}

static void list(struct gpu_list *found)
{
    inner->list(found);
    for (int32_t i = 0; hides && i < found->count; i++)
        found->devices[i].limits.doubles = false;
}

/* Samples of all types are small numbers, so that no type needs special ones. */
static void fill(swathe_type type)
{
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
        int value = i * 7919 % 251;
        if (type == SWATHE_F64)
            ((double *)source)[i] = value / 3.0;
        else if (type == SWATHE_F32)
            ((float *)source)[i] = (float)value / 3.0f;
        else
            ((uint32_t *)source)[i] = (uint32_t)value * 10000019u;
    }
}

static swathe_status run(const char *device, const char *strategy, const char *chain,
                         swathe_type type, uint8_t *to)
{
    swathe_context_options how = SWATHE_INIT(swathe_context_options);
    swathe_plan_options options = SWATHE_INIT(swathe_plan_options);
    swathe_image from = SWATHE_INIT(swathe_image), into = SWATHE_INIT(swathe_image);
    swathe_shape shape = {.width = WIDTH, .height = HEIGHT, .channels = 3, .type = type};
    swathe_context *context = NULL;
    how.wisdom = "off";
    options.device = device;
    options.strategy = strategy;
    options.exact = 1;
    memset(to, 0, BYTES_MOST);
    swathe_status status = swathe_context_create(&how, &context);
    if (status != SWATHE_OK)
        return status;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, source, &from);
    shape.type = strstr(chain, "type=f64") ? SWATHE_F64 : type;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, to, &into);
    status = filter_with(context, chain, &from, &into, &options);
    swathe_context_destroy(context);
    return status;
}

static bool is_right(const char *device, const char *chain, swathe_type type)
{
    return run(device, NULL, chain, type, result) == SWATHE_OK &&
           memcmp(result, expected, sizeof result) == 0;
}

static const struct row {
    const char *chain, *strategy;
    swathe_type type;
    bool needs_doubles;
} rows[] = {
    {"gaussian:5", NULL, SWATHE_F64, true},
    {"sharpen", "tiled", SWATHE_F64, true},
    {"sharpen", "convert-tiled-planar", SWATHE_F64, true}, /* whose first kernel only copies */
    {"sharpen,sharpen", "3channel", SWATHE_F64, true},
    {"sharpen:type=f64", NULL, SWATHE_F32, true},
    {"gaussian:5", NULL, SWATHE_U32, true},
    {"sharpen", NULL, SWATHE_S32, true},
    {"box:3", NULL, SWATHE_U32, false},
    {"box:5", NULL, SWATHE_S32, false},
    {"gaussian:5", NULL, SWATHE_F32, false},
    {"abs", NULL, SWATHE_F32, false},
    {"abs:bias=0.5", NULL, SWATHE_F32, true},
    {"gradient", NULL, SWATHE_F32, false}, /* whose square root is computed in integers */
    {"mix:(1 2 3; 3 2 1; 0 1 0)", NULL, SWATHE_F32, false},
    {"abs", NULL, SWATHE_S32, true},
    {"gradient", NULL, SWATHE_U32, true},
    {"mix:(1 0 0; 0 1 0; 0 0 1)", NULL, SWATHE_F64, true},
    {"box:3:border=missing", NULL, SWATHE_F32, true},
};

/* What the list of devices says about the device. */
static int listed(void)
{
    swathe_device_info info = SWATHE_INIT(swathe_device_info);
    swathe_context *context = NULL;
    int found = -1;
    if (swathe_context_create(NULL, &context) != SWATHE_OK)
        return found;
    for (int32_t i = 0; swathe_device_get(context, i, &info) == SWATHE_OK; i++)
        if (strcmp(info.back_end, back_end) == 0 && *info.device)
            found = info.exact_doubles;
    swathe_context_destroy(context);
    return found;
}

static void check(const struct row *row)
{
    fill(row->type);
    verdict(run("cpu", NULL, row->chain, row->type, expected) == SWATHE_OK, "cpu", row->chain);
    hides = false;
    verdict(is_right(back_end, row->chain, row->type), "a device with f64", row->chain);
    verdict(listed() == 1, "listed with f64", row->chain);
    hides = true;
    verdict(listed() == 0, "listed without f64", row->chain);
    verdict(is_right("auto", row->chain, row->type), "auto", row->chain);
    if (!row->needs_doubles) {
        verdict(is_right(back_end, row->chain, row->type), "runs without f64", row->chain);
        return;
    }
    swathe_status status = run(back_end, row->strategy, row->chain, row->type, result);
    verdict(status == SWATHE_ERROR_UNSUPPORTED &&
                strstr(swathe_error_text(), "has no f64 arithmetic") &&
                strstr(swathe_error_text(), "use device cpu"),
            "the refusal", row->chain);
}

int main(int argc, char **argv)
{
    static char folder[4000]; /* a separate directory: other tests run at the same time */
    if (argc < 3)
        return 2;
    back_end = argv[2];
    snprintf(folder, sizeof folder, "%s/no_doubles_%s", argv[1], back_end);
    if (setenv("XDG_CACHE_HOME", folder, 1) != 0 || !gpu_back_end_named(back_end))
        return 2;
    inner = gpu_back_end_named(back_end)->calls;
    calls = *inner;
    calls.list = list;
    gpu_back_end_wrap(back_end, &calls);
    if (!device_file_write(folder, back_end)) {
        printf("skipped: no device of %s\n", back_end);
        return argc > 3 ? 1 : 77;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check(&rows[i]);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

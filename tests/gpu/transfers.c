/* Copies through pinned and through pageable memory: the same bytes, and the plan states which is
 * used. transfers [BACK_END [MUST]] */
#include "../core/shorthand.h"
#include "swathe/unstable.h"
#include "watched.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 75, HEIGHT = 64, CHANNELS = 3, BYTES = WIDTH * HEIGHT * CHANNELS };

static const char chain[] = "sharpen,gaussian:5";
static uint8_t source[BYTES], expected[BYTES], result[BYTES];
static int passed, failed;

static void verdict(bool good, const char *what)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s: %s\n", what, swathe_error_text());
}

static swathe_context *new_context(void)
{
    swathe_context_options options = SWATHE_INIT(swathe_context_options);
    swathe_context *context = NULL;
    options.wisdom = "off";
    options.threads = 2;
    (void)swathe_context_create(&options, &context);
    return context;
}

static swathe_shape shape_of_image(void)
{
    swathe_shape shape = {0};
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = CHANNELS;
    shape.type = SWATHE_U8;
    return shape;
}

static swathe_status run(const char *device, int32_t pageable, uint8_t *to)
{
    swathe_plan_options plan = SWATHE_INIT(swathe_plan_options);
    swathe_image from = SWATHE_INIT(swathe_image), into = SWATHE_INIT(swathe_image);
    swathe_shape shape = shape_of_image();
    swathe_context *context = new_context();
    plan.device = device;
    plan.device_memory = 30000; /* several cells */
    swathe_context_pageable(context, pageable);
    memset(to, 0x5a, BYTES);
    watched_reset();
    swathe_image_init(&shape, SWATHE_INTERLEAVED, source, &from);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, to, &into);
    swathe_status status = filter_with(context, chain, &from, &into, &plan);
    swathe_context_destroy(context);
    return status;
}

static void check_runs(const char *name)
{
    verdict(run(name, 0, result) == SWATHE_OK && memcmp(result, expected, BYTES) == 0 &&
                watched.hosts > 0,
            "pinned memory is the driver's");
    verdict(run(name, 1, result) == SWATHE_OK && memcmp(result, expected, BYTES) == 0 &&
                watched.hosts == 0 && watched.bytes_up > 0,
            "pageable does not use the driver's memory");
    verdict(run("cpu", 1, result) == SWATHE_OK && memcmp(result, expected, BYTES) == 0,
            "the CPU has no transfers");
}

static bool mentions_pageable(const swathe_plan *plan)
{
    char people[2000] = "";
    return swathe_plan_text(plan, SWATHE_TEXT_PEOPLE, people, sizeof people, NULL) == SWATHE_OK &&
           strstr(people, "pageable");
}

/* The setting applies to plans that are created after it was made. */
static void check_texts(const char *name)
{
    char text[500];
    swathe_plan *before = NULL, *plan = NULL, *after = NULL;
    swathe_context *context = new_context();
    snprintf(text, sizeof text, "contract=%d shape=75x64x3:u8 device=%s chain={sharpen}",
             (int)swathe_contract(), name);
    swathe_status status = swathe_plan_parse(context, text, &before);
    swathe_context_pageable(context, 1);
    if (status == SWATHE_OK)
        status = swathe_plan_parse(context, text, &plan);
    swathe_context_pageable(context, 0);
    if (status == SWATHE_OK)
        status = swathe_plan_parse(context, text, &after);
    verdict(status == SWATHE_OK, "plans");
    verdict(mentions_pageable(plan), "the text for people names it");
    verdict(!mentions_pageable(before) && !mentions_pageable(after), "only of this plan");
    swathe_plan_destroy(after);
    swathe_plan_destroy(plan);
    swathe_plan_destroy(before);
    swathe_context_destroy(context);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "opencl";
    for (int i = 0; i < BYTES; i++)
        source[i] = (uint8_t)(i * 7919 >> 5);
    if (!watched_install(name) || run("cpu", 0, expected) != SWATHE_OK ||
        run(name, 0, result) != SWATHE_OK) {
        printf("skipped: transfers of %s (%s)\n", name, swathe_error_text());
        return argc > 2 ? 1 : 77;
    }
    check_runs(name);
    check_texts(name);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

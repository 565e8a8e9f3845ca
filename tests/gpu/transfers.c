/* Copies through pinned and through pageable memory: the same bytes, and the plan states which is
 * used. transfers [BACK_END [MUST]] */
#include "swathe/swathe.h"
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

static swathe_status run(const char *device, const char *transfer, uint8_t *to)
{
    swathe_plan_options plan = SWATHE_INIT(swathe_plan_options);
    swathe_image from = SWATHE_INIT(swathe_image), into = SWATHE_INIT(swathe_image);
    swathe_shape shape = shape_of_image();
    swathe_context *context = new_context();
    plan.device = device;
    plan.transfer = transfer;
    plan.device_memory = 30000; /* several cells */
    memset(to, 0x5a, BYTES);
    watched_reset();
    swathe_image_init(&shape, SWATHE_INTERLEAVED, source, &from);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, to, &into);
    swathe_status status = swathe_apply(context, chain, &from, &into, &plan);
    swathe_context_destroy(context);
    return status;
}

static void check_runs(const char *name)
{
    verdict(run(name, NULL, result) == SWATHE_OK && memcmp(result, expected, BYTES) == 0 &&
                watched.hosts > 0,
            "pinned memory by default");
    verdict(run(name, "pinned", result) == SWATHE_OK && memcmp(result, expected, BYTES) == 0 &&
                watched.hosts > 0,
            "pinned uses the driver's memory");
    verdict(run(name, "pageable", result) == SWATHE_OK && memcmp(result, expected, BYTES) == 0 &&
                watched.hosts == 0 && watched.bytes_up > 0,
            "pageable does not use the driver's memory");
    verdict(run("cpu", "pageable", result) == SWATHE_OK && memcmp(result, expected, BYTES) == 0,
            "the CPU has no transfers");
    verdict(run(name, "pagable", result) == SWATHE_ERROR_ARGUMENT &&
                strstr(swathe_error_text(), "'pagable'; did you mean 'pageable'?"),
            "an unknown word");
}

/* The problem string of a plan that was created from its own problem string. */
static bool print_again(swathe_context *context, char *text, size_t size)
{
    swathe_plan *plan = NULL;
    bool done = swathe_plan_parse(context, text, &plan) == SWATHE_OK &&
                swathe_plan_text(plan, SWATHE_TEXT_PROBLEM, text, size, NULL) == SWATHE_OK;
    swathe_plan_destroy(plan);
    return done;
}

static void check_texts(const char *name)
{
    char text[500], again[500], people[2000] = "";
    swathe_plan *plan = NULL;
    swathe_context *context = new_context();
    snprintf(text, sizeof text,
             "contract=%d shape=75x64x3:u8 device=%s transfer=pageable chain={sharpen}",
             (int)swathe_contract(), name);
    snprintf(again, sizeof again, "%s", text);
    verdict(print_again(context, again, sizeof again) && strstr(again, " transfer=pageable "),
            "a problem string contains it");
    snprintf(text, sizeof text, "%s", again);
    verdict(print_again(context, again, sizeof again) && strcmp(text, again) == 0,
            "and is parsed unchanged");
    verdict(swathe_plan_parse(context, text, &plan) == SWATHE_OK &&
                swathe_plan_text(plan, SWATHE_TEXT_PEOPLE, people, sizeof people, NULL) ==
                    SWATHE_OK &&
                strstr(people, "pageable"),
            "the text for people names it");
    swathe_plan_destroy(plan);
    swathe_context_destroy(context);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "opencl";
    for (int i = 0; i < BYTES; i++)
        source[i] = (uint8_t)(i * 7919 >> 5);
    if (!watched_install(name) || run("cpu", NULL, expected) != SWATHE_OK ||
        run(name, NULL, result) != SWATHE_OK) {
        printf("skipped: transfers of %s (%s)\n", name, swathe_error_text());
        return argc > 2 ? 1 : 77;
    }
    check_runs(name);
    check_texts(name);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

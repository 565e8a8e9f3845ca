/* Masks from memory: mixed with text in one chain, written and read back, planned in no time. */
#include "base/os_clock.h"
#include "swathe/unstable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void expect(int held, const char *what)
{
    if (!held) {
        printf("FAILED: %s (%s)\n", what, swathe_error_text());
        failures++;
    }
}

/* Numbers that need 17 digits, so that writing and reading them is put to the test. */
static double *make_taps(int32_t count)
{
    double *taps = malloc(sizeof *taps * (size_t)count);
    uint32_t state = 7;
    if (!taps)
        exit(1);
    for (int32_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        taps[i] = ((double)state / 4294967296.0 - 0.4) / count;
    }
    return taps;
}

static swathe_mask make_mask(int32_t width, int32_t height, const double *taps)
{
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    mask.width = width;
    mask.height = height;
    mask.taps = taps;
    return mask;
}

static char *text_of(const swathe_chain *chain)
{
    size_t needed = 0;
    expect(swathe_chain_text(chain, NULL, 0, &needed) == SWATHE_OK, "the text's size");
    char *text = malloc(needed);
    if (!text)
        exit(1);
    expect(swathe_chain_text(chain, text, needed, NULL) == SWATHE_OK, "the text");
    return text;
}

static void check_same(const swathe_chain *a, const swathe_chain *b, const char *what)
{
    expect(swathe_chain_stages(a) == swathe_chain_stages(b), what);
    for (int32_t s = 0; s < swathe_chain_stages(a); s++) {
        swathe_mask one = SWATHE_INIT(swathe_mask), two = SWATHE_INIT(swathe_mask);
        expect(swathe_chain_mask(a, s, 0, &one) == SWATHE_OK &&
                   swathe_chain_mask(b, s, 0, &two) == SWATHE_OK,
               what);
        expect(one.width == two.width && one.height == two.height && one.anchor_x == two.anchor_x &&
                   one.anchor_y == two.anchor_y && one.dilate_x == two.dilate_x &&
                   one.bias == two.bias &&
                   memcmp(one.taps, two.taps,
                          sizeof *one.taps * (size_t)one.width * (size_t)one.height) == 0,
               what);
    }
}

/* Also of a plan, whose line makes the same chain again; it outlives the chain, which ends here. */
static void check_problem(swathe_context *context, swathe_chain *chain)
{
    static char line[1 << 20], again[1 << 20];
    swathe_shape shape = {.width = 90, .height = 80, .channels = 1, .type = SWATHE_F32};
    swathe_plan *plan = NULL, *other = NULL;
    char *text = text_of(chain);
    expect(swathe_plan_create(context, chain, &shape, NULL, &plan) == SWATHE_OK, "a plan");
    swathe_chain_destroy(chain);
    expect(swathe_plan_text(plan, SWATHE_TEXT_PROBLEM, line, sizeof line, NULL) == SWATHE_OK &&
               strstr(line, text),
           "its line has the chain");
    expect(swathe_plan_parse(context, line, &other) == SWATHE_OK &&
               swathe_plan_text(other, SWATHE_TEXT_PROBLEM, again, sizeof again, NULL) ==
                   SWATHE_OK &&
               strcmp(line, again) == 0,
           "its line makes it again");
    expect(swathe_plan_text(plan, SWATHE_TEXT_JSON, again, sizeof again, NULL) == SWATHE_OK &&
               strstr(again, line),
           "JSON has the line");
    swathe_plan_destroy(plan);
    swathe_plan_destroy(other);
    free(text);
}

static void check_mixed(swathe_context *context, int32_t width, int32_t height, const char *options)
{
    double *taps = make_taps(width * height);
    swathe_mask mask = make_mask(width, height, taps);
    swathe_chain *chain = NULL, *again = NULL;
    mask.has_anchor = 1;
    mask.anchor_x = width / 3;
    mask.bias = 0.1;
    expect(swathe_chain_parse(context, "box:3", &chain) == SWATHE_OK, "a chain");
    expect(swathe_chain_append_mask(context, chain, &mask, 1, options) == SWATHE_OK, "an array");
    expect(swathe_chain_append(context, chain, "sharpen,mask:(1 2)") == SWATHE_OK, "a text");
    memset(taps, 0, sizeof *taps * (size_t)width * (size_t)height); /* the chain has copied them */
    expect(swathe_chain_stages(chain) == 4, "four stages");
    char *text = text_of(chain);
    expect(swathe_chain_append(context, chain, "edge,blur") == SWATHE_ERROR_ARGUMENT &&
               swathe_chain_append_mask(context, chain, &mask, 1, "(1 2)") ==
                   SWATHE_ERROR_ARGUMENT &&
               swathe_chain_stages(chain) == 4,
           "a failure appends nothing");
    expect(swathe_chain_parse(context, text, &again) == SWATHE_OK, "the text is read back");
    check_same(chain, again, options ? options : "no options");
    check_problem(context, chain);
    swathe_chain_destroy(again);
    free(text);
    free(taps);
}

/* Printing and parsing the taps took half a minute; what is left takes a few milliseconds a pass,
 * and half a second for their spectra, under sanitizers ten times that. */
static void check_large(swathe_context *context, swathe_type type)
{
    enum { SIDE = 1024, MOST = 15 };
    double *taps = make_taps(SIDE * SIDE);
    swathe_mask mask = make_mask(SIDE, SIDE, taps);
    swathe_shape shape = {.width = 4000, .height = 3000, .channels = 3, .type = type};
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    double start = clock_used();
    expect(swathe_chain_parse(context, "", &chain) == SWATHE_OK &&
               swathe_chain_append_mask(context, chain, &mask, 1, NULL) == SWATHE_OK &&
               swathe_plan_create(context, chain, &shape, NULL, &plan) == SWATHE_OK,
           "a large mask");
    double seconds = clock_used() - start;
    printf("type %d: %.1f ms\n", (int)type, 1e3 * seconds);
    expect(seconds < MOST, "a large mask is planned in a moment");
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    free(taps);
}

/* A mask of one term, with tiny noise in every second row and column, which a sample of the mask
 * may consist of. The noise does not matter beside the other taps. */
static void check_noise(swathe_context *context)
{
    enum { SIDE = 128 };
    double *taps = make_taps(SIDE * SIDE);
    swathe_mask mask = make_mask(SIDE, SIDE, taps);
    swathe_shape shape = {.width = 300, .height = 300, .channels = 1, .type = SWATHE_F32};
    swathe_plan_options options = SWATHE_INIT(swathe_plan_options);
    swathe_stage_info info = SWATHE_INIT(swathe_stage_info);
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    for (int32_t y = 0; y < SIDE; y++)
        for (int32_t x = 0; x < SIDE; x++) {
            double term = y % 2 && x % 2 ? (1 + y % 7) * (1 + x % 5) * 1e-5 : 0;
            taps[y * SIDE + x] = y % 2 || x % 2 ? term : 1e-8 * taps[y * SIDE + x];
        }
    options.algorithm = "low-rank";
    expect(swathe_chain_parse(context, "", &chain) == SWATHE_OK &&
               swathe_chain_append_mask(context, chain, &mask, 1, NULL) == SWATHE_OK &&
               swathe_plan_create(context, chain, &shape, &options, &plan) == SWATHE_OK &&
               swathe_plan_stage(plan, 0, &info) == SWATHE_OK,
           "a mask with noise");
    expect(info.algorithm && strcmp(info.algorithm, "low-rank") == 0, "noise is not a term");
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    free(taps);
}

int main(void)
{
    static const char *const options[] = {NULL, "border=wrap", "flip:normalise", "clamp=0..1:flip"};
    swathe_context *context = NULL;
    if (swathe_context_create(NULL, &context) != SWATHE_OK)
        return 1;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        check_mixed(context, 3, 2, options[i]);
        check_mixed(context, 31, 29, options[i]);
    }
    check_noise(context);
    check_large(context, SWATHE_U8);
    check_large(context, SWATHE_F32);
    swathe_context_destroy(context);
    return failures ? 1 : 0;
}

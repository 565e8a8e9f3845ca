/* What becomes of numbers between types: all values of 8 and 16 bits, the ends of every range, the
 * defaults, alpha, and abs. */
#include "shorthand.h"
#include "swathe/unstable.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = 65536 };

static swathe_context *context;
static int passed, failed;

static void expect(int good, const char *what)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s\n", what);
}

/* Runs a chain over one row of `count` pixels; the result has the type of `options`. */
static void run_row(const char *chain, const swathe_shape *shape, const void *from, void *to,
                    const swathe_plan_options *options)
{
    swathe_image source = SWATHE_INIT(swathe_image), result = SWATHE_INIT(swathe_image);
    swathe_shape made = *shape;
    made.type = options->type ? options->type : shape->type;
    if (swathe_image_init(shape, SWATHE_INTERLEAVED, (void *)(uintptr_t)from, &source) !=
            SWATHE_OK ||
        swathe_image_init(&made, SWATHE_INTERLEAVED, to, &result) != SWATHE_OK ||
        filter_with(context, chain, &source, &result, options) != SWATHE_OK) {
        printf("FAILED: %s: %s\n", chain, swathe_error_text());
        exit(1);
    }
}

static swathe_shape row_of(swathe_type type, int64_t count, int32_t channels)
{
    swathe_shape shape = {0};
    shape.width = count;
    shape.height = 1;
    shape.channels = channels;
    shape.type = type;
    return shape;
}

static void convert(swathe_type in, swathe_type out, const char *values, int64_t count,
                    const void *from, void *to)
{
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = row_of(in, count, 1);
    o.type = out;
    if (values)
        expect(swathe_plan_options_set(&o, "values", values) == SWATHE_OK, values);
    run_row("identity", &shape, from, to, &o);
}

static uint8_t bytes[ALL], bytes_again[ALL];
static uint16_t words[ALL], words_again[ALL];
static uint32_t longs[ALL];

static void all_values(void)
{
    int exact = 1;
    for (int i = 0; i < ALL; i++) {
        words[i] = (uint16_t)i;
        bytes[i] = (uint8_t)i;
    }
    convert(SWATHE_U16, SWATHE_U8, NULL, ALL, words, bytes_again);
    for (int i = 0; i < ALL; i++)
        exact &= bytes_again[i] == (uint8_t)floor(i / 257.0 + 0.5);
    expect(exact, "u16 to u8 is p / 257, rounded, for every p");
    convert(SWATHE_U8, SWATHE_U16, NULL, ALL, bytes, words_again);
    convert(SWATHE_U16, SWATHE_U8, NULL, ALL, words_again, bytes_again);
    expect(memcmp(bytes, bytes_again, sizeof bytes) == 0, "u8 to u16 to u8 is the identity");
    convert(SWATHE_U16, SWATHE_U32, NULL, ALL, words, longs);
    convert(SWATHE_U32, SWATHE_U16, NULL, ALL, longs, words_again);
    expect(memcmp(words, words_again, sizeof words) == 0, "u16 to u32 to u16 is the identity");
    convert(SWATHE_U8, SWATHE_U32, NULL, ALL, bytes, longs);
    convert(SWATHE_U32, SWATHE_U8, NULL, ALL, longs, bytes_again);
    expect(memcmp(bytes, bytes_again, sizeof bytes) == 0, "u8 to u32 to u8 is the identity");
}

static void defaults(void)
{
    uint16_t from[] = {0, 200, 257, 65535};
    uint8_t kept[4], scaled[4];
    int16_t signed_words[4];
    float floats[4];
    convert(SWATHE_U16, SWATHE_U8, "keep", 4, from, kept);
    expect(kept[1] == 200 && kept[2] == 255, "keep clamps");
    convert(SWATHE_U16, SWATHE_U8, NULL, 4, from, scaled);
    expect(scaled[1] == 1 && scaled[2] == 1 && scaled[3] == 255, "unsigned types are scaled");
    convert(SWATHE_U16, SWATHE_S16, NULL, 4, from, signed_words);
    expect(signed_words[1] == 200 && signed_words[3] == 32767, "signed types keep numbers");
    convert(SWATHE_U16, SWATHE_F32, NULL, 4, from, floats);
    expect(floats[1] == 200.0f && floats[3] == 65535.0f, "floats keep numbers");
    convert(SWATHE_U16, SWATHE_F32, "scale", 4, from, floats);
    expect(floats[0] == 0.0f && floats[3] == 1.0f && floats[2] == (float)(257.0 / 65535.0),
           "scale to floats is 0 to 1");
}

static void ends_of_fit(void)
{
    static const double ranges[][2] = {{-3.5, 1e9}, {0.1, 0.3}, {-1e-300, 1e-300}, {5, 5}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        char values[80];
        double from[5] = {ranges[i][0], ranges[i][1], -INFINITY, INFINITY, NAN}, floats[5];
        uint16_t to[5];
        snprintf(values, sizeof values, "fit(%.17g..%.17g)", from[0], from[1]);
        convert(SWATHE_F64, SWATHE_U16, values, 5, from, to);
        int single = from[0] == from[1];
        expect(to[0] == 0 && to[1] == (single ? 0 : 65535) && to[2] == 0 && to[3] == 65535 &&
                   to[4] == 0,
               "fit maps the ends to 0 and the maximum, and clamps");
        convert(SWATHE_F64, SWATHE_F64, values, 5, from, floats);
        expect(floats[0] == 0.0 && floats[1] == (single ? 0.0 : 1.0) && floats[2] == 0.0 &&
                   floats[3] == 1.0 && isnan(floats[4]),
               "fit of floats has the range 0 to 1, and NaN stays");
    }
}

/* Alpha is scaled when colours are fitted, also if its numbers came through another type. */
static void alpha(void)
{
    swathe_shape shape = row_of(SWATHE_U8, 3, 2);
    uint8_t from[6] = {10, 0, 20, 128, 30, 255};
    uint16_t to[6];
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    shape.alpha = 2;
    o.type = SWATHE_U16;
    o.values = SWATHE_VALUES_FIT;
    o.values_low = 10;
    o.values_high = 30;
    run_row("identity:type=s16", &shape, from, to, &o);
    expect(to[0] == 0 && to[4] == 65535, "fit maps colours");
    expect(to[1] == 0 && to[3] == 128 * 257 && to[5] == 65535, "alpha is scaled");
}

static void absolute(void)
{
    int16_t from[] = {-32768, -1, 0, 5}, to[4];
    swathe_shape shape = row_of(SWATHE_S16, 4, 1);
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    run_row("abs", &shape, from, to, &o);
    expect(to[0] == 32767 && to[1] == 1 && to[2] == 0 && to[3] == 5, "abs");
}

static void refuse(const char *values, const char *text)
{
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    swathe_shape shape = row_of(SWATHE_U8, 1, 1);
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_chain_parse(context, "identity", &chain);
    swathe_status status = swathe_plan_options_set(&o, "values", values);
    if (status == SWATHE_OK)
        status = swathe_plan_create(context, chain, &shape, &o, &plan);
    expect(status == SWATHE_ERROR_ARGUMENT && strstr(swathe_error_text(), text), values);
    swathe_chain_destroy(chain);
}

/* A problem string contains the option, and the chain without the appended stage. */
static void problem_strings(void)
{
    static const char text[] =
        "contract=3 shape=5x4x1:u16 type=u8 values=fit(3..70.5) chain={box:3}";
    char again[200];
    swathe_plan *plan = NULL;
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    expect(swathe_plan_parse(context, text, &plan) == SWATHE_OK &&
               swathe_plan_text(plan, SWATHE_TEXT_PROBLEM, again, sizeof again, NULL) ==
                   SWATHE_OK &&
               strcmp(text, again) == 0,
           "the problem string");
    swathe_plan_get(plan, &info);
    expect(info.stages == 2 && info.result.type == SWATHE_U8, "one stage is appended");
    swathe_plan_destroy(plan);
}

int main(void)
{
    if (swathe_context_create(NULL, &context) != SWATHE_OK)
        return fprintf(stderr, "between_types: %s\n", swathe_error_text()), 2;
    all_values();
    defaults();
    ends_of_fit();
    alpha();
    absolute();
    problem_strings();
    refuse("scal", "did you mean 'scale'");
    refuse("fits", "fit(LO..HI)");
    refuse("fit", "LO <= HI");
    refuse("fit(3..2)", "LO <= HI");
    refuse("fit(1)", "LO <= HI");
    refuse("fit(-1e308..1e308)", "finite difference");
    refuse("fit(nan..1)", "LO <= HI");
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

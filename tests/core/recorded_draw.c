/* Problems whose results contract 3 defines, and later contracts keep: names, types and options are
 * listed here and not taken from tables that grow. Whatever later contracts
 * may choose differently by default is written out or not used: how alpha is treated, and the
 * values after a change of integer type that the plan asks for. */
#include "recorded.h"

#include "base/text.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { TYPES = 4, BORDERS = 7, F32 = 3 };
static const char *const types[TYPES] = {"u8", "u16", "s16", "f32"};
static const char *const borders[BORDERS] = {"reflect", "reflect101", "replicate", "wrap",
                                             "zero",    "constant",   "valid"};

enum rule {
    REAL,      /* a mask of reals */
    WHOLE,     /* a mask of whole numbers or halves: rounding ties */
    SEPARABLE, /* a mask that is a product of a column and a row */
    EACH,      /* one mask per channel */
    NAMED,
    GAUSSIAN,
    BOX,
    LARGE, /* large masks */
    CHAIN, /* two or three stages of the rules above, except LARGE */
    RULES
};
static_assert(RECORDED_ROUND == TYPES * TYPES * BORDERS * RULES, "every combination once");

struct sketch {
    struct rng *rng;
    struct text text;
    int source, result; /* types */
    int channels;
};

/* One of `count` texts. */
static const char *pick(struct rng *rng, const char *const *texts, size_t count)
{
    return texts[rng_between(rng, 0, (int64_t)count - 1)];
}

#define PICK(rng, texts) pick(rng, texts, sizeof(texts) / sizeof *(texts))

static void put_size(struct sketch *s, const char *before, int64_t low, int64_t high)
{
    int width = (int)rng_between(s->rng, low, high);
    text_add(&s->text, "%s%dx%d", before, width, (int)rng_between(s->rng, low, high));
}

static void put_border(struct sketch *s, int border, bool any_type)
{
    text_add(&s->text, "border=%s", borders[border]);
    if (strcmp(borders[border], "constant") != 0)
        return;
    if (!any_type && s->source == F32)
        text_add(&s->text, "(%.4g)", 3.0 * rng_unit(s->rng));
    else if (!any_type && strcmp(types[s->source], "s16") == 0)
        text_add(&s->text, "(%d)", (int)rng_between(s->rng, -300, 300));
    else
        text_add(&s->text, "(%d)", (int)rng_between(s->rng, 1, 255));
}

/* The taps of one mask. */
static void put_taps(struct sketch *s, enum rule rule, int64_t width, int64_t height)
{
    static const double scales[] = {1.0, 2.0, 0.5, 40.0, 0.01, 5e3, 2e6};
    double scale = scales[rng_skewed(s->rng, 0, 6)] / (double)(width * height);
    int64_t column[8], row[8], half = rng_once_in(s->rng, 2) ? 2 : 1;
    for (int i = 0; i < 8; i++) {
        column[i] = rng_between(s->rng, -2, 4);
        row[i] = rng_between(s->rng, -1, 3);
    }
    text_add(&s->text, ":(");
    for (int64_t i = 0; i < width * height; i++) {
        text_add(&s->text, "%s", i == 0 ? "" : i % width == 0 ? ";" : " ");
        double unit = rng_unit(s->rng);
        if (rule == SEPARABLE)
            text_add(&s->text, "%.4g", (double)(column[i / width] * row[i % width]) / 16.0);
        else if (rule == WHOLE)
            text_add(&s->text, "%.3g", (double)(int64_t)(unit * 6.0) / (double)half);
        else
            text_add(&s->text, "%.4g", unit > 0.8 ? 0.0 : scale * (unit + 0.7));
    }
    text_add(&s->text, ")");
}

static void put_mask(struct sketch *s, enum rule rule)
{
    int64_t most = rule == EACH ? 3 : rule == REAL ? 5 : 7;
    int width = (int)rng_between(s->rng, 1, most), height = (int)rng_between(s->rng, 1, most);
    text_add(&s->text, "mask");
    for (int i = 0; i < (rule == EACH ? s->channels : 1); i++)
        put_taps(s, rule, width, height);
    if (rng_once_in(s->rng, 4)) {
        int x = (int)rng_between(s->rng, 0, width - 1);
        text_add(&s->text, ":anchor=%dx%d", x, (int)rng_between(s->rng, 0, height - 1));
    }
    if (rng_once_in(s->rng, 6))
        text_add(&s->text, ":normalise");
}

static void put_gaussian(struct sketch *s)
{
    text_add(&s->text, "gaussian");
    if (rng_once_in(s->rng, 3))
        text_add(&s->text, ":%d", (int)rng_between(s->rng, 1, 11));
    else if (rng_once_in(s->rng, 2))
        put_size(s, ":", 1, 15);
    if (rng_once_in(s->rng, 3))
        text_add(&s->text, ":sigma=%.3g", 1.1 + 0.9 * rng_unit(s->rng));
    if (rng_once_in(s->rng, 3))
        text_add(&s->text, ":dense");
}

static void put_box(struct sketch *s)
{
    text_add(&s->text, "box");
    if (rng_once_in(s->rng, 2))
        text_add(&s->text, ":%d", (int)rng_between(s->rng, 1, 9));
    else
        put_size(s, ":", 1, 13);
}

static void put_named(struct sketch *s)
{
    static const char *const named[] = {"identity",
                                        "sharpen",
                                        "unsharp",
                                        "unsharp:sigma=0.7:amount=2.5",
                                        "edge",
                                        "laplacian",
                                        "laplacian:8",
                                        "log",
                                        "log:sigma=0.8",
                                        "sobel-x",
                                        "sobel-y",
                                        "scharr-x",
                                        "scharr-y",
                                        "prewitt-x",
                                        "prewitt-y",
                                        "emboss",
                                        "motion",
                                        "motion:7:angle=30",
                                        "motion:5:angle=-75",
                                        "disk",
                                        "disk:1.7",
                                        "dog",
                                        "dog:sigma=0.8:ratio=2"};
    text_add(&s->text, "%s", PICK(s->rng, named));
}

static void put_large(struct sketch *s)
{
    static const char *const large[] = {"disk:12.5",       "disk:40",
                                        "log:sigma=3.5",   "motion:41:angle=20",
                                        "unsharp:sigma=4", "unsharp:sigma=12:amount=5",
                                        "dog:sigma=5",     "gaussian:sigma=9",
                                        "gaussian:71",     "gaussian:sigma=20"};
    int64_t kind = rng_between(s->rng, 0, 3);
    if (kind == 0)
        text_add(&s->text, "%s", PICK(s->rng, large));
    else
        put_size(s, kind == 1 ? "box:" : "gaussian:", 15, 49);
    if (kind == 3)
        text_add(&s->text, ":dense");
}

/* Bias and clamp. Some biases exceed the limit of their rule. */
static void put_range(struct sketch *s)
{
    if (rng_once_in(s->rng, 4)) {
        int64_t most = rng_once_in(s->rng, 8) ? 9000 : 200;
        double bias = (double)rng_between(s->rng, 1, most);
        text_add(&s->text, ":bias=%.4g", bias * rng_unit(s->rng));
    }
    if (rng_once_in(s->rng, 6)) {
        int low = (int)rng_between(s->rng, -50, 60);
        text_add(&s->text, ":clamp=%d%s", low, rng_once_in(s->rng, 2) ? ".25" : "");
        text_add(&s->text, "..%d.5", (int)rng_between(s->rng, 90, 600));
    }
}

/* A filter with some of the options that all filters have, except type and border. */
static void put_filter(struct sketch *s, enum rule rule)
{
    if (rule == NAMED)
        put_named(s);
    else if (rule == GAUSSIAN)
        put_gaussian(s);
    else if (rule == BOX)
        put_box(s);
    else if (rule == LARGE)
        put_large(s);
    else
        put_mask(s, rule);
    if (rule != LARGE && rng_once_in(s->rng, 5))
        put_size(s, ":dilate=", 1, 3);
    if (rng_once_in(s->rng, 5))
        text_add(&s->text, ":flip");
    put_range(s);
}

/* Stages with types and borders of their own; the last one has the type of the result. */
static void put_chain(struct sketch *s)
{
    int64_t stages = rng_between(s->rng, 2, 3);
    bool typed = s->source != s->result;
    for (int64_t i = 0; i < stages; i++) {
        text_add(&s->text, i ? "," : "");
        put_filter(s, (enum rule)rng_between(s->rng, REAL, BOX));
        if (i == stages - 1 && typed)
            text_add(&s->text, ":type=%s", types[s->result]);
        if (i < stages - 1 && rng_once_in(s->rng, 3)) {
            text_add(&s->text, ":type=%s", types[rng_between(s->rng, 0, TYPES - 1)]);
            typed = true;
        }
        if (rng_once_in(s->rng, 4)) {
            text_add(&s->text, ":");
            put_border(s, (int)rng_between(s->rng, 0, BORDERS - 1), true);
        }
    }
}

static void put_shape(struct sketch *s, enum rule rule, bool valid)
{
    int64_t width = rng_skewed(s->rng, 1, 60), height = rng_skewed(s->rng, 1, 40);
    if (valid) {
        width += 24;
        height += 24;
    }
    if (rng_once_in(s->rng, 8)) /* long enough for whole vectors of every instruction set */
        width += rng_between(s->rng, 130, 300);
    if (rule == LARGE)
        width += 60, height += valid ? 60 : 0;
    text_add(&s->text, "shape=%dx%dx%d:%s", (int)width, (int)height, s->channels, types[s->source]);
    if (s->channels > 1 && rng_once_in(s->rng, 3)) {
        text_add(&s->text, " alpha-channel=%d", (int)rng_between(s->rng, 1, s->channels));
        text_add(&s->text, " alpha=%s", rng_once_in(s->rng, 2) ? "keep" : "filter");
    }
}

/* A single stage. Its type is the plan's only if floats are involved. */
static void put_single(struct sketch *s, enum rule rule, int border)
{
    bool floats = s->source == F32 || s->result == F32;
    bool by_plan = floats && rng_once_in(s->rng, 3), of_stage = rng_once_in(s->rng, 3);
    if (by_plan)
        text_add(&s->text, " type=%s", types[s->result]);
    if (!of_stage) {
        text_add(&s->text, " ");
        put_border(s, border, false);
    }
    text_add(&s->text, " exact=1 chain={");
    put_filter(s, rule);
    if (!by_plan && s->source != s->result)
        text_add(&s->text, ":type=%s", types[s->result]);
    if (of_stage) {
        text_add(&s->text, ":");
        put_border(s, border, false);
    }
}

void recorded_draw(struct rng *rng, int64_t index, char *text, size_t size)
{
    struct sketch s = {.rng = rng,
                       .source = (int)(index % TYPES),
                       .result = (int)(index / TYPES % TYPES),
                       .channels = (int)rng_between(rng, 1, 4)};
    int border = (int)(index / (TYPES * TYPES) % BORDERS);
    enum rule rule = (enum rule)(index / (TYPES * TYPES * BORDERS) % RULES);
    if (rule == EACH && s.channels == 1)
        s.channels = 3;
    text_init(&s.text, text, size);
    put_shape(&s, rule, strcmp(borders[border], "valid") == 0);
    if (rule != CHAIN) {
        put_single(&s, rule, border);
    } else {
        text_add(&s.text, " ");
        put_border(&s, border, true);
        if (rng_once_in(rng, 2))
            text_add(&s.text, " intermediate=%s",
                     types[rng_once_in(rng, 2) ? F32 : rng_between(rng, 0, TYPES - 1)]);
        text_add(&s.text, " exact=1 chain={");
        put_chain(&s);
    }
    text_add(&s.text, "}");
}

#include "maker.h"

#include "stream_ends.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct image_writer {
    char *at, *end;
};

static void put(struct image_writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int wrote = vsnprintf(w->at, (size_t)(w->end - w->at), format, args);
    va_end(args);
    w->at += wrote < w->end - w->at ? wrote : w->end - w->at - 1;
}

static const char *pick_row(struct rng *rng, swathe_table table, const char *instead)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    int32_t count = 0;
    while (swathe_table_get(table, count, &entry) == SWATHE_OK)
        count++;
    swathe_table_get(table, (int32_t)rng_between(rng, 0, count - 1), &entry);
    return strcmp(entry.name, "mask") == 0 ? instead : entry.name;
}

static void put_border(struct rng *rng, struct image_writer *w)
{
    const char *name = pick_row(rng, SWATHE_TABLE_BORDERS, "");
    if (strcmp(name, "constant") == 0)
        put(w, "constant(%d)", (int)rng_between(rng, 0, 1));
    else
        put(w, "%s", name);
}

/* The rows of a random mask; some scales keep results in range, others do not. */
static void put_mask(struct rng *rng, struct image_writer *w, int64_t width, int64_t height)
{
    static const double scales[] = {1.0, 0.25, 4.0, 200.0, 0.001, 1e6};
    double scale = scales[rng_skewed(rng, 0, 5)] / (double)(width * height);
    bool whole = rng_once_in(rng, 3);
    put(w, ":(");
    for (int64_t i = 0; i < width * height; i++) {
        const char *before = i == 0 ? "" : i % width == 0 ? "; " : " ";
        if (rng_once_in(rng, 6))
            put(w, "%s0", before);
        else if (whole)
            put(w, "%s%d", before, (int)rng_between(rng, -4, 4));
        else
            put(w, "%s%.6g", before, scale * (rng_unit(rng) + 0.5));
    }
    put(w, ")");
}

enum { MASK_SIDE = 15 };

/* A column or a row of a separable mask: whole numbers, binomial coefficients, or reals. */
static void draw_factor(struct rng *rng, int64_t count, int64_t kind, double *factor)
{
    double bell = 1.0;
    for (int64_t i = 0; i < count; i++) {
        factor[i] = kind == 0   ? (double)rng_between(rng, -3, 3)
                    : kind == 1 ? bell
                                : rng_unit(rng) - 0.3;
        bell = bell * (double)(count - 1 - i) / (double)(i + 1);
    }
}

/* A sum of one to three products of a column and a row, divided so that binomials compute means. */
static void put_product(struct rng *rng, struct image_writer *w, int64_t width, int64_t height)
{
    double column[MASK_SIDE], row[MASK_SIDE], taps[MASK_SIDE * MASK_SIDE] = {0};
    int64_t kind = rng_between(rng, 0, 2), terms = kind < 2 ? 1 : rng_skewed(rng, 1, 3);
    double sum = kind == 1 ? (double)((int64_t)1 << (width + height - 2)) : 1.0;
    for (int64_t t = 0; t < terms; t++) {
        draw_factor(rng, height, kind, column);
        draw_factor(rng, width, rng_once_in(rng, 4) ? 0 : kind, row);
        for (int64_t i = 0; i < width * height; i++)
            taps[i] += column[i / width] * row[i % width] / sum;
    }
    put(w, ":(");
    for (int64_t i = 0; i < width * height; i++)
        put(w, "%s%.12g", i == 0 ? "" : i % width == 0 ? "; " : " ", taps[i]);
    put(w, ")");
}

/* The channels that stages filter, and alpha, if it is kept; numbers are small in linear light. */
struct layers {
    int32_t colours, kept;
    bool linear;
    bool weighted; /* samples may have weights: alpha, or missing data */
};

/* Joins the results of `masks` masks in a random way. */
static void put_join(struct rng *rng, struct image_writer *w, int32_t masks, struct layers *layers)
{
    static const char *const joins[] = {"stack", "hypot", "max", "sum"};
    int64_t join = rng_between(rng, 0, 3);
    put(w, ":join=%s", joins[join]);
    layers->colours *= join == 0 ? masks : 1;
}

static void put_anchor(struct rng *rng, struct image_writer *w, int64_t width, int64_t height)
{
    put(w, ":anchor=%dx%d", (int)rng_between(rng, 0, width - 1),
        (int)rng_between(rng, 0, height - 1));
}

/* The sides of a named mask, and sometimes its anchor. */
static void put_sides(struct rng *rng, struct image_writer *w, int64_t most)
{
    int64_t width = rng_skewed(rng, 1, most), height = rng_skewed(rng, 1, most);
    put(w, ":%dx%d", (int)width, (int)height);
    if (rng_once_in(rng, 4))
        put_anchor(rng, w, width, height);
}

/* Half of them are those that most people use, whose kernels take few masks and u8 only. */
static void put_gaussian(struct rng *rng, struct image_writer *w)
{
    int64_t most = rng_once_in(rng, 8) ? 241 : 15;
    if (rng_once_in(rng, 2)) {
        int64_t side = rng_between(rng, 1, 7) * 2 + 1;
        put(w, ":%d", (int)side);
        if (rng_once_in(rng, 4))
            put_anchor(rng, w, side, side);
        return;
    }
    if (most > 15 || rng_once_in(rng, 2))
        put_sides(rng, w, most);
    if (rng_once_in(rng, 3))
        put(w, ":sigma=%.3g", 0.3 + (double)rng_between(rng, 0, (int)most + 5) / 10.0);
    if (most == 15 && rng_once_in(rng, 4))
        put(w, ":dense");
}

static void put_mask_stage(struct rng *rng, struct image_writer *w, struct layers *layers)
{
    int64_t width = rng_skewed(rng, 1, MASK_SIDE), height = rng_skewed(rng, 1, MASK_SIDE);
    bool joins = rng_once_in(rng, 6);
    int32_t masks = joins                 ? (int32_t)rng_skewed(rng, 1, 4)
                    : rng_once_in(rng, 6) ? layers->colours + layers->kept
                                          : 1;
    bool product = rng_once_in(rng, 3);
    put(w, "mask");
    for (int32_t i = 0; i < masks; i++)
        if (product)
            put_product(rng, w, width, height);
        else
            put_mask(rng, w, width, height);
    if (rng_once_in(rng, 3))
        put_anchor(rng, w, width, height);
    if (rng_once_in(rng, 6))
        put(w, ":normalise");
    if (joins)
        put_join(rng, w, masks, layers);
}

static void put_mix(struct rng *rng, struct image_writer *w, struct layers *layers)
{
    int64_t rows = rng_skewed(rng, 1, 5);
    put(w, "mix");
    put_mask(rng, w, layers->colours, rows);
    layers->colours = (int32_t)rows;
}

static void put_named_stage(struct rng *rng, struct image_writer *w, struct layers *layers)
{
    const char *name = pick_row(rng, SWATHE_TABLE_FILTERS, "gaussian");
    if (rng_once_in(rng, 6))
        name = "gaussian";
    if (layers->weighted && rng_once_in(rng, 3)) /* these have kernels for weights */
        name = rng_once_in(rng, 3) ? "box" : "gaussian";
    if (strcmp(name, "mix") == 0 || (strcmp(name, "grey") == 0 && layers->colours != 3)) {
        put_mix(rng, w, layers);
        return;
    }
    put(w, "%s", name);
    if (strcmp(name, "grey") == 0)
        layers->colours = 1;
    if (strcmp(name, "scale") == 0)
        put(w, ":%.4g", rng_unit(rng) * 3.0);
    if (strcmp(name, "sharpen") == 0 && rng_once_in(rng, 3))
        put(w, ":%.4g", rng_unit(rng) * 2.0);
    if (strcmp(name, "gradient") == 0 && rng_once_in(rng, 2)) {
        put(w, ":%s", rng_once_in(rng, 2) ? "scharr" : "prewitt");
        put_join(rng, w, 2, layers);
    }
    if (strcmp(name, "gabor") == 0) {
        int32_t angles = (int32_t)rng_skewed(rng, 1, 4);
        put(w, ":sigma=%.3g:truncate=2:angles=%d", 0.5 + (double)rng_between(rng, 0, 10) / 10.0,
            angles);
        put_join(rng, w, angles, layers);
    }
    if (strcmp(name, "box") == 0 && rng_once_in(rng, 2)) {
        int64_t most = rng_once_in(rng, 8) ? 60 : 15;
        put_sides(rng, w, most);
    }
    if (strcmp(name, "gaussian") == 0)
        put_gaussian(rng, w);
    if (strcmp(name, "motion") == 0)
        put(w, ":%d:angle=%d", (int)rng_skewed(rng, 1, 15), (int)rng_between(rng, -180, 180));
}

static void put_stage(struct rng *rng, struct image_writer *w, struct layers *layers)
{
    const char *start = w->at;
    if (rng_once_in(rng, 2))
        put_mask_stage(rng, w, layers);
    else
        put_named_stage(rng, w, layers);
    bool is_mix = strncmp(start, "mix", 3) == 0 || strncmp(start, "grey", 4) == 0;
    if (rng_once_in(rng, 4) && !is_mix)
        put(w, ":dilate=%dx%d", (int)rng_between(rng, 1, 3), (int)rng_between(rng, 1, 3));
    if (rng_once_in(rng, 5) && !is_mix)
        put(w, ":flip");
    if (rng_once_in(rng, 4))
        put(w, ":bias=%.4g",
            rng_unit(rng) * (layers->linear ? 0.5 : (double)rng_between(rng, 1, 200)));
    if (rng_once_in(rng, 5)) {
        int low = (int)rng_between(rng, -5, 20), high = (int)rng_between(rng, 20, 300);
        double unit = layers->linear ? 300.0 : 1.0;
        put(w, ":clamp=%.4g..%.4g", low / unit, high / unit);
    }
    if (rng_once_in(rng, 5))
        put(w, ":type=%s",
            layers->linear && !rng_once_in(rng, 8) ? rng_once_in(rng, 2) ? "f32" : "f64"
                                                   : pick_row(rng, SWATHE_TABLE_TYPES, ""));
    if (rng_once_in(rng, 3)) {
        put(w, ":border=");
        put_border(rng, w);
    }
}

/* sRGB's curve, or one or two others: steep, flat at both ends, not up to 1. */
static void put_light(struct rng *rng, struct image_writer *w)
{
    static const char *const curves[] = {"", "", " curves={0 0 0.001 0.3 1 1}",
                                         " curves={0 1e-9 2e-9 0.5 0.9}",
                                         " curves={0 0.1 1; 0 0.3 1; 0.01 0.2 0.7}"};
    put(w, " light=%s%s", rng_once_in(rng, 6) ? "srgb" : "linear", curves[rng_between(rng, 0, 4)]);
}

/* Ranges of integers, of fractions, and of a single value. */
static void put_values(struct rng *rng, struct image_writer *w)
{
    int64_t low = rng_between(rng, -300, 300), high = low + rng_skewed(rng, 0, 70000);
    int64_t kind = rng_between(rng, 0, 4);
    if (kind < 2)
        put(w, " values=%s", kind ? "scale" : "keep");
    else if (kind == 2)
        put(w, " values=fit(%d..%d)", (int)low, (int)high);
    else
        put(w, " values=fit(%.6g..%.6g)", (double)low / 200.0, (double)high / 150.0 + 3.0);
}

/* Values that every type has, or that some refuse; the source gets holes of this value. Returns
 * whether alpha is a mask. */
static bool put_nodata(struct rng *rng, struct image_writer *w, bool has_alpha)
{
    static const char *const values[] = {"0", "1", "255", "-9999", "32767", "65535", "-0.5", "nan"};
    bool mask = has_alpha && rng_once_in(rng, 2);
    put(w, " nodata=%s", mask ? "mask" : values[rng_between(rng, 0, 7)]);
    if (rng_once_in(rng, 2))
        put(w, ":fill");
    if (rng_once_in(rng, 4))
        put(w, ":least=%.3g", (double)rng_between(rng, 0, 100) / 100.0);
    return mask;
}

static void put_plan(struct rng *rng, struct image_writer *w)
{
    int32_t channels = (int32_t)rng_between(rng, 1, 6);
    int64_t width = rng_skewed(rng, 1, 70), height = rng_skewed(rng, 1, 70);
    if (rng_once_in(rng, 8))
        width = 1;
    if (rng_once_in(rng, 8))
        height = 1;
    if (rng_once_in(rng, 16)) { /* long enough for whole vectors of every instruction set */
        width = rng_once_in(rng, 8) ? rng_between(rng, 1000, 1300) : rng_between(rng, 150, 400);
        height = rng_skewed(rng, 1, 12);
    }
    if (rng_once_in(rng, 40)) { /* long enough for several chunks of a row */
        bool tall = rng_once_in(rng, 2);
        width = rng_between(rng, 520, tall ? 1200 : 5000);
        height = tall ? rng_between(rng, 17, 60) : rng_skewed(rng, 1, 8);
    }
    if (rng_once_in(rng, 60)) { /* several groups of rows */
        width = rng_skewed(rng, 1, 200);
        height = rng_between(rng, 130, 300);
    }
    bool linear = rng_once_in(rng, 6);
    put(w, "contract=%d shape=%dx%dx%d:%s", swathe_contract(), (int)width, (int)height, channels,
        linear ? rng_once_in(rng, 2) ? "u8" : "u16" : pick_row(rng, SWATHE_TABLE_TYPES, ""));
    if (linear)
        put_light(rng, w);
    bool alpha = rng_once_in(rng, 5), filtered = rng_once_in(rng, 8);
    if (alpha)
        put(w, " alpha-channel=%d",
            rng_once_in(rng, 2) ? channels : (int)rng_between(rng, 1, channels));
    if (filtered)
        put(w, " alpha=filter");
    else if (rng_once_in(rng, 4))
        put(w, " alpha=keep");
    bool missing = rng_once_in(rng, 6);
    if (missing && put_nodata(rng, w, alpha))
        filtered = false;
    struct layers layers = {channels, 0, linear, alpha || missing};
    if (alpha && !filtered && channels > 1)
        layers = (struct layers){channels - 1, 1, linear, true};
    put(w, " border=");
    put_border(rng, w);
    if (rng_once_in(rng, 6))
        put(w, " type=%s", pick_row(rng, SWATHE_TABLE_TYPES, ""));
    if (rng_once_in(rng, 4))
        put_values(rng, w);
    if (rng_once_in(rng, 8))
        put(w, " intermediate=%s", rng_once_in(rng, 2) ? "f32" : "f64");
    put(w, " exact=1 chain={");
    int64_t stages = rng_skewed(rng, 1, 4);
    for (int64_t i = 0; i < stages; i++) {
        put(w, i ? "," : "");
        put_stage(rng, w, &layers);
    }
    put(w, "}");
}

void maker_random(struct rng *rng, struct trial *trial)
{
    struct image_writer w = {trial->problem, trial->problem + sizeof trial->problem};
    put_plan(rng, &w);
    trial->fill = rng_next(rng);
    trial->special = rng_once_in(rng, 3);
    trial->from = (int32_t)rng_between(rng, 0, CANVAS_LAYOUTS - 1);
    trial->to = (int32_t)rng_between(rng, 0, CANVAS_LAYOUTS - 1);
    trial->threads = (int32_t)rng_between(rng, 1, 3);
    trial->cell_rows = rng_once_in(rng, 4) ? 0 : rng_skewed(rng, 1, 40);
    trial->span_columns = rng_once_in(rng, 2) ? 0 : rng_skewed(rng, 1, 80);
    trial->stream =
        rng_once_in(rng, 2) ? (int32_t)rng_between(rng, STREAM_NONE + 1, STREAM_KINDS - 1) : 0;
    trial->region = (swathe_rect){0, 0, 0, 0};
}

void maker_print(const struct trial *t, char *text, size_t size)
{
    struct image_writer w = {text, text + size};
    put(&w,
        "fill=%" PRIu64 " special=%d from=%d to=%d threads=%d cell_rows=%" PRId64
        " span_columns=%" PRId64 " stream=%d region=%" PRId64 "x%" PRId64 "+%" PRId64 "+%" PRId64
        " | %s",
        t->fill, t->special, t->from, t->to, t->threads, t->cell_rows, t->span_columns, t->stream,
        t->region.width, t->region.height, t->region.x, t->region.y, t->problem);
}

bool maker_parse(const char *text, struct trial *t)
{
    int end = 0;
    sscanf(text,
           "fill=%" SCNu64 " special=%d from=%d to=%d threads=%d cell_rows=%" SCNd64
           " span_columns=%" SCNd64 " stream=%d region=%" SCNd64 "x%" SCNd64 "+%" SCNd64 "+%" SCNd64
           " | %n",
           &t->fill, &t->special, &t->from, &t->to, &t->threads, &t->cell_rows, &t->span_columns,
           &t->stream, &t->region.width, &t->region.height, &t->region.x, &t->region.y, &end);
    size_t length = strlen(text + end);
    if (end == 0 || length >= sizeof t->problem)
        return false;
    memcpy(t->problem, text + end, length + 1);
    return true;
}

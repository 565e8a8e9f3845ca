#include "devices/device_problem.h"

#include "../../src/base/bounded_text.h"
#include "rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct draft {
    struct rng rng;
    struct text text;
};

/* Properties that all problems of a frame share. */
struct frame {
    const char *strategy, *type, *result; /* result NULL: the same as type */
    int block, channels, width, height, dilate_x, dilate_y;
    bool named, zeros, masks, alpha;
    enum device_problem_kind kind;
    const char *nodata; /* NULL: alpha is a weight */
    bool filtered;      /* a filter precedes a point stage, mix, stack or join */
    int rows;           /* of a mix; masks of a stack or join */
    const char *join, *values;
};

const char *device_problem_kind_name(enum device_problem_kind kind)
{
    static const char *const names[] = {"filters", "abs",    "mix",     "join=stack",
                                        "join",    "values", "weights", "light"};
    return names[kind];
}

static int device_problem_between(struct draft *draft, int low, int high)
{
    return (int)rng_between(&draft->rng, low, high);
}

static bool once_in(struct draft *draft, int n)
{
    return rng_once_in(&draft->rng, n);
}

static int device_problem_skewed(struct draft *draft, int low, int high)
{
    return (int)rng_skewed(&draft->rng, low, high);
}

static const char *device_problem_pick(struct draft *draft, swathe_table table)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    int count = 0;
    while (swathe_table_get(table, count, &entry) == SWATHE_OK)
        count++;
    swathe_table_get(table, device_problem_between(draft, 0, count - 1), &entry);
    return entry.name;
}

/* What only the production path computes. */
static void draw_kind(struct draft *draft, struct frame *frame)
{
    static const char *const joins[] = {"hypot", "max", "sum"};
    static const char *const values[] = {"scale", "fit", "keep"};
    frame->kind =
        (enum device_problem_kind)device_problem_between(draft, 1, DEVICE_PROBLEM_KINDS - 1);
    frame->filtered = once_in(draft, 3);
    frame->rows = device_problem_between(draft, 1, 4);
    frame->join =
        frame->kind == DEVICE_PROBLEM_STACK ? "stack" : joins[device_problem_between(draft, 0, 2)];
    frame->values = values[device_problem_skewed(draft, 0, 2)];
    if (frame->kind == DEVICE_PROBLEM_STACK || frame->kind == DEVICE_PROBLEM_JOIN)
        frame->named = frame->masks = false;
    if (frame->alpha)
        frame->nodata = once_in(draft, 3) ? "mask" : NULL;
    else
        frame->nodata = frame->type[0] == 'f' && once_in(draft, 2) ? "nan" : "0";
    if (frame->kind == DEVICE_PROBLEM_LIGHT) { /* colours of 8 or 16 bits */
        frame->type = once_in(draft, 2) ? "u8" : "u16";
        frame->result = NULL;
        frame->channels = 3 + frame->alpha;
    }
    if (frame->kind == DEVICE_PROBLEM_VALUES && !frame->result)
        frame->result = device_problem_pick(draft, SWATHE_TABLE_TYPES);
}

/* Masks are drawn small enough for most strategies. If one is too large, creating the plan
 * fails. */
static struct frame draw_frame(struct draft *draft, const char *strategy)
{
    static const int blocks[] = {0, 0, 8, 12, 16};
    struct frame frame = {.type = device_problem_pick(draft, SWATHE_TABLE_TYPES)};
    frame.strategy =
        once_in(draft, 2) ? "best" : device_problem_pick(draft, SWATHE_TABLE_STRATEGIES);
    frame.strategy = strategy ? strategy : frame.strategy;
    bool best = strcmp(frame.strategy, "best") == 0;
    frame.block = best ? 0 : blocks[device_problem_between(draft, 0, 4)];
    frame.channels =
        strncmp(frame.strategy, "3channel", 8) == 0 ? 3 : device_problem_between(draft, 1, 4);
    frame.width = device_problem_skewed(draft, 1, best ? 15 : 9);
    frame.height = once_in(draft, 2) ? frame.width : device_problem_skewed(draft, 1, best ? 15 : 9);
    if (!best) /* the reports' masks are odd and square */
        frame.height = frame.width = frame.width | 1;
    frame.dilate_x = frame.dilate_y = 1;
    if (best && once_in(draft, 4)) {
        frame.dilate_x = device_problem_between(draft, 1, 3);
        frame.dilate_y = device_problem_between(draft, 1, 3);
    }
    frame.named = best && once_in(draft, 2);
    frame.zeros = once_in(draft, 3);
    frame.masks = best && !frame.named && frame.channels > 1 && once_in(draft, 6);
    frame.alpha = best && frame.channels % 2 == 0 && once_in(draft, 3);
    if (once_in(draft, 4))
        frame.result = device_problem_pick(draft, SWATHE_TABLE_TYPES);
    if (best && once_in(draft, 2))
        draw_kind(draft, &frame);
    return frame;
}

static void device_problem_put_mask(struct draft *draft, const struct frame *frame)
{
    static const double scales[] = {1.0, 1.0, 4.0, 0.2, 1000.0};
    int count = frame->width * frame->height;
    double scale = scales[device_problem_skewed(draft, 0, 4)] / count;
    text_add(&draft->text, ":(");
    for (int i = 0; i < count; i++) {
        const char *before = i == 0 ? "" : i % frame->width == 0 ? "; " : " ";
        /* The positions of zero taps are a property of the frame, not of the problem. */
        if (frame->zeros && i % 3 == 1)
            text_add(&draft->text, "%s0", before);
        else
            text_add(&draft->text, "%s%.6g", before,
                     scale * (device_problem_between(draft, 1, 2000) - 700) / 1000.0);
    }
    text_add(&draft->text, ")");
}

/* A row of factors for each channel of the result. */
static void put_mix(struct draft *draft, const struct frame *frame)
{
    int colours = frame->channels - frame->alpha;
    text_add(&draft->text, "mix:(");
    for (int i = 0; i < frame->rows * colours; i++) {
        const char *before = i == 0 ? "" : i % colours == 0 ? "; " : " ";
        if (frame->zeros && i % 3 == 1)
            text_add(&draft->text, "%s0", before);
        else
            text_add(&draft->text, "%s%.6g", before,
                     (device_problem_between(draft, 1, 2000) - 700) / 1000.0);
    }
    text_add(&draft->text, ")");
}

static void put_options(struct draft *draft, const struct frame *frame)
{
    if (once_in(draft, 4))
        text_add(&draft->text, ":bias=%.4g", device_problem_between(draft, -90, 90) / 4.0);
    if (once_in(draft, 5))
        text_add(&draft->text, ":clamp=%d..%d", device_problem_between(draft, -5, 20),
                 device_problem_between(draft, 20, 300));
    if (frame->result && frame->kind != DEVICE_PROBLEM_VALUES)
        text_add(&draft->text, ":type=%s", frame->result);
}

/* A filter of one mask, or of one for each channel. */
static void put_filter(struct draft *draft, const struct frame *frame)
{
    if (frame->named) {
        const char *names[] = {"gaussian", "box", "gaussian"};
        text_add(&draft->text, "%s:%dx%d", names[frame->width % 3], frame->width, frame->height);
        if (frame->width % 3 != 1)
            text_add(&draft->text, ":sigma=%.3g", 0.4 + device_problem_between(draft, 0, 20) / 8.0);
    } else {
        text_add(&draft->text, "mask");
        for (int i = 0; i < (frame->masks ? frame->channels : 1); i++)
            device_problem_put_mask(draft, frame);
    }
    if (frame->dilate_x > 1 || frame->dilate_y > 1)
        text_add(&draft->text, ":dilate=%dx%d", frame->dilate_x, frame->dilate_y);
}

static void put_stage(struct draft *draft, const struct frame *frame)
{
    bool joins = frame->kind == DEVICE_PROBLEM_STACK || frame->kind == DEVICE_PROBLEM_JOIN;
    if (frame->filtered && frame->kind < DEVICE_PROBLEM_VALUES) {
        put_filter(draft, frame);
        text_add(&draft->text, ",");
    }
    if (frame->kind == DEVICE_PROBLEM_POINT) {
        text_add(&draft->text, "abs");
    } else if (frame->kind == DEVICE_PROBLEM_MIX) {
        put_mix(draft, frame);
    } else if (joins) {
        text_add(&draft->text, "mask");
        for (int i = 0; i < frame->rows; i++)
            device_problem_put_mask(draft, frame);
        text_add(&draft->text, ":join=%s", frame->join);
    } else {
        put_filter(draft, frame);
    }
    put_options(draft, frame);
}

/* The plan's type, and the rule for values. */
static void put_values(struct draft *draft, const struct frame *frame)
{
    text_add(&draft->text, " type=%s values=%s", frame->result, frame->values);
    if (strcmp(frame->values, "fit") == 0)
        text_add(&draft->text, "(%d..%.4g)", device_problem_between(draft, -50, 20),
                 device_problem_between(draft, 0, 2000) / 7.0 + 20.0);
}

static void put_shape(struct draft *draft, const struct frame *frame)
{
    int width = device_problem_skewed(draft, 1, 90), height = device_problem_skewed(draft, 1, 60);
    if (once_in(draft, 12)) {
        width = device_problem_between(draft, 150, 400);
        height = device_problem_between(draft, 1, 90);
    }
    text_add(&draft->text, "contract=%d shape=%dx%dx%d:%s", swathe_contract(), width, height,
             frame->channels, frame->type);
    if (frame->alpha)
        text_add(&draft->text, " alpha-channel=%d", frame->channels);
    if (frame->kind == DEVICE_PROBLEM_LIGHT)
        text_add(&draft->text, " color=%d light=linear", SWATHE_COLOR_RGB);
    if (frame->alpha && frame->kind != DEVICE_PROBLEM_WEIGHTS)
        text_add(&draft->text, " alpha=keep");
    if (frame->kind == DEVICE_PROBLEM_WEIGHTS && frame->nodata)
        text_add(&draft->text, " nodata=%s%s%s", frame->nodata, once_in(draft, 3) ? ":fill" : "",
                 frame->named && once_in(draft, 3) ? ":least=0.4" : "");
    const char *border = device_problem_pick(draft, SWATHE_TABLE_BORDERS);
    text_add(&draft->text, " border=%s", border);
    if (strcmp(border, "constant") == 0)
        text_add(&draft->text, "(%d)", device_problem_between(draft, 0, 1));
}

void device_problem_draw(uint64_t seed, int64_t frame, int64_t number, const char *strategy,
                         struct device_problem *problem)
{
    struct draft draft = {.rng = {seed * 1000003u + (uint64_t)frame}};
    text_init(&draft.text, problem->text, sizeof problem->text);
    struct frame common = draw_frame(&draft, strategy);
    draft.rng.state = draft.rng.state * 31 + (uint64_t)number;
    problem->kind = common.kind;
    snprintf(problem->strategy, sizeof problem->strategy, common.block ? "%s:%d" : "%s",
             common.strategy, common.block);
    put_shape(&draft, &common);
    if (common.kind == DEVICE_PROBLEM_VALUES)
        put_values(&draft, &common);
    text_add(&draft.text, " chain={");
    /* Some problems are chains that run the same program several times. */
    bool once = common.result || common.kind != DEVICE_PROBLEM_FILTERS;
    int stages = once || !once_in(&draft, 4) ? 1 : device_problem_between(&draft, 2, 3);
    for (int i = 0; i < stages; i++) {
        text_add(&draft.text, i ? "," : "");
        put_stage(&draft, &common);
    }
    text_add(&draft.text, "}");
    problem->fill = rng_next(&draft.rng) % 1000000;
    problem->planar = once_in(&draft, 2);
    problem->special = common.type[0] == 'f' && once_in(&draft, 6);
    problem->threads = device_problem_between(&draft, 1, 3);
    problem->cell_rows = once_in(&draft, 2) ? 0 : device_problem_skewed(&draft, 1, 40);
}

void device_problem_print(const struct device_problem *problem, char *text, size_t size)
{
    snprintf(text, size,
             "%s fill=%" PRIu64 " planar=%d special=%d threads=%d cell_rows=%" PRId64 " | %s",
             problem->strategy, problem->fill, problem->planar, problem->special, problem->threads,
             problem->cell_rows, problem->text);
}

bool device_problem_parse(const char *text, struct device_problem *problem)
{
    int planar, special, end = 0;
    *problem = (struct device_problem){0};
    if (sscanf(text,
               "%31s fill=%" SCNu64 " planar=%d special=%d threads=%" SCNd32 " cell_rows=%" SCNd64
               " | %n",
               problem->strategy, &problem->fill, &planar, &special, &problem->threads,
               &problem->cell_rows, &end) != 6 ||
        end == 0 || strlen(text + end) >= sizeof problem->text)
        return false;
    problem->planar = planar != 0;
    problem->special = special != 0;
    snprintf(problem->text, sizeof problem->text, "%s", text + end);
    return true;
}

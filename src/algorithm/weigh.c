/* Samples times their weights, and the weights. */
#include "algorithm/algorithm.h"

#include "base/checked.h"

enum { GROUP = 8 };

static bool weigh_applies(const struct algorithm_case *at)
{
    return at->op->rule == STAGE_WEIGH;
}

static double weigh_work(const struct algorithm_case *at)
{
    (void)at;
    return 2.0;
}

static swathe_status weigh_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                struct plan_stage *stage)
{
    struct alpha_pixels *pixels;
    (void)exact;
    stage->chunk = algorithm_chunk(op);
    stage->group = GROUP;
    TRY(alpha_pixels_make(arena, op, isa, stage, &pixels));
    if (!pixels)
        stage->isa = 0;
    stage->prepared = pixels;
    return SWATHE_OK;
}

static int64_t weigh_scratch_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    bool converts = stage->op->out == SWATHE_F32 && step == 1;
    return converts ? round_up(count * (int64_t)sizeof(double), MEMORY_ALIGN) : 0;
}

/* One row of one plane; `channel` is the row of the weights, or that of the samples. */
struct weigh_row {
    const struct weights *weights;
    const void *samples, *channel;
    double *result;
    int64_t count;
};

/* What differs between types: loops that compilers turn into vectors. A product with a weight of 0
 * is 0, not NaN. */
#define WEIGH(name, type)                                                                          \
    static void sample_##name(const struct weigh_row *row)                                         \
    {                                                                                              \
        const type *p = row->samples;                                                              \
        for (int64_t i = 0; i < row->count; i++)                                                   \
            row->result[i] = (double)p[i];                                                         \
    }                                                                                              \
    static void product_##name(const struct weigh_row *row)                                        \
    {                                                                                              \
        const type *p = row->samples, *a = row->channel;                                           \
        const double most = row->weights->most, none = row->weights->missing.rule.none;            \
        if (row->weights->missing.rule.kind == WEIGHTS_ALPHA)                                      \
            for (int64_t i = 0; i < row->count; i++) {                                             \
                double m = (double)a[i] > 0.0 ? (double)a[i] : 0.0;                                \
                m = m < most ? m : most;                                                           \
                double product = (double)p[i] * m;                                                 \
                row->result[i] = m == 0.0 ? 0.0 : product;                                         \
            }                                                                                      \
        else if (row->weights->missing.rule.kind == WEIGHTS_VALUE)                                 \
            for (int64_t i = 0; i < row->count; i++)                                               \
                row->result[i] = (double)p[i] == none ? 0.0 : (double)p[i];                        \
        else if (row->weights->missing.rule.kind == WEIGHTS_MASK)                                  \
            for (int64_t i = 0; i < row->count; i++)                                               \
                row->result[i] = (double)a[i] > 0.0 || (double)a[i] < 0.0 ? (double)p[i] : 0.0;    \
        else if (row->weights->missing.rule.kind == WEIGHTS_NAN)                                   \
            for (int64_t i = 0; i < row->count; i++)                                               \
                row->result[i] = p[i] == p[i] ? (double)p[i] : 0.0;                                \
        else                                                                                       \
            sample_##name(row);                                                                    \
    }                                                                                              \
    static void weight_##name(const struct weigh_row *row)                                         \
    {                                                                                              \
        const type *a = row->channel;                                                              \
        const double most = row->weights->most, none = row->weights->missing.rule.none;            \
        if (row->weights->missing.rule.kind == WEIGHTS_ALPHA)                                      \
            for (int64_t i = 0; i < row->count; i++) {                                             \
                double m = (double)a[i] > 0.0 ? (double)a[i] : 0.0;                                \
                row->result[i] = m < most ? m : most;                                              \
            }                                                                                      \
        else if (row->weights->missing.rule.kind == WEIGHTS_VALUE)                                 \
            for (int64_t i = 0; i < row->count; i++)                                               \
                row->result[i] = (double)a[i] == none ? 0.0 : 1.0;                                 \
        else if (row->weights->missing.rule.kind == WEIGHTS_MASK)                                  \
            for (int64_t i = 0; i < row->count; i++)                                               \
                row->result[i] = (double)a[i] > 0.0 || (double)a[i] < 0.0 ? 1.0 : 0.0;             \
        else if (row->weights->missing.rule.kind == WEIGHTS_NAN)                                   \
            for (int64_t i = 0; i < row->count; i++)                                               \
                row->result[i] = a[i] == a[i] ? 1.0 : 0.0;                                         \
        else                                                                                       \
            for (int64_t i = 0; i < row->count; i++)                                               \
                row->result[i] = 1.0;                                                              \
    }
WEIGH(u8, uint8_t)
WEIGH(u16, uint16_t)
WEIGH(s16, int16_t)
WEIGH(f32, float)
WEIGH(u32, uint32_t)
WEIGH(s32, int32_t)
WEIGH(f64, double)

typedef void weigh_loop(const struct weigh_row *row);

#define LOOPS(name)                                                                                \
    {                                                                                              \
        product_##name, weight_##name, sample_##name                                               \
    }
static weigh_loop *find_loop(swathe_type type, int32_t what)
{
    static const struct {
        swathe_type type;
        weigh_loop *loops[3];
    } all[] = {{SWATHE_U8, LOOPS(u8)},   {SWATHE_U16, LOOPS(u16)}, {SWATHE_S16, LOOPS(s16)},
               {SWATHE_F32, LOOPS(f32)}, {SWATHE_U32, LOOPS(u32)}, {SWATHE_S32, LOOPS(s32)},
               {SWATHE_F64, LOOPS(f64)}};
    int i = 0;
    while (all[i].type != type)
        i++;
    return all[i].loops[what];
}

/* The products of u8 are integers, which floats hold. */
static void weigh_shorten(const double *from, int64_t count, float *to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)from[i];
}

static void weigh_run(const struct row_task *task)
{
    const struct op *op = task->stage->op;
    bool is_short = op->out == SWATHE_F32;
    if (task->step > 1) {
        alpha_pixels_run(task->stage->prepared, task);
        return;
    }
    int32_t channel = op->weights->planes.channel >= 0 ? op->weights->planes.channel : task->plane;
    weigh_loop *loop = find_loop(op->in, task->mask);
    for (int32_t r = 0; r < task->height; r++) {
        loop(&(struct weigh_row){.weights = op->weights,
                                 .samples = task->rows[task->plane * GROUP + r],
                                 .channel = task->rows[channel * GROUP + r],
                                 .result = is_short ? task->scratch : task->results[r],
                                 .count = task->count});
        if (is_short)
            weigh_shorten(task->scratch, task->count, task->results[r]);
    }
}

const struct algorithm_calls algorithm_weigh = {.applies = weigh_applies,
                                                .work = weigh_work,
                                                .make = weigh_make,
                                                .scratch_bytes = weigh_scratch_bytes,
                                                .run = weigh_run};

#include "plan/cost.h"

#include <string.h>

static const struct {
    const char *isa, *algorithm;
    enum cost_class kind;
    struct cost_rate rate;
} built_in[] = {
#define RATE(isa, algorithm, kind, run, row, row_work, sample, work)                               \
    {isa, algorithm, COST_##kind, {{run, row, row_work, sample, work}}},
#include "plan/rate.def"
#undef RATE
};

enum cost_class cost_class(const struct op *op)
{
    if (!op->integer || sample_is_32(op->in) || sample_is_float(op->in))
        return op->real == SWATHE_F64 ? COST_F64 : COST_F32;
    return op->in == SWATHE_U8 ? COST_U8 : COST_16;
}

const char *cost_class_name(enum cost_class kind)
{
    static const char *const names[COST_CLASSES] = {"u8", "16", "f32", "f64"};
    return names[kind];
}

struct cost_load cost_load(const struct op *op, double work)
{
    double rows = (double)op->out_height * (op_is_uniform(op) ? 1 : op->out_channels);
    double samples = (double)op->out_width * (double)op->out_height * op->out_channels;
    return (struct cost_load){{1.0, rows, rows * work, samples, samples * work}};
}

double cost_ns(const struct cost_load *load, const struct cost_rate *rate)
{
    double ns = 0.0;
    for (int t = 0; t < COST_TERMS; t++)
        ns += load->count[t] * rate->ns[t];
    return ns;
}

static bool cost_find(const char *isa, const char *algorithm, enum cost_class kind,
                      struct cost_rate *rate)
{
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
        if (built_in[i].kind == kind && strcmp(built_in[i].isa, isa) == 0 &&
            strcmp(built_in[i].algorithm, algorithm) == 0) {
            *rate = built_in[i].rate;
            return true;
        }
    return false;
}

/* Instruction sets without entries use those of the next lower set of this build. An algorithm
 * without any entry is assumed to do plain multiply-adds. */
struct cost_rate cost_built_in(int isa, const struct algorithm *algorithm, enum cost_class kind)
{
    struct cost_rate rate = {{2000.0, 200.0, 2.0, 0.5, 0.1}};
    for (int i = isa; i >= 0; i--)
        if (isa_at(i)->built && cost_find(isa_at(i)->name, algorithm->name, kind, &rate))
            break;
    return rate;
}

/* A plan: ops with their algorithms, sizes and bounds. Immutable after creation. */
#ifndef SWATHE_PLAN_PLAN_H
#define SWATHE_PLAN_PLAN_H

#include "filter/light.h"
#include "filter/values.h"
#include "plan/candidate.h"
#include "plan/interval.h"
#include "plan/on_gpu.h"

/* What a plan says about alpha and missing data; empty texts: nothing. */
struct weights_note {
    char *nodata_in, *nodata; /* the value of missing samples and results */
    char *missing;            /* one sentence: what is missing, and what becomes of it */
    const char *alpha;        /* one sentence: what becomes of alpha */
};

struct plan {
    struct arena arena;
    swathe_shape source, result;
    int32_t count; /* all stages */
    /* The chain's own stages, first to own − 1: without those that `light` and `values` add. */
    int32_t first, own;
    struct op *ops;
    struct plan_stage *stages;
    struct on_gpu *gpu;            /* the stages on a device; NULL: on the CPU */
    struct candidates *candidates; /* per stage: the algorithms considered */
    int32_t step; /* working layout: planes of this number of interleaved channels; 1 or all */
    bool exact;   /* results are the same on every machine */
    bool by_reference;
    int64_t max_memory;
    int64_t span_columns;  /* columns of a span, so that its ring buffers fit the cache */
    int64_t scratch_bytes; /* for one thread of a run */
    double error_bound, predicted_ns;
    char *problem;               /* problem string of this plan, without its chain */
    struct weights_rule weights; /* of the result */
    struct weights_note note;    /* texts on alpha and missing data */
    struct light light;
    swathe_values values;
    bool values_matter; /* the type changes after the chain, or the rule was requested */
    char *values_note;  /* one sentence: which rule, and why */
    char *wisdom;       /* one sentence: the source of the predictions */
    char *device_note;  /* one sentence: how `auto` chose; NULL: `auto` was not requested */
};

/* The environment in which plans are made. */
struct plan_maker {
    const struct memory *memory;
    struct wisdom *wisdom;
    int64_t max_memory; /* default for the options' max_memory */
    struct gpu_devices *devices;
    int32_t threads; /* of a run, for predictions */
    bool pageable;   /* copies to and from GPUs use pageable memory */
    /* Scratch of one thread of a run, for a plan that is complete except for scratch_bytes. */
    int64_t (*scratch_bytes)(const struct plan *plan);
};

swathe_status plan_create(const struct plan_maker *maker, const struct chain *chain,
                          const swathe_shape *source, const swathe_plan_options *options,
                          struct plan **plan);
void plan_free(struct plan *plan);

swathe_status plan_parse(const struct plan_maker *maker, const char *problem, struct plan **plan);

/* Finds the part of the source that a part of the result needs. Parts outside the result are
 * refused. */
swathe_status plan_input(const struct plan *plan, const swathe_rect *result, swathe_rect *source);

/* `given` is the rule of the source, `result` that of the result, `alpha` the requested one. */
swathe_status weights_note(struct arena *arena, const struct weights_rule *given,
                           const struct weights_rule *result, bool has_alpha, swathe_alpha alpha,
                           struct weights_note *note);

void plan_get(const struct plan *plan, swathe_plan_info *info);
swathe_status plan_stage(const struct plan *plan, int32_t stage, swathe_stage_info *info);
swathe_status plan_text(const struct plan *plan, swathe_text format, char *text, size_t size,
                        size_t *needed);

/* Planes of stage i's input, or of the result for i = count. */
static inline int32_t plan_planes(const struct plan *plan, int32_t i)
{
    return (i < plan->count ? plan->ops[i].channels : plan->result.channels) / plan->step;
}

/* The largest number of planes of any stage. */
static inline int32_t plan_planes_most(const struct plan *plan)
{
    int32_t most = 1;
    for (int32_t i = 0; i <= plan->count; i++)
        most = plan_planes(plan, i) > most ? plan_planes(plan, i) : most;
    return most;
}

/* Chooses spans whose ring buffers stay in the second-level cache, but not so narrow that halos
 * cost more than that saves. */
void plan_choose_span(struct plan *plan);
/* Prepares a stage for the algorithm that was chosen among its candidates. */
swathe_status plan_prepare_stage(struct arena *arena, const struct op *op,
                                 const struct candidate_rule *rule,
                                 const struct candidates *candidates, struct plan_stage *stage);
/* Replaces the three stages of a filter with weights by one where a kernel computes all of them,
 * and is predicted to be faster. The results have the same bytes. */
swathe_status plan_join_weights(struct plan *plan, const struct candidate_rule *rule);

/* Rows of the source that a part of the result reads beyond the rows of that part. */
int64_t plan_halo_rows(const struct plan *plan);
/* Input rows needed for the output rows that a stage computes together. */
int64_t plan_window_rows(const struct plan_stage *stage);
/* Input rows that stage i keeps in its ring buffer. */
int64_t plan_ring_rows(const struct plan *plan, int32_t i);
/* The part of its output that stage i computes if `wanted` is needed: whole units of its grid. */
struct interval plan_made(const struct plan *plan, int32_t i, enum interval_axis axis,
                          struct interval wanted);
/* The part of stage i's input that this requires. */
struct interval plan_need(const struct plan *plan, int32_t i, enum interval_axis axis,
                          struct interval wanted);

#endif

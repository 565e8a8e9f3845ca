/* A plan: ops with their algorithms, sizes and bounds. Immutable after creation. */
#ifndef SWATHE_PLAN_PLAN_H
#define SWATHE_PLAN_PLAN_H

#include "plan/candidate.h"
#include "plan/interval.h"
#include "plan/on_gpu.h"

struct plan {
    struct arena arena;
    swathe_shape source, result;
    int32_t count;
    struct op *ops;
    struct plan_stage *stages;
    struct on_gpu *gpu;            /* the stages on a device; NULL: on the CPU */
    struct candidates *candidates; /* per stage: the algorithms considered */
    bool planar; /* working layout: one plane per channel; otherwise all channels interleaved */
    bool exact;  /* results are the same on every machine */
    bool by_reference;
    int64_t max_memory;
    int64_t span_columns;  /* columns of a span, so that its ring buffers fit the cache */
    int64_t scratch_bytes; /* for one thread of a run */
    double error_bound, predicted_ns;
    char *problem;     /* problem string of this plan, without its chain */
    char *wisdom;      /* one sentence: the source of the predictions */
    char *device_note; /* one sentence: how `auto` chose; NULL: `auto` was not requested */
};

/* The environment in which plans are made. */
struct plan_maker {
    const struct memory *memory;
    struct wisdom *wisdom;
    int64_t max_memory; /* default for the options' max_memory */
    struct gpu_devices *devices;
    int32_t threads; /* of a run, for predictions */
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

void plan_get(const struct plan *plan, swathe_plan_info *info);
swathe_status plan_stage(const struct plan *plan, int32_t stage, swathe_stage_info *info);
swathe_status plan_text(const struct plan *plan, swathe_text format, char *text, size_t size,
                        size_t *needed);

static inline int32_t plan_planes(const struct plan *plan)
{
    return plan->planar ? plan->source.channels : 1;
}

/* Samples between neighbouring pixels in the working layout. */
static inline int32_t plan_step(const struct plan *plan)
{
    return plan->planar ? 1 : plan->source.channels;
}

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

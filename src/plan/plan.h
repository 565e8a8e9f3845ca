/* A plan: ops with their algorithms, sizes and bounds. Immutable once made. */
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
    struct on_gpu *gpu;            /* where they run on a device; NULL: on the CPU */
    struct candidates *candidates; /* of each stage: what its algorithm was chosen from */
    bool planar; /* working layout: one plane per channel; else all channels interleaved */
    bool exact;  /* the bytes are the same on every machine */
    bool by_reference;
    int64_t max_memory;
    int64_t span_columns;  /* columns whose rings fit the cache */
    int64_t scratch_bytes; /* for one thread of a run */
    double error_bound, predicted_ns;
    char *problem;     /* one line that makes this plan again */
    char *wisdom;      /* where the predictions come from, a sentence */
    char *device_note; /* how `auto` chose, a sentence; NULL: nobody asked */
};

/* What plans are made with. */
struct plan_maker {
    const struct memory *memory;
    struct wisdom *wisdom;
    int64_t max_memory; /* where the options name none */
    struct gpu_devices *devices;
    int32_t threads; /* of a run, for predictions */
    /* What one thread of a run needs for a plan that is complete but for this. */
    int64_t (*scratch_bytes)(const struct plan *plan);
};

swathe_status plan_create(const struct plan_maker *maker, const struct chain *chain,
                          const swathe_shape *source, const swathe_plan_options *options,
                          struct plan **plan);
void plan_free(struct plan *plan);

swathe_status plan_parse(const struct plan_maker *maker, const char *problem, struct plan **plan);

/* The part of the source that a part of the result needs; parts outside the result are refused. */
swathe_status plan_input(const struct plan *plan, const swathe_rect *result, swathe_rect *source);

void plan_get(const struct plan *plan, swathe_plan_info *info);
swathe_status plan_stage(const struct plan *plan, int32_t stage, swathe_stage_info *info);
swathe_status plan_text(const struct plan *plan, swathe_text format, char *text, size_t size,
                        size_t *needed);

static inline int32_t plan_planes(const struct plan *plan)
{
    return plan->planar ? plan->source.channels : 1;
}

/* Samples from a pixel to the next in the working layout. */
static inline int32_t plan_step(const struct plan *plan)
{
    return plan->planar ? 1 : plan->source.channels;
}

/* Rows of the source that a part of the result reads beyond its own. */
int64_t plan_halo_rows(const struct plan *plan);
/* Rows of input under the output rows that a stage makes at once. */
int64_t plan_window_rows(const struct plan_stage *stage);
/* Rows of input that stage i keeps. */
int64_t plan_ring_rows(const struct plan *plan, int32_t i);
/* What stage i makes when a part of its output is wanted: whole units of its grid. */
struct interval plan_made(const struct plan *plan, int32_t i, enum interval_axis axis,
                          struct interval wanted);
/* The part of stage i's input that this needs. */
struct interval plan_need(const struct plan *plan, int32_t i, enum interval_axis axis,
                          struct interval wanted);

#endif

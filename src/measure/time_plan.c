#include "measure/time_plan.h"

#include "base/cancel.h"
#include "base/os_clock.h"
#include "image/view.h"

#include <math.h>

/* Fills an image with noise, the same every time. */
static void time_plan_fill(void *samples, swathe_type type, int64_t count)
{
    uint32_t state = 1;
    for (int64_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        double value = (double)(state >> 8) * 0x1p-24; /* u32 and s32: fewer bits are enough */
        if (!sample_is_float(type))
            value = floor(value * (type == SWATHE_U8 ? 256.0 : 32768.0));
        sample_store((uint8_t *)samples + i * sample_size(type), type, value);
    }
}

static swathe_status make_image(const struct memory *memory, const swathe_shape *shape, void **data,
                                swathe_image *view)
{
    int64_t bytes;
    TRY(shape_bytes(shape, &bytes));
    TRY(memory_new_raw(memory, bytes, 1, "an image to measure with", data));
    time_plan_fill(*data, shape->type, bytes / sample_size(shape->type));
    return view_init(shape, SWATHE_INTERLEAVED, *data, view);
}

swathe_status time_plan_begin(const struct memory *memory, struct pool *pool,
                              const struct plan *plan, struct measure *measure)
{
    *measure = (struct measure){.memory = memory, .pool = pool};
    swathe_status status = make_image(memory, &plan->source, &measure->source, &measure->from);
    if (status == SWATHE_OK)
        status = make_image(memory, &plan->result, &measure->result, &measure->to);
    if (status != SWATHE_OK)
        time_plan_end(measure);
    return status;
}

void time_plan_end(struct measure *measure)
{
    memory_free(measure->memory, measure->result);
    memory_free(measure->memory, measure->source);
}

/* Asks the caller of the planner during a run of it. */
static int32_t time_plan_ask(void *user, int64_t done, int64_t total)
{
    const struct cancel *caller = user;
    (void)done;
    (void)total;
    return caller->asked(caller->user);
}

swathe_status time_plan_run(const struct measure *measure, const struct plan *plan, int32_t repeats,
                            double *ns)
{
    swathe_run_options options = SWATHE_INIT(swathe_run_options);
    struct cancel caller = cancel_current();
    options.threads = 1;
    options.progress = caller.asked ? time_plan_ask : NULL;
    options.progress_user = &caller;
    double start = clock_used();
    for (int32_t i = 0; i < repeats; i++)
        TRY(run_in_memory(measure->memory, measure->pool, plan, &measure->from, &measure->to,
                          &options));
    *ns = fmax((clock_used() - start) * 1e9 / repeats, 1.0);
    return SWATHE_OK;
}

/* Runs a plan with source and result in the caller's memory. */
#include "run/run.h"

#include "base/checked.h"
#include "base/cpu.h"
#include "image/view.h"
#include "run/clamped.h"

#include <inttypes.h>
#include <stdlib.h>

struct views {
    const swathe_image *source, *result;
};

static swathe_status source_row(void *user, int64_t y, const swathe_image **view)
{
    (void)y;
    *view = user;
    return SWATHE_OK;
}

static swathe_status run_in_memory_begin(struct run *run, int32_t w, int64_t cell,
                                         const swathe_rect *rect, struct row_source *source,
                                         swathe_image *result)
{
    (void)w;
    (void)cell;
    (void)rect;
    const struct views *views = run->user;
    *source = (struct row_source){(void *)views->source, source_row, true};
    *result = *views->result;
    return SWATHE_OK;
}

static const struct run_ends ends = {run_in_memory_begin, NULL, NULL};

static swathe_status check_extent(const swathe_image *view, const swathe_shape *shape,
                                  const char *what)
{
    swathe_shape full = view_shape(view);
    int64_t width = full.width, height = full.height;
    if (width != shape->width || height != shape->height || view->channels != shape->channels ||
        view->type != shape->type)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "%s: an image of %" PRId64 " x %" PRId64 " x %d %s; the plan is for %" PRId64
                    " x %" PRId64 " x %d %s",
                    what, width, height, view->channels, sample_entry(view->type)->name,
                    shape->width, shape->height, shape->channels, sample_entry(shape->type)->name);
    swathe_rect whole = {0, 0, width, height}, part = view_rect(view);
    if (!rect_contains(&whole, &part))
        return fail(SWATHE_ERROR_ARGUMENT, "%s: the view is outside its full image", what);
    return SWATHE_OK;
}

/* Checks that the source tile contains everything that this part of the result needs. */
static swathe_status run_in_memory_check_source(const struct plan *plan, const swathe_image *source,
                                                const swathe_image *result)
{
    swathe_rect part = view_rect(result), need, have = view_rect(source);
    TRY(plan_input(plan, &part, &need));
    if (!rect_contains(&have, &need))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "the source tile contains %" PRId64 "x%" PRId64 "+%" PRId64 "+%" PRId64
                    ", this part of the result needs %" PRId64 "x%" PRId64 "+%" PRId64 "+%" PRId64,
                    have.width, have.height, have.x, have.y, need.width, need.height, need.x,
                    need.y);
    return SWATHE_OK;
}

/* Results larger than a quarter of the last cache are no longer cached when the caller reads them.
 * Non-temporal stores of such results are faster on processors with AMX, and slower on others that
 * were measured. In test builds, SWATHE_STREAM asks for them from four second-level caches on. */
static bool bypasses_caches(const swathe_image *result)
{
    double bytes = (double)result->width * (double)result->height * result->channels *
                   sample_size(result->type);
#if SWATHE_TESTS
    if (getenv("SWATHE_STREAM"))
        return bytes > 4.0 * (double)cpu_cache_bytes();
#endif
    return cpu_has("amx") && 4.0 * bytes > (double)cpu_last_cache_bytes();
}

/* On a device the caller is asked between cells. The strategies of reports copy whole images. */
enum { DEVICE_ROWS = 256 };

static bool run_in_memory_keeps(const struct plan_stage *stage)
{
    const struct algorithm_calls *calls = stage->algorithm->calls;
    int32_t step = stage->op->channels;
    return calls->kept_bytes && calls->kept_bytes(stage, step, step) > 0;
}

/* Number of rows that both a cell and the next one work on: of stages before another one, and of
 * those whose tasks keep something for the rows below. */
static int64_t recomputed_rows(const struct plan *plan)
{
    int64_t rows = 0;
    for (int32_t i = 0; i < plan->count; i++)
        if (i > 0 || run_in_memory_keeps(&plan->stages[i]))
            rows += (int64_t)plan->ops[i].above + plan->ops[i].below;
    return rows;
}

/* Chooses enough cells for the threads to finish at about the same time. Cells are so high that
 * less than one row in eight is computed twice, and consist of whole groups of the last stage if
 * that leaves work for all threads. */
static int64_t run_in_memory_choose_rows(const struct run *run)
{
    enum { LEAST = 16 };
    int64_t rows = run->region.height, threads = run->threads;
    if (run->options->cell_rows > 0)
        return run->options->cell_rows;
    if (threads > 1) {
        rows = max64(ceil_div(rows, 4 * threads), max64(8 * recomputed_rows(run->plan), LEAST));
        rows = min64(rows, ceil_div(run->region.height, threads));
    }
    if (run->plan->gpu && run->options->progress && run->plan->gpu->strategy == gpu_strategy_at(0))
        rows = min64(rows, max64(DEVICE_ROWS, 8 * recomputed_rows(run->plan)));
    int64_t groups = next_multiple(rows, run->plan->stages[run->plan->count - 1].group);
    return ceil_div(run->region.height, groups) >= threads ? groups : rows;
}

/* Planar images are filtered as planes, because converting them to pixels and back takes longer
 * than most filters. */
static bool stays_planar(const struct plan *plan, const swathe_image *source,
                         const swathe_image *result)
{
    return !plan->gpu && samples_direct(source, 1) && samples_direct(result, 1);
}

/* Starting a share of the work in another thread takes 5 to 20 µs, and rows between shares are
 * computed twice: measured, shares of less than 50 µs gain nothing. Callers that name a number of
 * threads get it. */
static int32_t threads_for(const struct run *run)
{
    double share_ns = 50e3;
    const struct plan *plan = run->plan;
    int32_t threads = run_threads(run->pool, plan, run->options);
    double part = (double)run->region.width * (double)run->region.height /
                  ((double)plan->result.width * (double)plan->result.height);
    double shares = plan->predicted_ns * part / share_ns;
    if (run->options->threads > 0 || plan->gpu || plan->predicted_ns <= 0.0 || shares >= threads)
        return threads;
    return shares > 1.0 ? (int32_t)shares : 1;
}

swathe_status run_in_memory(const struct memory *memory, struct pool *pool, const struct plan *plan,
                            const swathe_image *source, const swathe_image *result,
                            const swathe_run_options *options)
{
    TRY(view_check(source, "source"));
    TRY(view_check_result(result, "destination"));
    TRY(check_extent(source, &plan->source, "source"));
    TRY(check_extent(result, &plan->result, "destination"));
    TRY(run_in_memory_check_source(plan, source, result));
    if (view_overlap(source, result))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "source and destination overlap; write the result to other memory");
    if (plan->by_reference) {
        swathe_rect whole = {0, 0, plan->source.width, plan->source.height};
        swathe_rect have = view_rect(source);
        if (!rect_contains(&have, &whole))
            return fail(SWATHE_ERROR_UNSUPPORTED, "algorithm reference needs the whole source");
        return run_reference(
            &(struct run){
                .memory = memory, .plan = plan, .options = options, .region = view_rect(result)},
            source, result);
    }
    struct views views = {source, result};
    struct plan layout = *plan;
    if (stays_planar(plan, source, result))
        layout.step = 1;
    struct run run = {.memory = memory,
                      .pool = pool,
                      .plan = &layout,
                      .options = options,
                      .ends = &ends,
                      .user = &views,
                      .region = view_rect(result),
                      .stream = bypasses_caches(result)};
    run.threads = threads_for(&run);
    run.cell_width = run.region.width;
    run.cell_height = run_in_memory_choose_rows(&run);
    run.span_columns = options->span_columns > 0 ? options->span_columns : plan->span_columns;
    return run_execute(&run);
}

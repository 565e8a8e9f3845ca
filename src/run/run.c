#include "run/run.h"

#include "base/cancel.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/text.h"
#include "filter/op.h"
#include "io/limits.h"
#include "run/device_worker.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

int32_t run_threads(const struct pool *pool, const struct plan *plan,
                    const swathe_run_options *options)
{
    int32_t all = pool_threads(pool);
    int32_t threads = options->threads > 0 && options->threads < all ? options->threads : all;
    return plan->gpu && threads > DEVICE_WORKERS_MOST ? DEVICE_WORKERS_MOST : threads;
}

/* Does any of the work happen on the CPU? */
static bool uses_workers(const struct plan *plan)
{
    return !plan->gpu || plan->gpu->falls_back;
}

static int64_t column_width(const struct run *run)
{
    return run->column_width > 0 ? run->column_width : run->region.width;
}

/* Cells side by side in a column; the last column may have fewer. */
static int64_t column_cells(const struct run *run)
{
    return ceil_div(column_width(run), run->cell_width);
}

int64_t run_across(const struct run *run)
{
    int64_t width = column_width(run), whole = run->region.width / width;
    return whole * column_cells(run) + ceil_div(run->region.width - whole * width, run->cell_width);
}

int64_t run_down(const struct run *run)
{
    return ceil_div(run->region.height, run->cell_height);
}

int64_t run_cells(const struct run *run)
{
    return size_mul(run_across(run), run_down(run));
}

swathe_rect run_cell_at(const struct run *run, int64_t across, int64_t down)
{
    swathe_rect region = run->region;
    int64_t width = column_width(run), each = column_cells(run);
    int64_t left = across / each * width, right = min64(left + width, region.width);
    int64_t x = left + across % each * run->cell_width, y = down * run->cell_height;
    return (swathe_rect){region.x + x, region.y + y, min64(run->cell_width, right - x),
                         min64(run->cell_height, region.height - y)};
}

swathe_rect run_cell(const struct run *run, int64_t cell)
{
    int64_t each = column_cells(run), rows = run_down(run);
    int64_t left = cell / (each * rows) * each; /* fits: fewer than all cells */
    int64_t in_row = min64(each, run_across(run) - left), rest = cell - left * rows;
    return run_cell_at(run, left + rest % in_row, rest / in_row);
}

/* The n-th span of a cell. */
static struct interval span_at(const struct run *run, const swathe_rect *cell, int64_t n)
{
    int64_t first = cell->x + n * run->span_columns;
    return (struct interval){first, min64(first + run->span_columns, cell->x + cell->width)};
}

static int64_t span_count(const struct run *run, const swathe_rect *cell)
{
    return ceil_div(cell->width, run->span_columns);
}

/* Checks all spans, because those at an edge can need more columns than others. */
swathe_status run_measure(struct run *run)
{
    const struct plan *plan = run->plan;
    struct interval *columns;
    /* The option may exceed the width. */
    run->span_columns = min64(run->span_columns, run->region.width);
    memory_free(run->memory, run->widest);
    run->widest = NULL;
    TRY(memory_new(run->memory, plan->count + 1, sizeof *run->widest, "a run", &run->widest));
    TRY(memory_new(run->memory, plan->count + 1, sizeof *columns, "a run", &columns));
    for (int64_t c = 0; c < run_across(run); c++) {
        swathe_rect cell = run_cell_at(run, c, 0);
        for (int64_t s = 0; s < span_count(run, &cell); s++) {
            worker_columns(plan, span_at(run, &cell, s), columns);
            for (int32_t i = 0; i <= plan->count; i++)
                run->widest[i] = max64(run->widest[i], columns[i].last - columns[i].first);
        }
    }
    memory_free(run->memory, columns);
    run->worker_bytes = uses_workers(plan) ? worker_bytes(plan, run->widest) : 0;
    return SWATHE_OK;
}

int64_t run_scratch_bytes(const struct plan *plan)
{
    int64_t widest[CHAIN_PLANNED_MAX + 1], columns = plan->span_columns;
    bool wraps = false;
    if (plan->by_reference || !uses_workers(plan))
        return 0;
    for (int32_t i = plan->count - 1; i >= 0; i--) {
        const struct op *op = &plan->ops[i];
        columns = min64(columns + 2 * (plan->stages[i].grid_x - 1), op->out_width);
        widest[i + 1] = columns;
        wraps |= op_wraps_columns(op);
        columns = wraps ? op->in_width : min64(columns + op->left + op->right, op->in_width);
    }
    widest[0] = columns;
    /* Planar images are filtered as planes, see in_memory.c. */
    struct plan planes = *plan;
    planes.step = 1;
    return max64(worker_bytes(plan, widest), worker_bytes(&planes, widest));
}

/* Stores the first failure and makes all threads stop: at once if they compute, within 50 ms if
 * they wait. */
static void stop_soon(struct run *run, swathe_status status)
{
    pthread_mutex_lock(&run->mutex);
    if (run->status == SWATHE_OK) {
        run->status = status;
        run->failure = *fail_last();
        run->failure.status = status;
    }
    pthread_mutex_unlock(&run->mutex);
    atomic_store(&run->stopped, true);
}

static void run_stop(struct run *run, swathe_status status)
{
    stop_soon(run, status);
    if (run->ends->stop)
        run->ends->stop(run);
}

/* The workers of one thread, on a GPU or on the CPU. */
struct workers {
    struct run *run;
    struct worker cpu;
    struct device_worker *device; /* NULL: on the CPU */
    swathe_rect cell;
    int64_t counted; /* pixels of the cell that run->done contains */
};

/* Reports `pixels` of the cell as done. */
static swathe_status run_report_progress(struct workers *workers, int64_t pixels)
{
    struct run *run = workers->run;
    const swathe_run_options *o = run->options;
    int64_t total = size_mul(run->region.width, run->region.height);
    int32_t cancel = 0;
    pthread_mutex_lock(&run->mutex);
    run->done += pixels - workers->counted;
    workers->counted = pixels;
    if (o->progress && !run->refused) {
        /* The callback may replace this text. */
        fail_record(SWATHE_ERROR_CANCELLED, "cancelled after %" PRId64 " of %" PRId64 " pixels",
                    run->done, total);
        struct cancel_caller before = cancel_enter((struct cancel){NULL, NULL});
        cancel = o->progress(o->progress_user, run->done, total);
        cancel_leave(before);
        run->refused = cancel != 0;
    }
    pthread_mutex_unlock(&run->mutex);
    return cancel ? SWATHE_ERROR_CANCELLED : SWATHE_OK;
}

/* Pixels of the cell that are done, as far as its effort tells. */
static int64_t run_estimate(const struct workers *workers)
{
    struct run *run = workers->run;
    const swathe_rect *cell = &workers->cell;
    struct interval columns[CHAIN_PLANNED_MAX + 1], rows = {cell->y, cell->y + cell->height};
    double expected = 0.0;
    for (int64_t s = 0; cell->width > 0 && s < span_count(run, cell); s++)
        expected += worker_expected(run->plan, span_at(run, cell, s), rows, columns);
    double share = expected > 0.0 ? effort_now(&workers->cpu.effort) / expected : 0.0;
    int64_t pixels = (int64_t)(fmin(share, 1.0) * (double)cell->width * (double)cell->height);
    return max64(pixels, workers->counted);
}

/* Answers the computations of a thread: should they end? */
static int32_t run_asked(void *user)
{
    struct workers *workers = user;
    struct run *run = workers->run;
    if (run->options->progress && !atomic_load(&run->stopped)) {
        swathe_status status = run_report_progress(workers, run_estimate(workers));
        if (status != SWATHE_OK)
            stop_soon(run, status); /* a codec may ask under a mutex that waking the others needs */
    }
    return atomic_load(&run->stopped);
}

static swathe_status run_span(struct run *run, struct worker *worker, struct interval span,
                              const swathe_rect *rect, const swathe_image *result)
{
    int64_t last = rect->y + rect->height, made;
    worker_begin(worker, span, (struct interval){rect->y, last});
    for (int64_t y = rect->y; y < last; y += made) {
        if (atomic_load_explicit(&run->stopped, memory_order_relaxed))
            return SWATHE_OK; /* the failure is recorded */
        TRY(worker_rows(worker, y, last, result, &made));
    }
    return SWATHE_OK;
}

static swathe_status make_on_cpu(struct run *run, struct worker *worker, const swathe_rect *rect,
                                 const struct row_source *source, const swathe_image *result)
{
    swathe_status status = SWATHE_OK;
    worker->source = *source;
    for (int64_t s = 0; s < span_count(run, rect) && status == SWATHE_OK; s++)
        status = run_span(run, worker, span_at(run, rect, s), rect, result);
    kernel_stream_end(); /* also of a run that failed, whose caller may use the memory again */
    return status;
}

/* Ends the use of a device, and reports its times if requested. */
static void leave_device(struct run *run, struct workers *workers)
{
    swathe_run_times own = SWATHE_INIT(swathe_run_times), *times = run->options->times;
    device_worker_destroy(workers->device, &own);
    workers->device = NULL;
    if (!times)
        return;
    pthread_mutex_lock(&run->mutex);
    times->gather += own.gather;
    times->upload += own.upload;
    times->kernels += own.kernels;
    times->download += own.download;
    times->scatter += own.scatter;
    times->allocate += own.allocate;
    times->release += own.release;
    times->launched += own.launched;
    times->launches += own.launches;
    times->bytes_up += own.bytes_up;
    times->bytes_down += own.bytes_down;
    pthread_mutex_unlock(&run->mutex);
}

/* Computes a cell. If a device fails and the plan allows it, the CPU computes this cell and all
 * later ones. */
static swathe_status make_cell(struct run *run, struct workers *workers, const swathe_rect *rect,
                               const struct row_source *source, const swathe_image *result)
{
    if (workers->device) {
        swathe_status status =
            device_worker_run(workers->device, rect, source, result, &run->stopped);
        if (status == SWATHE_OK || !run->plan->gpu->falls_back)
            return status;
        leave_device(run, workers);
    }
    return make_on_cpu(run, &workers->cpu, rect, source, result);
}

static swathe_status run_one_cell(struct run *run, struct workers *workers, int32_t w, int64_t cell)
{
    swathe_rect rect = run_cell(run, cell);
    struct row_source source;
    swathe_image result;
    workers->cell = rect;
    workers->counted = 0;
    workers->cpu.effort.spent = workers->cpu.effort.next = 0.0;
    TRY(run->ends->begin(run, w, cell, &rect, &source, &result));
    TRY(make_cell(run, workers, &rect, &source, &result));
    if (atomic_load(&run->stopped))
        return SWATHE_OK;
    if (run->ends->end)
        TRY(run->ends->end(run, w, cell, &rect));
    return run_report_progress(workers, rect.width * rect.height);
}

static swathe_status workers_init(struct run *run, int32_t w, struct workers *workers)
{
    const struct plan *plan = run->plan;
    *workers = (struct workers){.run = run};
    if (uses_workers(plan))
        worker_init(&workers->cpu, plan, run->widest, run->scratch + w * run->worker_bytes);
    if (run->options->clamped)
        workers->cpu.clamped = &run->clamped;
    workers->cpu.stream = run->stream;
    if (!plan->gpu)
        return SWATHE_OK;
    swathe_status status = device_worker_create(run->memory, plan, run->threads,
                                                run->options->times != NULL, &workers->device);
    return plan->gpu->falls_back ? SWATHE_OK : status;
}

static void run_work(void *user, int32_t w)
{
    struct run *run = user;
    struct workers workers;
    struct float_mode mode = float_mode_enter();
    struct failure kept = fail_keep(); /* the thread may be the caller's own */
    struct cancel_caller before = cancel_enter((struct cancel){run_asked, &workers});
    swathe_status status = workers_init(run, w, &workers);
    if (status != SWATHE_OK)
        run_stop(run, status);
    int64_t cell, cells = run_cells(run);
    while (!atomic_load(&run->stopped) && (cell = atomic_fetch_add(&run->next, 1)) < cells) {
        status = run_one_cell(run, &workers, w, cell);
        if (status != SWATHE_OK)
            run_stop(run, status);
    }
    leave_device(run, &workers);
    cancel_leave(before);
    fail_release(&kept, SWATHE_OK); /* `stop` has saved the failure */
    float_mode_leave(mode);
}

/* Gets the caller's scratch, or allocates it. */
static swathe_status run_get_scratch(struct run *run, void **own)
{
    const swathe_run_options *o = run->options;
    int64_t bytes;
    if (run->worker_bytes == 0)
        return SWATHE_OK;
    if (!checked_mul(run->worker_bytes, run->threads, &bytes))
        return fail(SWATHE_ERROR_LIMIT, "the scratch of %d threads exceeds 2^63 bytes",
                    run->threads);
    if (!o->scratch) {
        struct limits limits = {.max_memory = run->plan->max_memory};
        TRY(limits_check_memory(&limits, run->worker_bytes, "the run"));
        run->threads = (int32_t)min64(run->threads, limits.max_memory / run->worker_bytes);
        bytes = run->threads * run->worker_bytes;
        TRY(memory_new_raw(run->memory, bytes, 1, "scratch", own));
        run->scratch = *own;
        return SWATHE_OK;
    }
    if (o->scratch_bytes < bytes || (uintptr_t)o->scratch % MEMORY_ALIGN != 0)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "scratch of %" PRId64 " bytes; this run needs %" PRId64
                    ", aligned to %d, for %d threads",
                    o->scratch_bytes, bytes, MEMORY_ALIGN, run->threads);
    run->scratch = o->scratch;
    return SWATHE_OK;
}

/* Starts a run. Its caller answers while it waits for the other threads. */
static struct cancel_caller run_begin(struct run *run, struct workers *waiting)
{
    *waiting = (struct workers){.run = run};
    atomic_init(&run->stopped, false);
    pthread_mutex_init(&run->mutex, NULL);
    return cancel_enter((struct cancel){run_asked, waiting});
}

static swathe_status run_end(struct run *run, struct cancel_caller before, swathe_status status)
{
    cancel_leave(before);
    pthread_mutex_destroy(&run->mutex);
    return run->status == SWATHE_OK ? status : fail_again(&run->failure);
}

swathe_status run_reference(struct run *run, const swathe_image *source, const swathe_image *result)
{
    static const struct run_ends none;
    struct workers all;
    run->ends = &none;
    struct cancel_caller before = run_begin(run, &all);
    swathe_status status =
        reference_run(run->memory, run->plan->ops, run->plan->count, source, result);
    if (status == SWATHE_OK)
        status = run_report_progress(&all, size_mul(run->region.width, run->region.height));
    return run_end(run, before, status);
}

swathe_status run_execute(struct run *run)
{
    struct workers waiting;
    void *own = NULL;
    swathe_status status = run_measure(run);
    run->threads = (int32_t)min64(run->threads, run_cells(run));
    if (status == SWATHE_OK)
        status = run_get_scratch(run, &own);
    if (status == SWATHE_OK) {
        atomic_init(&run->next, 0);
        clamped_init(run->plan, &run->clamped);
        struct cancel_caller before = run_begin(run, &waiting);
        status = pool_run(run->pool, run->threads, run_work, run);
        status = run_end(run, before, status);
        if (run->options->clamped) {
            run->options->clamped->examined = atomic_load(&run->clamped.examined);
            run->options->clamped->below = atomic_load(&run->clamped.below);
            run->options->clamped->above = atomic_load(&run->clamped.above);
        }
    }
    memory_free(run->memory, own);
    memory_free(run->memory, run->widest);
    run->widest = NULL;
    return status;
}

/* Runs a plan from a source to a sink in bounded memory. */
#include "run/flow.h"

#include "base/checked.h"
#include "image/view.h"
#include "io/limits.h"
#include "run/clamped.h"
#include "run/part.h"

#include <inttypes.h>

/* Returns a dense view of a part of an image in given memory. */
static swathe_image part_view(const swathe_shape *shape, const swathe_rect *rect, void *data)
{
    swathe_image view = SWATHE_INIT(swathe_image);
    view.data = data;
    view.x = rect->x;
    view.y = rect->y;
    view.width = rect->width;
    view.height = rect->height;
    view.full_width = shape->width;
    view.full_height = shape->height;
    view.channels = shape->channels;
    view.type = shape->type;
    view.color = shape->color;
    view.alpha = shape->alpha;
    view.channel_stride = sample_size(shape->type);
    view.pixel_stride = view.channel_stride * shape->channels;
    view.row_stride = view.pixel_stride * rect->width;
    return view;
}

static swathe_status flow_read_part(struct flow *flow, const swathe_image *into)
{
    const swathe_source *source = flow->source;
    if (source->flags & SWATHE_CONCURRENT)
        return part_read(source, into);
    pthread_mutex_lock(&flow->source_mutex);
    swathe_status status = part_read(source, into);
    pthread_mutex_unlock(&flow->source_mutex);
    return status;
}

/* Returns a row of the worker's chunk, or reads a single distant row that a border needs. */
static swathe_status chunk_row(void *user, int64_t y, const swathe_image **view)
{
    struct flow_worker *worker = user;
    const swathe_image *chunk = &worker->chunk;
    *view = chunk;
    if (y >= chunk->y && y < chunk->y + chunk->height)
        return SWATHE_OK;
    *view = &worker->far_row;
    if (worker->far_row.height == 1 && worker->far_row.y == y)
        return SWATHE_OK;
    swathe_rect rect = {chunk->x, y, chunk->width, 1};
    worker->far_row = part_view(&worker->flow->run.plan->source, &rect, worker->far_row_data);
    swathe_status status = flow_read_part(worker->flow, &worker->far_row);
    if (status != SWATHE_OK) /* the CPU may request it again after a device failed */
        worker->far_row.height = 0;
    return status;
}

static swathe_status window_source_row(void *user, int64_t y, const swathe_image **view)
{
    struct flow_worker *worker = user;
    worker->chunk = window_row(&worker->flow->window, y);
    *view = &worker->chunk;
    return SWATHE_OK;
}

static swathe_status whole_row(void *user, int64_t y, const swathe_image **view)
{
    struct flow_worker *worker = user;
    (void)y;
    *view = &worker->flow->all;
    return SWATHE_OK;
}

static swathe_status flow_begin(struct run *run, int32_t w, int64_t cell, const swathe_rect *rect,
                                struct row_source *source, swathe_image *result)
{
    struct flow *flow = run->user;
    struct flow_worker *worker = &flow->workers[w];
    *result = part_view(&run->plan->result, rect, worker->result_data);
    TRY(outbox_enter(&flow->outbox, cell));
    if (flow->all.data) {
        *source = (struct row_source){worker, whole_row, true};
        return SWATHE_OK;
    }
    if (flow->windowed) {
        *source = (struct row_source){worker, window_source_row, true};
        return window_enter(&flow->window, w, cell, flow_rows(run->plan, rect, false));
    }
    struct interval rows = flow_rows(run->plan, rect, true);
    struct interval columns = flow_columns(run->plan, rect);
    swathe_rect part = {columns.first, rows.first, columns.last - columns.first,
                        rows.last - rows.first};
    *source = (struct row_source){worker, chunk_row, false};
    worker->far_row.height = 0;
    worker->chunk = part_view(&run->plan->source, &part, worker->chunk_data);
    return flow_read_part(flow, &worker->chunk);
}

/* The view with coordinates of the sink, which start at the region's corner. */
static swathe_image flow_delivered(const struct run *run, const swathe_rect *rect, uint8_t *data)
{
    swathe_shape shape = run->plan->result;
    shape.width = run->region.width;
    shape.height = run->region.height;
    swathe_rect at = {rect->x - run->region.x, rect->y - run->region.y, rect->width, rect->height};
    return part_view(&shape, &at, data);
}

static swathe_status flow_end(struct run *run, int32_t w, int64_t cell, const swathe_rect *rect)
{
    struct flow *flow = run->user;
    swathe_image part = flow_delivered(run, rect, flow->workers[w].result_data);
    if (flow->has_window)
        window_leave(&flow->window, w);
    return outbox_put(&flow->outbox, cell, &part);
}

static void flow_stop(struct run *run)
{
    struct flow *flow = run->user;
    outbox_wake(&flow->outbox);
    if (flow->has_window)
        window_wake(&flow->window);
}

static const struct run_ends ends = {flow_begin, flow_end, flow_stop};

/* Loads the whole image, if it fits: the reference algorithm needs it, and so do borders that need
 * the last rows first from a source that reads only forward. */
static swathe_status load_whole(struct flow *flow, const char *why)
{
    const struct plan *plan = flow->run.plan;
    struct limits limits = {.max_memory = plan->max_memory};
    swathe_rect all = {0, 0, plan->source.width, plan->source.height};
    int64_t bytes;
    void *data;
    TRY(shape_bytes(&plan->source, &bytes));
    swathe_status status = limits_check_memory(&limits, bytes, "the whole image");
    if (status != SWATHE_OK)
        return fail_within(status, "%s: ", why);
    TRY(memory_new_raw(flow->run.memory, bytes, 1, "the source", &data));
    flow->all = part_view(&plan->source, &all, data);
    return part_read(flow->source, &flow->all);
}

static swathe_status flow_check_ends(const struct flow *flow)
{
    const struct plan *plan = flow->run.plan;
    const swathe_shape *in = &flow->source->shape, *out = &flow->sink->shape;
    swathe_rect region = flow->run.region, need;
    TRY(plan_input(plan, &region, &need));
    if (in->width != plan->source.width || in->height != plan->source.height ||
        in->channels != plan->source.channels || in->type != plan->source.type)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "the source has %" PRId64 " x %" PRId64 " x %d %s, the plan is for %" PRId64
                    " x %" PRId64 " x %d %s",
                    in->width, in->height, in->channels, sample_entry(in->type)->name,
                    plan->source.width, plan->source.height, plan->source.channels,
                    sample_entry(plan->source.type)->name);
    if (out->width != region.width || out->height != region.height ||
        out->channels != plan->result.channels || out->type != plan->result.type)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "the sink expects %" PRId64 " x %" PRId64 " x %d %s, the run produces %" PRId64
                    " x %" PRId64 " x %d %s",
                    out->width, out->height, out->channels, sample_entry(out->type)->name,
                    region.width, region.height, plan->result.channels,
                    sample_entry(plan->result.type)->name);
    return SWATHE_OK;
}

/* With random access, the window starts at the first cell. */
static swathe_status allocate_window(struct flow *flow)
{
    const struct run *run = &flow->run;
    struct window *window = &flow->window;
    swathe_rect first = run_cell(run, 0);
    int64_t step = flow_step(flow), top = flow_rows(run->plan, &first, false).first;
    swathe_image rows = part_view(&run->plan->source, &flow->window_rect, NULL);
    *window =
        (struct window){.source = flow->source,
                        .rows = rows,
                        .capacity = rows.height,
                        .step = step,
                        .next_row = flow->source->flags & SWATHE_FORWARD ? 0 : top - top % step,
                        .count = run->threads,
                        .stopped = &run->stopped};
    TRY(memory_new(run->memory, run->threads, sizeof *window->workers, "a run", &window->workers));
    flow->has_window = true;
    window_init(window);
    return memory_new_raw(run->memory, rows.row_stride, rows.height, "rows", &window->rows.data);
}

static swathe_status flow_allocate(struct flow *flow)
{
    struct run *run = &flow->run;
    const struct memory *memory = run->memory;
    int64_t each = size_add(size_add(flow->chunk_bytes, flow->far_row_bytes),
                            size_add(flow->result_bytes, flow->context_bytes));
    run->threads = (int32_t)min64(run->threads, run_cells(run));
    TRY(memory_new(memory, run->threads, sizeof *flow->workers, "a run", &flow->workers));
    TRY(memory_new_raw(memory, run->threads, each, "buffers", &flow->buffers));
    for (int32_t w = 0; w < run->threads; w++) {
        struct flow_worker *worker = &flow->workers[w];
        worker->flow = flow;
        worker->chunk_data = flow->buffers + w * each;
        worker->far_row_data = worker->chunk_data + flow->chunk_bytes;
        worker->result_data = worker->far_row_data + flow->far_row_bytes + flow->context_bytes;
    }
    TRY(outbox_init(&flow->outbox, memory, flow->sink, flow->parts, run->threads,
                    run->region.width * flow_pixel(&run->plan->result), &run->stopped));
    return flow->windowed ? allocate_window(flow) : SWATHE_OK;
}

static void flow_release(struct flow *flow)
{
    const struct memory *memory = flow->run.memory;
    if (flow->has_window) {
        memory_free(memory, flow->window.rows.data);
        memory_free(memory, flow->window.workers);
        window_destroy(&flow->window);
    }
    outbox_destroy(&flow->outbox);
    memory_free(memory, flow->buffers);
    memory_free(memory, flow->workers);
    memory_free(memory, flow->all.data);
    memory_free(memory, flow->run.widest);
    pthread_mutex_destroy(&flow->source_mutex);
}

/* Computes the reference result in memory, then writes it in strips of whole tiles. */
static swathe_status by_reference(struct flow *flow)
{
    struct run *run = &flow->run;
    const swathe_sink *sink = flow->sink;
    int64_t bytes, rows = sink->tile_height > 0 ? sink->tile_height : 64;
    int64_t pixel = (int64_t)run->plan->result.channels * sample_size(run->plan->result.type);
    swathe_shape shape = run->plan->result;
    shape.width = run->region.width;
    shape.height = run->region.height;
    TRY(load_whole(flow, "algorithm reference"));
    TRY(shape_bytes(&shape, &bytes));
    struct limits limits = {.max_memory = run->plan->max_memory};
    TRY(limits_check_memory(&limits, bytes, "the whole result"));
    TRY(memory_new_raw(run->memory, bytes, 1, "the result", &flow->buffers));
    swathe_image result = part_view(&run->plan->result, &run->region, flow->buffers);
    TRY(run_reference(run, &flow->all, &result));
    for (int64_t y = 0; y < shape.height; y += rows) {
        swathe_rect strip = {run->region.x, run->region.y + y, shape.width,
                             min64(rows, shape.height - y)};
        swathe_image part = flow_delivered(run, &strip, flow->buffers + y * shape.width * pixel);
        TRY(part_write(sink, &part));
    }
    return SWATHE_OK;
}

static swathe_status run_all(struct flow *flow)
{
    TRY(flow_check_ends(flow));
    if (flow->run.plan->by_reference)
        return by_reference(flow);
    if ((flow->source->flags & SWATHE_FORWARD) && flow_wraps(flow->run.plan))
        TRY(load_whole(
            flow, "border wrap needs the last rows first, but this source only reads forward"));
    TRY(flow_choose(flow));
    TRY(flow_allocate(flow));
    return run_execute(&flow->run);
}

swathe_status run_stream(const struct memory *memory, struct pool *pool, const struct plan *plan,
                         const swathe_source *source, const swathe_sink *sink,
                         const swathe_run_options *options)
{
    struct flow flow = {.source = source, .sink = sink, .parts = sink->parts};
    swathe_rect whole = {0, 0, plan->result.width, plan->result.height};
    flow.run = (struct run){.memory = memory,
                            .pool = pool,
                            .plan = plan,
                            .options = options,
                            .ends = &ends,
                            .user = &flow,
                            .region = rect_is_default(&options->region) ? whole : options->region,
                            .span_columns = options->span_columns > 0 ? options->span_columns
                                                                      : plan->span_columns,
                            .threads = run_threads(pool, plan, options)};
    pthread_mutex_init(&flow.source_mutex, NULL);
    swathe_status status = run_all(&flow);
    flow_release(&flow);
    return status;
}

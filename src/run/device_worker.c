#include "run/device_worker.h"

#include "base/checked.h"
#include "base/os_clock.h"
#include "base/text.h"
#include "io/limits.h"
#include "run/device_cell.h"
#include "run/worker.h"

#include <stdio.h>

/* A launch should take much less than the second after which some systems reset a GPU. */
#define LAUNCH_WORK 0x1p31 /* multiply-adds */

struct device_buffer {
    void *data;
    int64_t bytes;
};

/* The image that is copied to or from the device: a buffer on the host, or the caller's memory. */
struct device_host {
    uint8_t *data;
    int64_t plane; /* bytes between planes that are copied separately */
};

struct device_worker {
    const struct memory *memory;
    const struct plan *plan;
    const struct gpu_calls *calls;
    void *device, *queue;
    int32_t share;               /* workers that share the memory */
    int64_t budget, host_budget; /* limits in bytes, on device and host */
    struct device_buffer images[2][GPU_PLANES_MAX], tables[ON_GPU_STAGES_MAX][2]; /* on device */
    struct device_buffer upload, download, host_tables;                           /* on the host */
    struct device_host from, to;
    struct device_cell cell;
    bool timed;
    double since; /* start time of the current part of the cell */
    swathe_run_times times;
};

/* Allocates a buffer. Pageable memory is cleared, so that its pages are mapped before a copy. */
static swathe_status device_worker_make(const struct device_worker *worker, int64_t bytes,
                                        bool host, void **data)
{
    const struct gpu_calls *calls = worker->calls;
    if (host && worker->plan->gpu->pageable)
        return memory_new(worker->memory, bytes, 1, "a transfer", data);
    return (host ? calls->new_host : calls->new_buffer)(worker->device, bytes, data);
}

static void device_worker_drop(const struct device_worker *worker, struct device_buffer *buffer,
                               bool host)
{
    const struct gpu_calls *calls = worker->calls;
    if (buffer->data && host && worker->plan->gpu->pageable)
        memory_free(worker->memory, buffer->data);
    else if (buffer->data)
        (host ? calls->free_host : calls->free_buffer)(worker->device, buffer->data);
    *buffer = (struct device_buffer){0};
}

/* Ensures that a buffer on the device or the host has at least `bytes`. */
static swathe_status device_worker_grow(struct device_worker *worker, struct device_buffer *buffer,
                                        int64_t bytes, bool host)
{
    if (buffer->bytes >= bytes)
        return SWATHE_OK;
    device_worker_drop(worker, buffer, host);
    TRY(device_worker_make(worker, bytes, host, &buffer->data));
    buffer->bytes = bytes;
    return SWATHE_OK;
}

static enum gpu_flow flow_of(const struct device_worker *worker)
{
    return worker->plan->gpu->strategy->flow;
}

/* Number of buffers of an image: more than one if each plane has a buffer. */
static int32_t buffer_count(const struct device_worker *worker)
{
    return flow_of(worker) == GPU_FLOW_SEPARATE ? worker->plan->source.channels : 1;
}

static swathe_status grow_all(struct device_worker *worker)
{
    const struct device_cell *cell = &worker->cell;
    for (int k = 0; k < 2; k++)
        for (int32_t c = 0; c < buffer_count(worker); c++)
            TRY(device_worker_grow(worker, &worker->images[k][c], cell->largest, false));
    for (int32_t i = 0; i < cell->count; i++)
        for (int axis = 0; axis < 2; axis++)
            TRY(device_worker_grow(
                worker, &worker->tables[i][axis],
                device_cell_table_count(worker->plan, cell, i, (enum interval_axis)axis) *
                    (int64_t)sizeof(int32_t),
                false));
    if (!worker->from.data)
        TRY(device_worker_grow(worker, &worker->upload, cell->images[0].bytes, true));
    if (!worker->to.data)
        TRY(device_worker_grow(worker, &worker->download, cell->images[cell->count].bytes, true));
    return device_worker_grow(worker, &worker->host_tables, cell->table_bytes, true);
}

/* Samples from one pixel of a transferred row to the next. */
static int32_t step_of(const struct device_worker *worker, const swathe_shape *shape)
{
    return worker->plan->gpu->host_planar ? 1 : shape->channels;
}

/* True if a part of an image is in the caller's memory as it is on the device, so that it can be
 * copied from or to there. */
static bool is_as_on_device(const struct device_worker *worker, const swathe_image *view,
                            const struct device_cell_image *image)
{
    swathe_rect have = view_rect(view);
    swathe_rect need = {image->columns.first, image->rows.first,
                        image->columns.last - image->columns.first,
                        image->rows.last - image->rows.first};
    int64_t size = sample_size(view->type);
    bool planar = worker->plan->gpu->host_planar, apart = image->part < image->bytes;
    return flow_of(worker) != GPU_FLOW_JOINED && rect_contains(&have, &need) &&
           samples_direct(view, planar ? 1 : view->channels) &&
           view->row_stride == image->pitch * size &&
           (!planar || apart || view->channels == 1 || view->channel_stride == image->plane * size);
}

/* Finds out whether the host must collect rows for the copy to the device, and distribute those of
 * the copy back. */
static swathe_status device_worker_meet(struct device_worker *worker,
                                        const struct row_source *source, const swathe_image *result)
{
    const struct device_cell_image *in = &worker->cell.images[0];
    const struct device_cell_image *out = &worker->cell.images[worker->cell.count];
    const swathe_image *view;
    int64_t height = worker->plan->ops[0].in_height;
    bool best = gpu_strategy_at(0) == worker->plan->gpu->strategy;
    worker->from = worker->to = (struct device_host){NULL, 0};
    if (best) /* its rows are aligned, and its copies overlap if they use the driver's memory */
        return SWATHE_OK;
    if (is_as_on_device(worker, result, out))
        worker->to = (struct device_host){view_at(result, out->columns.first, out->rows.first, 0),
                                          result->channel_stride};
    if (!source->stable || in->rows.first < 0 || in->rows.first >= height)
        return SWATHE_OK;
    TRY(source->row(source->user, in->rows.first, &view));
    if (is_as_on_device(worker, view, in))
        worker->from = (struct device_host){view_at(view, in->columns.first, in->rows.first, 0),
                                            view->channel_stride};
    return SWATHE_OK;
}

/* Ends a part of a cell that used the host. */
static void end_part(struct device_worker *worker, double *part)
{
    if (!worker->timed)
        return;
    double now = clock_now();
    *part += now - worker->since;
    worker->since = now;
}

/* Ends a part that used the device. Waits until the device has finished it only if timed. */
static swathe_status end_device_part(struct device_worker *worker, double *part)
{
    if (worker->timed)
        TRY(worker->calls->finish(worker->queue));
    end_part(worker, part);
    return SWATHE_OK;
}

/* Copies the source rows to the upload buffer: planes one after another, or interleaved pixels. If
 * kernels do not handle borders, the rows get them here. */
static swathe_status device_worker_gather(struct device_worker *worker,
                                          const struct row_source *source)
{
    const struct device_cell_image *image = &worker->cell.images[0];
    int64_t size = sample_size(worker->plan->source.type), plane = image->plane * size;
    bool padded = worker->plan->gpu->strategy->reads == GPU_READS_PADDED;
    if (worker->from.data)
        return SWATHE_OK;
    worker->from = (struct device_host){worker->upload.data, image->part};
    for (int64_t y = image->rows.first; y < image->rows.last; y++) {
        uint8_t *to =
            (uint8_t *)worker->upload.data + (y - image->rows.first) * image->pitch * size;
        const swathe_image *view;
        if (padded) {
            TRY(padding_row(&worker->plan->ops[0], source, y, image->columns, to, plane));
            continue;
        }
        TRY(source->row(source->user, y, &view));
        samples_gather(view, y, image->columns.first, image->columns.last,
                       step_of(worker, &worker->plan->source), to, plane);
    }
    end_part(worker, &worker->times.gather);
    return SWATHE_OK;
}

static swathe_status device_worker_send(struct device_worker *worker, void *buffer,
                                        const void *from, int64_t bytes)
{
    TRY(worker->calls->upload(worker->queue, buffer, 0, from, bytes));
    worker->times.bytes_up += bytes;
    return SWATHE_OK;
}

static swathe_status send_tables(struct device_worker *worker)
{
    int32_t *table = worker->host_tables.data;
    for (int32_t i = 0; i < worker->cell.count; i++)
        for (int axis = 0; axis < 2; axis++) {
            enum interval_axis which = (enum interval_axis)axis;
            int64_t count = device_cell_table_count(worker->plan, &worker->cell, i, which);
            if (count == 0)
                continue;
            device_cell_table(worker->plan, &worker->cell, i, which, table);
            TRY(device_worker_send(worker, worker->tables[i][axis].data, table,
                                   count * (int64_t)sizeof *table));
            table += count;
        }
    return SWATHE_OK;
}

/* Sends the whole image or, if planes are processed in turn, this plane. */
static swathe_status send_image(struct device_worker *worker, int32_t turn)
{
    const struct device_cell_image *image = &worker->cell.images[0];
    for (int32_t c = 0; c < buffer_count(worker); c++)
        TRY(device_worker_send(worker, worker->images[0][c].data,
                               worker->from.data + (turn + c) * worker->from.plane, image->part));
    return end_device_part(worker, &worker->times.upload);
}

/* Does a launch compute all channels, the grid's z? */
static bool whole_grid(const struct device_worker *worker)
{
    return flow_of(worker) == GPU_FLOW_WHOLE || flow_of(worker) == GPU_FLOW_JOINED;
}

/* Rows that one launch computes: whole tiles, within the time and grid limits of a device. */
static int64_t launch_rows(const struct device_worker *worker, const struct gpu_stage *stage,
                           int64_t width)
{
    bool all = whole_grid(worker) || flow_of(worker) == GPU_FLOW_SEPARATE;
    double row = (double)width * (all ? stage->op->out_channels : 1) * stage->work;
    int64_t tile = stage->tile[1], grid = worker->plan->gpu->device->info.limits.grid[1];
    int64_t rows = (int64_t)(LAUNCH_WORK / row) / tile * tile;
    return max64(tile, min64(rows, size_mul(min64(grid, INT32_MAX), tile)));
}

static swathe_status launch_rows_of(struct device_worker *worker, const struct on_gpu_stage *at,
                                    struct gpu_task *task, struct gpu_launch *launch)
{
    int64_t rows = launch_rows(worker, &at->stage, task->width);
    for (int64_t y = 0; y < task->height; y += rows) {
        task->first_y = (int)y;
        task->last_y = (int)min64(y + rows, task->height);
        gpu_stage_grid(&at->stage, task->width, task->last_y - task->first_y, launch->grid);
        if (!whole_grid(worker))
            launch->grid[2] = 1;
        TRY(worker->calls->launch(worker->queue, at->program, launch));
        worker->times.launches++;
    }
    return SWATHE_OK;
}

/* Launches stage i, for plane `channel` if it is launched per plane. */
static swathe_status launch_stage(struct device_worker *worker, int32_t i, int32_t channel)
{
    const struct on_gpu_stage *at = &worker->plan->gpu->stages[i];
    const struct device_buffer *in = worker->images[i % 2], *out = worker->images[(i + 1) % 2];
    bool separate = flow_of(worker) == GPU_FLOW_SEPARATE, filter = at->kind == ON_GPU_FILTER;
    int32_t first = separate && !filter ? channel : 0;
    void *rows = worker->tables[i][INTERVAL_ROWS].data;
    void *columns = worker->tables[i][INTERVAL_COLUMNS].data;
    struct gpu_task task;
    struct gpu_launch launch = {
        .in = in[first].data,
        .out = out[first].data,
        .taps = at->taps,
        .rows = at->stage.has_tables ? rows : at->taps, /* any buffer, because it is not read */
        .columns = at->stage.has_tables ? columns : at->taps,
        .local_bytes = at->stage.given_bytes,
        .task = &task};
    device_cell_task(worker->plan, &worker->cell, i, &task);
    task.channel = channel;
    if (gpu_strategy_is_apart(worker->plan->gpu->strategy))
        task.in_plane = task.out_plane = 0;
    for (int k = 0; k < 3; k++)
        launch.group[k] = at->stage.group[k];
    for (int32_t c = 1; separate && filter && c < buffer_count(worker); c++) {
        launch.planes[launch.plane_buffers++] = in[c].data;
        launch.planes[launch.plane_buffers++] = out[c].data;
    }
    return launch_rows_of(worker, at, &task, &launch);
}

/* Is stage i launched for each plane? */
static bool is_launched_for_each(const struct device_worker *worker, int32_t i)
{
    bool filter = worker->plan->gpu->stages[i].kind == ON_GPU_FILTER;
    switch (flow_of(worker)) {
    case GPU_FLOW_EACH:
    case GPU_FLOW_CONVERT:
        return filter;
    case GPU_FLOW_SEPARATE:
        return !filter;
    default:
        return false;
    }
}

static swathe_status launch_all(struct device_worker *worker, int32_t turn)
{
    for (int32_t i = 0; i < worker->cell.count; i++) {
        int32_t count = is_launched_for_each(worker, i) ? worker->plan->source.channels : 1;
        for (int32_t c = 0; c < count; c++)
            TRY(launch_stage(worker, i, turn + c));
    }
    return end_device_part(worker, &worker->times.kernels);
}

static swathe_status device_worker_fetch(struct device_worker *worker, int32_t turn)
{
    int32_t n = worker->cell.count;
    int64_t bytes = worker->cell.images[n].part;
    for (int32_t c = 0; c < buffer_count(worker); c++) {
        TRY(worker->calls->download(worker->queue, worker->images[n % 2][c].data, 0,
                                    worker->to.data + (turn + c) * worker->to.plane, bytes));
        worker->times.bytes_down += bytes;
    }
    return end_device_part(worker, &worker->times.download);
}

/* Sends to the device, runs all stages, and copies back: the whole image, or plane after plane. */
static swathe_status run_turns(struct device_worker *worker)
{
    int32_t turns = flow_of(worker) == GPU_FLOW_TURNS ? worker->plan->source.channels : 1;
    TRY(send_tables(worker));
    for (int32_t turn = 0; turn < turns; turn++) {
        TRY(send_image(worker, turn));
        TRY(launch_all(worker, turn));
        TRY(device_worker_fetch(worker, turn));
    }
    return SWATHE_OK;
}

static void device_worker_scatter(struct device_worker *worker, const swathe_image *result)
{
    const struct device_cell_image *image = &worker->cell.images[worker->cell.count];
    int64_t size = sample_size(worker->plan->result.type);
    if (worker->to.data != worker->download.data)
        return;
    for (int64_t y = image->rows.first; y < image->rows.last; y++)
        samples_scatter(worker->to.data + (y - image->rows.first) * image->pitch * size,
                        image->plane * size, step_of(worker, &worker->plan->result), result, y,
                        image->columns.first, image->columns.last);
    end_part(worker, &worker->times.scatter);
}

static swathe_status run_cell(struct device_worker *worker, const struct row_source *source,
                              const swathe_image *result)
{
    const struct device_cell_image *out = &worker->cell.images[worker->cell.count];
    if (worker->timed)
        worker->since = clock_now();
    TRY(device_worker_meet(worker, source, result));
    TRY(grow_all(worker));
    if (!worker->to.data)
        worker->to = (struct device_host){worker->download.data, out->part};
    end_part(worker, &worker->times.allocate);
    TRY(device_worker_gather(worker, source));
    swathe_status status = run_turns(worker);
    if (status == SWATHE_OK && !worker->timed)
        status = worker->calls->finish(worker->queue);
    if (status != SWATHE_OK) {
        worker->calls->finish(worker->queue); /* no transfer may still use host memory */
        return status;
    }
    device_worker_scatter(worker, result);
    return SWATHE_OK;
}

static int64_t device_bytes(const struct device_worker *worker)
{
    return size_add(size_mul(worker->cell.largest, 2 * buffer_count(worker)),
                    worker->cell.table_bytes);
}

static int64_t host_bytes(const struct device_worker *worker)
{
    const struct device_cell *cell = &worker->cell;
    return size_add(cell->images[0].bytes, cell->images[cell->count].bytes);
}

/* Kernels use 32-bit byte offsets. */
static int64_t largest_buffer(const struct device_worker *worker)
{
    return min64(worker->plan->gpu->device->info.limits.largest, INT32_MAX);
}

static bool device_worker_fits(const struct device_worker *worker)
{
    const struct device_cell *cell = &worker->cell;
    const struct gpu_limits *limits = &worker->plan->gpu->device->info.limits;
    const struct gpu_stage *stage = &worker->plan->gpu->stages[0].stage;
    struct interval columns = cell->images[0].columns; /* counted by the grid's y if is_down */
    bool wide =
        stage->is_down && columns.last - columns.first > size_mul(limits->grid[1], stage->tile[0]);
    return !wide && cell->largest <= largest_buffer(worker) &&
           host_bytes(worker) <= worker->host_budget && device_bytes(worker) <= worker->budget;
}

static bool wraps_down(const struct plan *plan)
{
    for (int32_t i = 0; i < plan->count; i++)
        if (op_wraps_rows(&plan->ops[i]))
            return true;
    return false;
}

/* Reports the limit that even a single pixel exceeds. */
static swathe_status device_worker_too_large(const struct device_worker *worker)
{
    const struct plan *plan = worker->plan;
    const char *id = plan->gpu->device->info.id;
    char what[96], needed[32], most[32];
    int64_t there = size_mul(device_bytes(worker), worker->share);
    int64_t here = size_mul(max64(device_bytes(worker), host_bytes(worker)), 2 * worker->share);
    struct limits limits = {.max_memory = plan->max_memory};
    snprintf(what, sizeof what, "%s on %.32s",
             wraps_down(plan) ? "the whole height of the image, which border wrap needs,"
                              : "a single pixel",
             id);
    if (worker->cell.largest > largest_buffer(worker))
        return fail(SWATHE_ERROR_LIMIT, "%s: needs a buffer of %s, limit %s; use device cpu", what,
                    text_bytes(worker->cell.largest, needed, sizeof needed),
                    text_bytes(largest_buffer(worker), most, sizeof most));
    if (there > plan->gpu->memory)
        return fail_limit("device_memory", there,
                          "%s: needs %s of its memory, limit %s; use device cpu", what,
                          text_bytes(there, needed, sizeof needed),
                          text_bytes(plan->gpu->memory, most, sizeof most));
    TRY(limits_check_memory(&limits, here, what));
    return fail(SWATHE_ERROR_LIMIT,
                "%s: more columns than strategy %s supports on this device; use strategy best",
                what, plan->gpu->strategy->name);
}

swathe_status device_worker_run(struct device_worker *worker, const swathe_rect *rect,
                                const struct row_source *source, const swathe_image *result,
                                const atomic_bool *stopped)
{
    if (atomic_load(stopped))
        return SWATHE_OK; /* the failure is recorded */
    device_cell_measure(worker->plan, rect, &worker->cell);
    if (device_worker_fits(worker))
        return run_cell(worker, source, result);
    if (rect->width == 1 && rect->height == 1)
        return device_worker_too_large(worker);
    /* Divides rows first, because full rows are copied at once. */
    swathe_rect one = *rect, two = *rect;
    if (rect->height > 16 || rect->height >= rect->width) {
        one.height = rect->height / 2;
        two.y += one.height;
        two.height -= one.height;
    } else {
        one.width = rect->width / 2;
        two.x += one.width;
        two.width -= one.width;
    }
    TRY(device_worker_run(worker, &one, source, result, stopped));
    return device_worker_run(worker, &two, source, result, stopped);
}

swathe_status device_worker_create(const struct memory *memory, const struct plan *plan,
                                   int32_t share, bool timed, struct device_worker **worker)
{
    struct device_worker *got;
    const struct gpu_device *device = plan->gpu->device;
    double start = clock_now();
    TRY(memory_new(memory, 1, sizeof *got, "a run", &got));
    *got = (struct device_worker){.memory = memory,
                                  .plan = plan,
                                  .timed = timed,
                                  .share = share,
                                  .calls = device->calls,
                                  .device = device->handle,
                                  .budget = min64(plan->gpu->memory, plan->max_memory / 2) / share,
                                  .host_budget = plan->max_memory / 2 / share};
    swathe_status status = got->calls->new_queue(got->device, timed, &got->queue);
    if (status != SWATHE_OK) {
        memory_free(memory, got);
        return status;
    }
    got->times.allocate = clock_now() - start;
    *worker = got;
    return SWATHE_OK;
}

void device_worker_destroy(struct device_worker *worker, swathe_run_times *times)
{
    if (!worker)
        return;
    double start = clock_now();
    *times = worker->times;
    times->launched = worker->calls->launch_seconds(worker->queue);
    for (int k = 0; k < 2; k++)
        for (int32_t c = 0; c < GPU_PLANES_MAX; c++)
            device_worker_drop(worker, &worker->images[k][c], false);
    for (int32_t i = 0; i < ON_GPU_STAGES_MAX; i++)
        for (int axis = 0; axis < 2; axis++)
            device_worker_drop(worker, &worker->tables[i][axis], false);
    device_worker_drop(worker, &worker->upload, true);
    device_worker_drop(worker, &worker->download, true);
    device_worker_drop(worker, &worker->host_tables, true);
    worker->calls->free_queue(worker->device, worker->queue);
    memory_free(worker->memory, worker);
    times->release = clock_now() - start;
}

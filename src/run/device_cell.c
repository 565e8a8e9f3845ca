#include "run/device_cell.h"

#include "base/checked.h"

enum { ROW_ALIGN = 64 }; /* bytes: the production path loads whole words */

static int64_t device_cell_length(struct interval interval)
{
    return interval.last - interval.first;
}

static struct interval device_cell_along(const struct device_cell_image *image,
                                         enum interval_axis axis)
{
    return axis == INTERVAL_COLUMNS ? image->columns : image->rows;
}

static const struct op *op_of(const struct plan *plan, int32_t i)
{
    return &plan->ops[plan->gpu->stages[i].op];
}

/* Is image i stored with its border? */
static bool is_padded(const struct plan *plan, int32_t i)
{
    const struct on_gpu *gpu = plan->gpu;
    return i < gpu->count && gpu->stages[i].kind == ON_GPU_FILTER &&
           gpu->strategy->reads == GPU_READS_PADDED;
}

/* The part of its input that stage i needs along one axis. */
static struct interval need_of(const struct plan *plan, const struct device_cell *cell, int32_t i,
                               enum interval_axis axis)
{
    const struct op *op = op_of(plan, i);
    struct interval out = device_cell_along(&cell->images[i + 1], axis);
    switch (plan->gpu->stages[i].kind) {
    case ON_GPU_FILTER:
        return (is_padded(plan, i) ? interval_reach : interval_need)(op, axis, out);
    case ON_GPU_PAD: /* pads for the next stage */
        return interval_need(op, axis, device_cell_along(&cell->images[i + 2], axis));
    default:
        return out;
    }
}

/* The channels of image i: the input of stage i, or the result. */
static int32_t channels_of(const struct plan *plan, int32_t i)
{
    const struct on_gpu *gpu = plan->gpu;
    if (i == gpu->count)
        return plan->result.channels;
    const struct op *op = op_of(plan, i);
    return gpu->stages[i].kind == ON_GPU_JOIN ? op->out_channels : op->channels;
}

static void measure_image(const struct plan *plan, int32_t i, struct device_cell_image *image)
{
    const struct on_gpu *gpu = plan->gpu;
    bool ends = i == 0 || i == gpu->count, planar = ends ? gpu->host_planar : gpu->planar;
    swathe_type type =
        i < gpu->count ? gpu->stages[i].stage.op->in : plan->ops[plan->count - 1].out;
    int64_t size = sample_size(type), channels = channels_of(plan, i);
    int64_t planes = planar ? channels : 1, step = planar ? 1 : channels;
    int64_t align = gpu->strategy->shape == GPU_SHAPE_BEST ? ROW_ALIGN : size;
    int64_t row = round_up(size_mul(device_cell_length(image->columns), step * size), align);
    image->pitch = row / size;
    image->plane = size_mul(image->pitch, device_cell_length(image->rows));
    image->part = size_mul(row, device_cell_length(image->rows));
    image->bytes = size_mul(image->part, planes);
    if (!gpu_strategy_is_apart(gpu->strategy))
        image->part = image->bytes;
}

void device_cell_measure(const struct plan *plan, const swathe_rect *rect, struct device_cell *cell)
{
    int32_t n = plan->gpu->count;
    *cell = (struct device_cell){.count = n};
    cell->images[n].columns = (struct interval){rect->x, rect->x + rect->width};
    cell->images[n].rows = (struct interval){rect->y, rect->y + rect->height};
    for (int32_t i = n; i >= 0; i--) {
        struct device_cell_image *image = &cell->images[i];
        if (i < n) {
            image->columns = need_of(plan, cell, i, INTERVAL_COLUMNS);
            image->rows = need_of(plan, cell, i, INTERVAL_ROWS);
        }
        measure_image(plan, i, image);
        cell->largest = max64(cell->largest, image->part);
    }
    for (int32_t i = 0; i < n; i++)
        for (int axis = INTERVAL_COLUMNS; axis <= INTERVAL_ROWS; axis++)
            cell->table_bytes =
                size_add(cell->table_bytes,
                         device_cell_table_count(plan, cell, i, (enum interval_axis)axis) *
                             (int64_t)sizeof(int32_t));
}

/* The coordinates that stage i's tables cover: those of its input, including outside. */
static struct interval table_reach(const struct plan *plan, const struct device_cell *cell,
                                   int32_t i, enum interval_axis axis)
{
    struct interval out = device_cell_along(&cell->images[i + 1], axis);
    return plan->gpu->stages[i].kind == ON_GPU_FILTER ? interval_reach(op_of(plan, i), axis, out)
                                                      : out;
}

int64_t device_cell_table_count(const struct plan *plan, const struct device_cell *cell, int32_t i,
                                enum interval_axis axis)
{
    return plan->gpu->stages[i].stage.has_tables
               ? device_cell_length(table_reach(plan, cell, i, axis))
               : 0;
}

void device_cell_table(const struct plan *plan, const struct device_cell *cell, int32_t i,
                       enum interval_axis axis, int32_t *table)
{
    const struct op *op = op_of(plan, i);
    struct interval have = device_cell_along(&cell->images[i], axis);
    struct interval reach = table_reach(plan, cell, i, axis);
    int64_t extent = axis == INTERVAL_COLUMNS ? op->in_width : op->in_height;
    for (int64_t at = reach.first; at < reach.last; at++) {
        int64_t mapped = border_index(&op->border, at, extent);
        table[at - reach.first] =
            mapped == BORDER_OUTSIDE ? BORDER_OUTSIDE : (int32_t)(mapped - have.first);
    }
}

/* Finds the outputs, counted from the first, whose taps are all inside the input, and the position
 * of the first tap of output 0 in the input, which may be outside. */
static void find_inner(const struct op *op, enum interval_axis axis,
                       const struct device_cell_image *in, const struct device_cell_image *out,
                       int *first, int *last, int *base)
{
    struct interval made = device_cell_along(out, axis), reach = interval_reach(op, axis, made);
    int64_t extent = axis == INTERVAL_COLUMNS ? op->in_width : op->in_height,
            n = device_cell_length(made);
    int64_t from = min64(max64(-reach.first, 0), n);
    int64_t to = min64(max64(n - max64(reach.last - extent, 0), from), n);
    *first = (int)from;
    *last = (int)to;
    *base = (int)(reach.first - device_cell_along(in, axis).first);
}

void device_cell_task(const struct plan *plan, const struct device_cell *cell, int32_t i,
                      struct gpu_task *task)
{
    const struct device_cell_image *in = &cell->images[i], *out = &cell->images[i + 1];
    *task = plan->gpu->stages[i].stage.task;
    task->width = (int)device_cell_length(out->columns);
    task->height = (int)device_cell_length(out->rows);
    task->in_pitch = (int)in->pitch;
    task->out_pitch = (int)out->pitch;
    task->in_plane = (int)in->plane;
    task->out_plane = (int)out->plane;
    task->in_width = (int)device_cell_length(in->columns);
    task->in_height = (int)device_cell_length(in->rows);
    if (plan->gpu->stages[i].kind != ON_GPU_FILTER)
        return;
    find_inner(op_of(plan, i), INTERVAL_COLUMNS, in, out, &task->inner_left, &task->inner_right,
               &task->column_base);
    find_inner(op_of(plan, i), INTERVAL_ROWS, in, out, &task->inner_top, &task->inner_bottom,
               &task->row_base);
}

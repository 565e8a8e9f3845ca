#include "run/worker.h"

#include "base/checked.h"

#include <math.h>
#include <string.h>

void worker_columns(const struct plan *plan, struct interval block, struct interval *columns)
{
    columns[plan->count] = block;
    for (int32_t i = plan->count - 1; i >= 0; i--)
        columns[i] = interval_need(&plan->ops[i], INTERVAL_COLUMNS, columns[i + 1]);
}

/* Cuts pieces off a block of memory; with no block it only measures. */
struct carve {
    uint8_t *memory;
    int64_t used;
};

static void *carve(struct carve *from, int64_t count, int64_t size)
{
    void *piece = from->memory ? from->memory + from->used : NULL;
    from->used = size_add(from->used, round_up(size_mul(count, size), MEMORY_ALIGN));
    return piece;
}

static int64_t row_bytes(const struct plan *plan, int64_t columns, int32_t size)
{
    return round_up(size_mul(columns * plan_step(plan), size), MEMORY_ALIGN);
}

static void carve_ring(struct carve *from, const struct plan *plan, int32_t i, int64_t columns,
                       struct ring *ring)
{
    const struct plan_stage *stage = &plan->stages[i];
    const struct op *op = stage->op;
    int64_t planes = plan_planes(plan);
    ring->slots = plan_ring_rows(op);
    ring->plane_bytes =
        row_bytes(plan, columns + op->left + op->right, sample_size(stage->row_type));
    ring->row = carve(from, ring->slots, sizeof *ring->row);
    ring->stamp = carve(from, ring->slots, sizeof *ring->stamp);
    ring->data = carve(from, ring->slots, sizeof *ring->data);
    ring->plane_stride = carve(from, ring->slots, sizeof *ring->plane_stride);
    ring->memory = carve(from, ring->slots * planes, ring->plane_bytes);
    ring->outside = carve(from, 1, ring->plane_bytes);
    ring->need = carve(from, stage->row_count, sizeof *ring->need);
    ring->pointers = carve(from, stage->row_count, sizeof *ring->pointers);
}

static int64_t lay_out(struct worker *worker, const struct plan *plan, const int64_t *widest,
                       uint8_t *memory)
{
    struct carve from = {memory, 0};
    struct ring spare, *rings = carve(&from, plan->count, sizeof *rings);
    struct interval *columns = carve(&from, plan->count + 1, sizeof *columns);
    int64_t scratch = 0, most = 0;
    for (int32_t i = 0; i <= plan->count; i++)
        most = max64(most, widest[i]);
    for (int32_t i = 0; i < plan->count; i++) {
        carve_ring(&from, plan, i, widest[i + 1], rings ? &rings[i] : &spare);
        scratch =
            max64(scratch, plan->stages[i].algorithm->calls->scratch(
                               &plan->ops[i], widest[i + 1] * plan_step(plan), plan_step(plan)));
    }
    worker->plan = plan;
    worker->rings = rings;
    worker->columns = columns;
    worker->plane_bytes = row_bytes(plan, most, sizeof(float));
    worker->scratch = carve(&from, 1, scratch);
    worker->spread = carve(&from, plan_planes(plan), worker->plane_bytes);
    worker->converted = carve(&from, plan_planes(plan), worker->plane_bytes);
    return from.used;
}

int64_t worker_bytes(const struct plan *plan, const int64_t *widest)
{
    struct worker worker;
    return lay_out(&worker, plan, widest, NULL);
}

void worker_init(struct worker *worker, const struct plan *plan, const int64_t *widest,
                 uint8_t *memory)
{
    lay_out(worker, plan, widest, memory);
}

void worker_begin(struct worker *worker, struct interval block)
{
    const struct plan *plan = worker->plan;
    worker_columns(plan, block, worker->columns);
    for (int32_t i = 0; i < plan->count; i++) {
        struct ring *ring = &worker->rings[i];
        const struct op *op = &plan->ops[i];
        swathe_type type = plan->stages[i].row_type;
        ring->reach = interval_reach(op, INTERVAL_COLUMNS, worker->columns[i + 1]);
        ring->clock = 0;
        for (int64_t s = 0; s < ring->slots; s++) {
            ring->row[s] = -1;
            ring->stamp[s] = 0;
        }
        samples_fill(ring->outside, type, op->border.value, ring->plane_bytes / sample_size(type));
    }
}

/* The slot that holds input row y, or -1. Rows usually sit where their number says. */
static int64_t find_slot(const struct ring *ring, int64_t y)
{
    if (ring->row[y % ring->slots] == y)
        return y % ring->slots;
    for (int64_t s = 0; s < ring->slots; s++)
        if (ring->row[s] == y)
            return s;
    return -1;
}

/* A slot that the current output row does not use; there is one for every distinct row. */
static int64_t free_slot(const struct ring *ring, int64_t y)
{
    int64_t slot = y % ring->slots;
    while (ring->stamp[slot] == ring->clock)
        slot = slot + 1 < ring->slots ? slot + 1 : 0;
    return slot;
}

/* Copies the pixel of column `from_x` to column `to_x` in every plane. */
struct pad {
    const uint8_t *from;
    int64_t from_stride, from_first;
    uint8_t *to;
    int64_t to_stride, to_first;
    int32_t planes, pixel_bytes;
};

static void pad_column(const struct pad *pad, const uint8_t *outside, int64_t to_x, int64_t from_x)
{
    for (int32_t p = 0; p < pad->planes; p++) {
        const uint8_t *from = outside;
        if (from_x != BORDER_OUTSIDE)
            from = pad->from + p * pad->from_stride + (from_x - pad->from_first) * pad->pixel_bytes;
        memcpy(pad->to + p * pad->to_stride + (to_x - pad->to_first) * pad->pixel_bytes, from,
               (size_t)pad->pixel_bytes);
    }
}

/* The columns in reach that lie outside the image. */
static void pad_row(const struct op *op, const struct ring *ring, const struct pad *pad)
{
    int64_t n = op->in_width;
    for (int64_t x = ring->reach.first; x < min64(ring->reach.last, 0); x++)
        pad_column(pad, ring->outside, x, border_index(&op->border, x, n));
    for (int64_t x = max64(ring->reach.first, n); x < ring->reach.last; x++)
        pad_column(pad, ring->outside, x, border_index(&op->border, x, n));
}

static swathe_status stage_row(struct worker *worker, int32_t i, int64_t y, uint8_t *result,
                               int64_t plane_stride);

/* Row y of stage i's input, as the source or the stage before makes it. */
static swathe_status make_input(struct worker *worker, int32_t i, int64_t y, uint8_t *to,
                                int64_t plane_stride)
{
    const struct plan *plan = worker->plan;
    const swathe_image *view;
    if (i > 0)
        return stage_row(worker, i - 1, y, to, plane_stride);
    TRY(worker->source.row(worker->source.user, y, &view));
    samples_gather(view, y, worker->columns[0].first, worker->columns[0].last, plan_step(plan), to,
                   plane_stride);
    return SWATHE_OK;
}

/* The same in stage i's row type. */
static swathe_status make_row(struct worker *worker, int32_t i, int64_t y, uint8_t *to,
                              int64_t plane_stride)
{
    const struct plan *plan = worker->plan;
    kernel *convert = plan->stages[i].to_row;
    if (!convert)
        return make_input(worker, i, y, to, plane_stride);
    TRY(make_input(worker, i, y, worker->converted, worker->plane_bytes));
    for (int32_t p = 0; p < plan_planes(plan); p++) {
        const void *from = worker->converted + p * worker->plane_bytes;
        struct kernel_args args = {.source = &from,
                                   .result = to + p * plane_stride,
                                   .count = (worker->columns[i].last - worker->columns[i].first) *
                                            plan_step(plan)};
        convert(&args);
    }
    return SWATHE_OK;
}

/* A source row that can be used where it lies. */
static swathe_status borrow_row(struct worker *worker, int64_t y, int64_t slot, bool *borrowed)
{
    const struct plan *plan = worker->plan;
    struct ring *ring = &worker->rings[0];
    *borrowed = false;
    if (!worker->source.stable || plan->stages[0].to_row || ring->reach.first < 0 ||
        ring->reach.last > plan->ops[0].in_width)
        return SWATHE_OK;
    const swathe_image *view;
    TRY(worker->source.row(worker->source.user, y, &view));
    if (!samples_direct(view, plan_step(plan)))
        return SWATHE_OK;
    ring->data[slot] = view_at(view, ring->reach.first, y, 0);
    ring->plane_stride[slot] = view->channel_stride;
    *borrowed = true;
    return SWATHE_OK;
}

/* Fills a slot of stage i's ring with input row y, border columns included. */
static swathe_status fill_slot(struct worker *worker, int32_t i, int64_t y, int64_t slot)
{
    const struct plan *plan = worker->plan;
    const struct op *op = &plan->ops[i];
    struct ring *ring = &worker->rings[i];
    int32_t pixel = plan_step(plan) * sample_size(plan->stages[i].row_type);
    int32_t planes = plan_planes(plan);
    if (i == 0) {
        bool borrowed;
        TRY(borrow_row(worker, y, slot, &borrowed));
        if (borrowed)
            return SWATHE_OK;
    }
    uint8_t *to = ring->memory + slot * planes * ring->plane_bytes;
    struct interval made = worker->columns[i];
    struct interval inside = {max64(ring->reach.first, 0), min64(ring->reach.last, op->in_width)};
    uint8_t *inner = to + (inside.first - ring->reach.first) * pixel;
    bool in_place = made.first == inside.first && made.last == inside.last;
    struct pad pad = {in_place ? inner : worker->spread,
                      in_place ? ring->plane_bytes : worker->plane_bytes,
                      made.first,
                      to,
                      ring->plane_bytes,
                      ring->reach.first,
                      planes,
                      pixel};
    TRY(make_row(worker, i, y, (uint8_t *)pad.from, pad.from_stride));
    for (int32_t p = 0; !in_place && p < planes; p++)
        memcpy(inner + p * ring->plane_bytes,
               pad.from + p * pad.from_stride + (inside.first - made.first) * pixel,
               (size_t)((inside.last - inside.first) * pixel));
    pad_row(op, ring, &pad);
    ring->data[slot] = to;
    ring->plane_stride[slot] = ring->plane_bytes;
    return SWATHE_OK;
}

/* The slot of input row `row`, made where it is missing; this window will not lose it. */
static swathe_status bring_row(struct worker *worker, int32_t i, int64_t row, int64_t *slot)
{
    struct ring *ring = &worker->rings[i];
    int64_t at = find_slot(ring, row);
    if (at < 0) {
        at = free_slot(ring, row);
        ring->row[at] = -1;
        ring->stamp[at] = ring->clock;
        TRY(fill_slot(worker, i, row, at));
        ring->row[at] = row;
    }
    ring->stamp[at] = ring->clock;
    *slot = at;
    return SWATHE_OK;
}

/* A dilated window skips rows that the next output rows need. Asked for out of order, each would
 * make the stage before start anew, and that one the stage before it: so a block begins with all
 * of them, in order. */
static swathe_status fill_between(struct worker *worker, int32_t i, int64_t top)
{
    const struct op *op = worker->plan->stages[i].op;
    struct ring *ring = &worker->rings[i];
    bool all = ring->slots == op->in_height;
    ring->clock++;
    for (int64_t r = 0; r < ring->slots; r++) {
        int64_t slot, row = all ? r : border_index(&op->border, top + r, op->in_height);
        if (row != BORDER_OUTSIDE)
            TRY(bring_row(worker, i, row, &slot));
    }
    return SWATHE_OK;
}

/* Brings every input row under output row y into the ring; ring->need says where. */
static swathe_status fill_window(struct worker *worker, int32_t i, int64_t y)
{
    const struct plan_stage *stage = &worker->plan->stages[i];
    const struct op *op = stage->op;
    struct ring *ring = &worker->rings[i];
    int64_t top = y + op->shift_y - op->above;
    if (ring->clock == 0 && i > 0 && op->dilate_y > 1)
        TRY(fill_between(worker, i, top));
    ring->clock++;
    for (int32_t r = 0; r < stage->row_count; r++) {
        int64_t row = border_index(&op->border, top + (int64_t)r * op->dilate_y, op->in_height);
        int64_t slot = row == BORDER_OUTSIDE ? BORDER_OUTSIDE : find_slot(ring, row);
        if (slot >= 0)
            ring->stamp[slot] = ring->clock;
        ring->need[r] = slot;
    }
    for (int32_t r = 0; r < stage->row_count; r++) {
        int64_t row = border_index(&op->border, top + (int64_t)r * op->dilate_y, op->in_height);
        if (row != BORDER_OUTSIDE && ring->need[r] < 0)
            TRY(bring_row(worker, i, row, &ring->need[r]));
    }
    return SWATHE_OK;
}

/* The channel that is not filtered: the sample under the output pixel. */
static void copy_plane(const struct worker *worker, int32_t i, const uint8_t *row, void *result,
                       int64_t count)
{
    const struct plan_stage *stage = &worker->plan->stages[i];
    row += stage->op->left * sample_size(stage->row_type);
    samples_convert(row, stage->row_type, result, stage->op->out, count);
}

/* Row y of stage i's output, its columns of this block. */
static swathe_status stage_row(struct worker *worker, int32_t i, int64_t y, uint8_t *result,
                               int64_t plane_stride)
{
    const struct plan *plan = worker->plan;
    const struct plan_stage *stage = &plan->stages[i];
    struct ring *ring = &worker->rings[i];
    struct interval made = worker->columns[i + 1];
    TRY(fill_window(worker, i, y));
    struct row_job job = {.stage = stage,
                          .rows = ring->pointers,
                          .step = plan_step(plan),
                          .count = (made.last - made.first) * plan_step(plan),
                          .scratch = worker->scratch};
    for (int32_t p = 0; p < plan_planes(plan); p++) {
        for (int32_t r = 0; r < stage->row_count; r++) {
            int64_t slot = ring->need[r];
            ring->pointers[r] = slot == BORDER_OUTSIDE
                                    ? ring->outside
                                    : ring->data[slot] + p * ring->plane_stride[slot];
        }
        job.channel = p;
        job.result = result + p * plane_stride;
        if (plan->planar && p == stage->op->copied)
            copy_plane(worker, i, ring->pointers[stage->op->above / stage->op->dilate_y],
                       job.result, job.count);
        else
            stage->algorithm->calls->run(&job);
    }
    return SWATHE_OK;
}

swathe_status worker_row(struct worker *worker, int64_t y, const swathe_image *result)
{
    const struct plan *plan = worker->plan;
    struct interval block = worker->columns[plan->count];
    int32_t step = plan_step(plan), last = plan->count - 1;
    if (samples_direct(result, step))
        return stage_row(worker, last, y, view_at(result, block.first, y, 0),
                         result->channel_stride);
    TRY(stage_row(worker, last, y, worker->converted, worker->plane_bytes));
    samples_scatter(worker->converted, worker->plane_bytes, step, result, y, block.first,
                    block.last);
    return SWATHE_OK;
}

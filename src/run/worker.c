#include "run/worker.h"

#include "base/checked.h"
#include "base/layout.h"
#include "run/task.h"

#include <string.h>

void worker_columns(const struct plan *plan, struct interval span, struct interval *columns)
{
    int32_t n = plan->count;
    columns[n] = plan_made(plan, n - 1, INTERVAL_COLUMNS, span);
    for (int32_t i = n - 1; i >= 0; i--) {
        columns[i] = interval_need(&plan->ops[i], INTERVAL_COLUMNS, columns[i + 1]);
        if (i > 0)
            columns[i] = plan_made(plan, i - 1, INTERVAL_COLUMNS, columns[i]);
    }
}

static int64_t worker_row_bytes(const struct plan *plan, int64_t columns, int32_t size)
{
    return round_up(size_mul(columns * plan->step, size), MEMORY_ALIGN);
}

static void lay_out_ring(struct layout *layout, const struct plan *plan, int32_t i, int64_t columns,
                         struct ring *ring)
{
    const struct plan_stage *stage = &plan->stages[i];
    const struct op *op = stage->op;
    int64_t planes = plan_planes(plan, i), window = plan_window_rows(stage);
    ring->slots = plan_ring_rows(plan, i);
    ring->planes = (int32_t)planes;
    ring->pixel_bytes = plan->step * sample_size(stage->row_type);
    ring->plane_bytes =
        worker_row_bytes(plan, columns + op->left + op->right, sample_size(stage->row_type));
    ring->row = layout_part(layout, ring->slots, sizeof *ring->row);
    ring->stamp = layout_part(layout, ring->slots, sizeof *ring->stamp);
    ring->borrowed = layout_part(layout, ring->slots, sizeof *ring->borrowed);
    ring->fresh = layout_part(layout, ring->slots, sizeof *ring->fresh);
    ring->into = layout_part(layout, ring->slots, sizeof *ring->into);
    ring->before = layout_part(layout, ring->slots, sizeof *ring->before);
    ring->memory = layout_part(layout, ring->slots * planes, ring->plane_bytes);
    ring->outside_stride = op->outside ? ring->plane_bytes : 0;
    ring->outside = layout_part(layout, op->outside ? planes : 1, ring->plane_bytes);
    ring->need = layout_part(layout, window, sizeof *ring->need);
    ring->mapped = layout_part(layout, ring_outside_most(op), sizeof *ring->mapped);
    int64_t pointers = op_reads_all(op) ? window * op->channels : window;
    ring->pointers = layout_part(layout, pointers, sizeof *ring->pointers);
    ring->results = layout_part(layout, stage->group, sizeof *ring->results);
    ring->ahead = layout_part(layout, stage->group, sizeof *ring->ahead);
    ring->kept = layout_part(layout, 1, task_kept_bytes(plan, stage, columns));
}

static int64_t worker_lay_out(struct worker *worker, const struct plan *plan, const int64_t *widest,
                              uint8_t *memory)
{
    struct layout layout = {memory, 0};
    struct ring spare, *rings = layout_part(&layout, plan->count, sizeof *rings);
    struct interval *columns = layout_part(&layout, plan->count + 1, sizeof *columns);
    int64_t scratch = 0, most = 0;
    int32_t group = 1, step = plan->step, size = 1;
    for (int32_t i = 0; i <= plan->count; i++)
        most = max64(most, widest[i]);
    for (int32_t i = 0; i < plan->count; i++) {
        const struct plan_stage *stage = &plan->stages[i];
        lay_out_ring(&layout, plan, i, widest[i + 1], rings ? &rings[i] : &spare);
        scratch = max64(scratch,
                        stage->algorithm->calls->scratch_bytes(stage, widest[i + 1] * step, step));
        group = stage->group > group ? stage->group : group;
        size = (int32_t)max64(
            size, max64(sample_size(stage->row_type),
                        max64(sample_size(stage->op->in), sample_size(stage->op->out))));
    }
    worker->plan = plan;
    worker->stream = false;
    worker->clamped = NULL;
    worker->effort = (struct effort){0};
    worker->rings = rings;
    worker->columns = columns;
    worker->plane_bytes = worker_row_bytes(plan, most, size);
    worker->scratch = layout_part(&layout, 1, scratch);
    worker->planes = plan_planes_most(plan);
    int64_t rows = (int64_t)group * worker->planes;
    worker->spread = layout_part(&layout, rows, worker->plane_bytes);
    worker->converted = layout_part(&layout, rows, worker->plane_bytes);
    worker->direct = layout_part(&layout, group, sizeof *worker->direct);
    worker->staged = layout_part(&layout, group, sizeof *worker->staged);
    return layout.bytes;
}

int64_t worker_bytes(const struct plan *plan, const int64_t *widest)
{
    struct worker worker;
    return worker_lay_out(&worker, plan, widest, NULL);
}

void worker_init(struct worker *worker, const struct plan *plan, const int64_t *widest,
                 uint8_t *memory)
{
    worker_lay_out(worker, plan, widest, memory);
}

/* The samples of a row outside the image, which may have different values in each channel. */
static void fill_outside(const struct plan *plan, int32_t i, struct ring *ring)
{
    const struct op *op = &plan->ops[i];
    swathe_type type = plan->stages[i].row_type;
    int64_t count = ring->plane_bytes / sample_size(type), step = plan->step;
    if (op->outside && step > 1)
        for (int64_t at = 0; at < count; at++)
            sample_store(ring->outside + at * sample_size(type), type, op_outside(op, at % step));
    else
        for (int32_t p = 0; p < (op->outside ? op->channels : 1); p++)
            samples_fill(ring->outside + p * ring->plane_bytes, type, op_outside(op, p), count);
}

/* Decides whether the rows of the source are used in place: all of each, or all except its ends. */
static void worker_plan_borrowing(struct worker *worker)
{
    /* Columns between the ends start at cache lines; matrix units compute 64 integers at once. Rows
     * of SHORT bytes are copied faster than their ends are computed apart. */
    enum { FLOATS = 16, INTEGERS = 64, SHORT = 3072 };
    const struct plan_stage *stage = &worker->plan->stages[0];
    const struct op *op = stage->op;
    struct ring *ring = &worker->rings[0];
    int64_t edge = round_up(op->left > op->right ? op->left : op->right,
                            sample_is_float(stage->row_type) ? FLOATS : INTEGERS);
    int64_t columns = worker->span.last - worker->span.first;
    bool whole = ring->reach.first >= 0 && ring->reach.last <= op->in_width;
    ring->borrows = worker->source.stable && stage->chunk > 0 && !stage->to_row &&
                    (whole || (columns >= 8 * (edge + op->left + op->right) &&
                               columns * ring->pixel_bytes > SHORT));
    ring->edge = ring->borrows && !whole ? edge : 0;
    int64_t read = ring->edge + op->left + op->right;
    ring->copied[0] = ring->copied[1] = ring->inside;
    ring->copied[0].last = ring->borrows ? ring->reach.first + read : ring->inside.last;
    ring->copied[1].first = ring->borrows ? ring->reach.last - read : ring->inside.last;
}

void worker_begin(struct worker *worker, struct interval span, struct interval rows)
{
    const struct plan *plan = worker->plan;
    worker->span = span;
    worker_columns(plan, span, worker->columns);
    for (int32_t i = plan->count - 1; i >= 0; i--) {
        struct ring *ring = &worker->rings[i];
        const struct op *op = &plan->ops[i];
        ring_set_columns(ring, op, interval_reach(op, INTERVAL_COLUMNS, worker->columns[i + 1]));
        ring->borrows = ring->located = false;
        ring->next = NULL;
        ring->edge = 0;
        rows = interval_need(op, INTERVAL_ROWS, plan_made(plan, i, INTERVAL_ROWS, rows));
        ring->last_row = rows.last;
        ring->tasks = (struct interval){-1, -1};
        ring->clock = 0;
        ring->in_order = (struct interval){0, 0};
        ring->home = 0;
        ring->displaced = false;
        for (int64_t s = 0; s < ring->slots; s++) {
            ring->row[s] = -1;
            ring->stamp[s] = 0;
        }
        fill_outside(plan, i, ring);
    }
    worker_plan_borrowing(worker);
}

double worker_expected(const struct plan *plan, struct interval span, struct interval rows,
                       struct interval *columns)
{
    double all = 0.0;
    worker_columns(plan, span, columns);
    for (int32_t i = plan->count - 1; i >= 0; i--) {
        rows = plan_made(plan, i, INTERVAL_ROWS, rows);
        all += plan->stages[i].sample_ns * (double)plan->ops[i].out_channels *
               (double)(rows.last - rows.first) *
               (double)(columns[i + 1].last - columns[i + 1].first);
        rows = interval_need(&plan->ops[i], INTERVAL_ROWS, rows);
    }
    return all;
}

/* Number of the rows y … y+n-1 of a stage's output that one task computes. */
static int64_t task_rows(const struct plan_stage *stage, int64_t y, int64_t n)
{
    int64_t most = stage->grid_y > 1 ? stage->grid_y - y % stage->grid_y : stage->group;
    return min64(n, most);
}

static swathe_status stage_rows(struct worker *worker, int32_t i, struct interval rows,
                                uint8_t *const *to, int64_t plane_stride);

/* Computes rows of stage i's input: one row from the source, or the rows of one task of the
 * previous stage. */
static swathe_status make_input(struct worker *worker, int32_t i, struct interval rows,
                                uint8_t *const *to, int64_t plane_stride)
{
    const swathe_image *view;
    if (i > 0)
        return stage_rows(worker, i - 1, rows, to, plane_stride);
    TRY(worker->source.row(worker->source.user, rows.first, &view));
    samples_gather(view, rows.first, worker->columns[0].first, worker->columns[0].last,
                   worker->plan->step, to[0], plane_stride);
    return SWATHE_OK;
}

/* Sets pointers to the rows of a buffer that holds a group of them. */
static void point_at_rows(const struct worker *worker, uint8_t *buffer, int64_t count,
                          uint8_t **pointers)
{
    for (int64_t r = 0; r < count; r++)
        pointers[r] = buffer + r * worker->planes * worker->plane_bytes;
}

static void worker_convert_row(const struct worker *worker, int32_t i, const uint8_t *from,
                               uint8_t *to, int64_t plane_stride)
{
    const struct plan *plan = worker->plan;
    struct interval made = worker->columns[i];
    for (int32_t p = 0; p < plan_planes(plan, i); p++) {
        const void *source = from + p * worker->plane_bytes;
        struct kernel_args args = {.source = &source,
                                   .result = to + p * plane_stride,
                                   .count = (made.last - made.first) * plan->step};
        plan->stages[i].to_row(&args);
    }
}

/* Computes the same rows in stage i's row type. */
static swathe_status worker_make_rows(struct worker *worker, int32_t i, struct interval rows,
                                      uint8_t *const *to, int64_t plane_stride)
{
    int64_t count = rows.last - rows.first;
    uint8_t **before = worker->rings[i].before;
    if (!worker->plan->stages[i].to_row)
        return make_input(worker, i, rows, to, plane_stride);
    point_at_rows(worker, worker->converted, count, before);
    TRY(make_input(worker, i, rows, before, worker->plane_bytes));
    for (int64_t r = 0; r < count; r++)
        worker_convert_row(worker, i, before[r], to[r], plane_stride);
    return SWATHE_OK;
}

/* Copies the columns of a source row that are not used in place into its slot. */
static void worker_copy_row(const struct ring *ring, const uint8_t *inside, int64_t plane_stride,
                            int64_t slot)
{
    int64_t pixel = ring->pixel_bytes;
    for (int32_t p = 0; p < ring->planes; p++) {
        const uint8_t *from = inside + p * plane_stride - ring->inside.first * pixel;
        uint8_t *to = ring_slot(ring, slot) + p * ring->plane_bytes - ring->reach.first * pixel;
        for (const struct interval *part = ring->copied; part < ring->copied + 2; part++)
            if (part->last > part->first)
                memcpy(to + part->first * pixel, from + part->first * pixel,
                       (size_t)((part->last - part->first) * pixel));
    }
}

/* Uses rows of the source in place, or copies them, if their samples are those of the ring: those
 * in one view of the source. */
static swathe_status take_source_rows(struct worker *worker, struct interval rows,
                                      const int64_t *slots, int64_t *taken)
{
    const struct plan *plan = worker->plan;
    struct ring *ring = &worker->rings[0];
    int64_t first = worker->columns[0].first;
    const swathe_image *view;
    *taken = 0;
    if (plan->stages[0].to_row)
        return SWATHE_OK;
    TRY(worker->source.row(worker->source.user, rows.first, &view));
    if (!samples_direct(view, plan->step)) { /* as are all rows of this source */
        ring->borrows = false;
        ring->edge = 0;
        return SWATHE_OK;
    }
    bool copies = !ring->borrows || ring->edge > 0;
    int64_t count = min64(rows.last, view->y + view->height) - rows.first;
    struct ring_row row = {view_at(view, first, rows.first, 0), view->channel_stride, first};
    ring->borrowed_stride = view->channel_stride;
    ring->borrowed_pitch = view->row_stride;
    ring->located = worker->source.stable;
    for (; *taken < count; ++*taken) {
        const uint8_t *inside = row.at + (ring->inside.first - first) * ring->pixel_bytes;
        ring->borrowed[slots[*taken]] = inside;
        if (copies) {
            worker_copy_row(ring, inside, view->channel_stride, slots[*taken]);
            ring_pad(ring, slots[*taken], &row);
        }
        row.at += view->row_stride;
    }
    return SWATHE_OK;
}

/* Copies a row that was computed elsewhere into its slot, and fills the border columns of any
 * row. */
static void fill_slot(const struct worker *worker, int32_t i, int64_t slot, const uint8_t *made)
{
    struct ring *ring = &worker->rings[i];
    int64_t pixel = ring->pixel_bytes, first = worker->columns[i].first;
    struct interval inside = ring->inside;
    uint8_t *to = ring_slot(ring, slot), *inner = to + (inside.first - ring->reach.first) * pixel;
    for (int32_t p = 0; made && p < ring->planes; p++)
        memcpy(inner + p * ring->plane_bytes,
               made + p * worker->plane_bytes + (inside.first - first) * pixel,
               (size_t)((inside.last - inside.first) * pixel));
    ring_pad(ring, slot,
             made ? &(struct ring_row){made, worker->plane_bytes, first}
                  : &(struct ring_row){inner, ring->plane_bytes, first});
}

/* Fills slots of stage i's ring buffer with input rows that one task computes, including border
 * columns. */
static swathe_status fill_slots(struct worker *worker, int32_t i, struct interval rows,
                                const int64_t *slots)
{
    struct ring *ring = &worker->rings[i];
    int64_t count = rows.last - rows.first, left = ring->inside.first;
    /* If the border needs distant columns, more columns are computed than a slot holds. */
    bool in_place =
        worker->columns[i].first == left && worker->columns[i].last == ring->inside.last;
    for (int64_t r = 0; r < count; r++)
        ring->into[r] = ring_slot(ring, slots[r]) + (left - ring->reach.first) * ring->pixel_bytes;
    if (!in_place)
        point_at_rows(worker, worker->spread, count, ring->into);
    TRY(worker_make_rows(worker, i, rows, ring->into,
                         in_place ? ring->plane_bytes : worker->plane_bytes));
    for (int64_t r = 0; r < count; r++)
        fill_slot(worker, i, slots[r], in_place ? NULL : ring->into[r]);
    return SWATHE_OK;
}

/* Computes consecutive input rows, none of which is in stage i's ring buffer, into it. */
static swathe_status bring_rows(struct worker *worker, int32_t i, struct interval rows)
{
    struct ring *ring = &worker->rings[i];
    int64_t all = rows.last - rows.first, n;
    for (int64_t r = 0; r < all; r++)
        ring->fresh[r] = ring_take(ring, rows.first + r);
    for (int64_t r = 0; r < all; r += n) {
        int64_t first = rows.first + r;
        n = 0;
        if (i == 0)
            TRY(take_source_rows(worker, (struct interval){first, rows.last}, ring->fresh + r, &n));
        if (n == 0) {
            n = i > 0 ? task_rows(&worker->plan->stages[i - 1], first, all - r) : 1;
            TRY(fill_slots(worker, i, (struct interval){first, first + n}, ring->fresh + r));
        }
        for (int64_t k = r; k < r + n; k++)
            ring->row[ring->fresh[k]] = rows.first + k;
    }
    return SWATHE_OK;
}

/* The row, the missing rows after it in the window of `count` rows from `top`, and further rows
 * that the previous stage computes in the same task. */
static struct interval missing_run(const struct worker *worker, int32_t i, int64_t top,
                                   int64_t count)
{
    const struct plan *plan = worker->plan;
    const struct op *op = &plan->ops[i];
    const struct ring *ring = &worker->rings[i];
    int64_t first = border_index(&op->border, top, op->in_height);
    struct interval run = {first, first + 1};
    for (int64_t r = 1; r < count; r++, run.last++)
        if (border_index(&op->border, top + r, op->in_height) != run.last ||
            ring_find(ring, run.last) >= 0)
            break;
    int64_t group = i > 0 ? plan->stages[i - 1].group : 1;
    int64_t wanted = min64(first + next_multiple(run.last - first, group), ring->last_row);
    while (run.last < wanted && ring_find(ring, run.last) < 0)
        run.last++;
    return run;
}

/* Brings the rows that are missing between two positions of the window. */
static swathe_status fill_between(struct worker *worker, int32_t i, struct interval reach,
                                  struct interval part)
{
    const struct op *op = worker->plan->stages[i].op;
    struct ring *ring = &worker->rings[i];
    for (int64_t at = part.first; at < part.last; at++) {
        if (ring->need[at - reach.first] >= 0)
            continue;
        int64_t row = border_index(&op->border, at, op->in_height);
        if (row == BORDER_OUTSIDE)
            continue;
        if (ring_find(ring, row) < 0)
            TRY(bring_rows(worker, i, missing_run(worker, i, at, part.last - at)));
        ring->need[at - reach.first] = ring_find(ring, row);
    }
    return SWATHE_OK;
}

/* Brings the rows of a window that continues downwards inside the image: those after the rows that
 * the ring has in order, in one run. They are so few that each of the window has its own slot. */
static swathe_status fill_below(struct worker *worker, int32_t i, struct interval reach)
{
    struct ring *ring = &worker->rings[i];
    int64_t group = i > 0 ? worker->plan->stages[i - 1].group : 1, first = ring->in_order.last,
            missing = next_multiple(reach.last - first, group);
    if (reach.last > first)
        TRY(bring_rows(worker, i,
                       (struct interval){first, min64(first + missing, ring->last_row)}));
    int64_t slot = ring_find(ring, reach.first);
    for (int64_t r = 0; r < reach.last - reach.first; r++) {
        ring->need[r] = slot;
        slot = ring_next_slot(ring, slot);
    }
    return SWATHE_OK;
}

/* Makes the input rows under output rows y … y+n-1 available in the ring buffer; ring->need has
 * their slots. */
static swathe_status fill_window(struct worker *worker, int32_t i, struct interval rows)
{
    const struct op *op = worker->plan->stages[i].op;
    struct ring *ring = &worker->rings[i];
    struct interval reach = interval_reach(op, INTERVAL_ROWS, rows);
    int64_t count = reach.last - reach.first;
    ring->clock++;
    if (ring_continues(ring, reach) && reach.last <= op->in_height)
        return fill_below(worker, i, reach);
    for (int64_t r = 0; r < count; r++) {
        int64_t row = border_index(&op->border, reach.first + r, op->in_height);
        int64_t slot = row == BORDER_OUTSIDE ? BORDER_OUTSIDE : ring_find(ring, row);
        if (slot >= 0)
            ring->stamp[slot] = ring->clock;
        ring->need[r] = slot;
    }
    /* Rows of the image first: a border may need them in another order, and each on its own would
     * be a task of one row. */
    TRY(fill_between(worker, i, reach,
                     (struct interval){max64(reach.first, 0), min64(reach.last, op->in_height)}));
    return fill_between(worker, i, reach, reach);
}

/* Finds the rows that the next task will read first, if they are in the source's memory. They
 * are prefetched only, so it does not matter if a source keeps its rows elsewhere. */
static void find_next(struct ring *ring, const struct op *op, struct interval rows)
{
    struct interval reach = interval_reach(op, INTERVAL_ROWS, rows);
    int64_t more = rows.last - rows.first;
    bool inside = ring->located && reach.last > 0 && reach.last + more <= op->in_height;
    ring->next =
        inside ? ring->borrowed[ring->need[reach.last - reach.first - 1]] + ring->borrowed_pitch
               : NULL;
}

/* Computes rows of stage i's output in one task, in the columns of this span. */
static swathe_status stage_rows(struct worker *worker, int32_t i, struct interval rows,
                                uint8_t *const *to, int64_t plane_stride)
{
    struct task_target target = {.rows = to,
                                 .wanted = rows,
                                 .made = plan_made(worker->plan, i, INTERVAL_ROWS, rows),
                                 .stream = worker->stream && to == worker->direct};
    struct ring *ring = &worker->rings[i];
    bool counts = worker->clamped && worker->clamped->stage == i;
    TRY(fill_window(worker, i, target.made));
    find_next(ring, worker->plan->stages[i].op, target.made);
    struct task_place place = {.plan = worker->plan,
                               .stage = &worker->plan->stages[i],
                               .ring = ring,
                               .columns = worker->columns[i + 1],
                               .scratch = worker->scratch,
                               .clamped = counts ? worker->clamped : NULL,
                               .span = worker->span,
                               .effort = &worker->effort};
    task_run(&place, &target, plane_stride);
    if (ring->tasks.last != target.made.first)
        ring->tasks.first = target.made.first;
    ring->tasks.last = target.made.last;
    return worker->effort.stopped ? SWATHE_ERROR_CANCELLED : SWATHE_OK;
}

swathe_status worker_rows(struct worker *worker, int64_t y, int64_t last,
                          const swathe_image *result, int64_t *made)
{
    const struct plan *plan = worker->plan;
    struct interval span = worker->span, columns = worker->columns[plan->count];
    int32_t step = plan->step, stage = plan->count - 1;
    *made = task_rows(&plan->stages[stage], y, last - y);
    struct interval rows = {y, y + *made};
    bool whole = columns.first == span.first && columns.last == span.last;
    if (whole && samples_direct(result, step)) {
        for (int64_t r = 0; r < *made; r++)
            worker->direct[r] = view_at(result, span.first, y + r, 0);
        return stage_rows(worker, stage, rows, worker->direct, result->channel_stride);
    }
    point_at_rows(worker, worker->converted, *made, worker->staged);
    TRY(stage_rows(worker, stage, rows, worker->staged, worker->plane_bytes));
    int64_t skipped = (span.first - columns.first) * step * sample_size(plan->result.type);
    for (int64_t r = 0; r < *made; r++)
        samples_scatter(worker->staged[r] + skipped, worker->plane_bytes, step, result, y + r,
                        span.first, span.last);
    return SWATHE_OK;
}

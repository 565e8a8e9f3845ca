#include "run/task.h"

#include "base/checked.h"
#include "run/samples.h"

#include <string.h>

/* Copies the channel that is not filtered. */
static void copy_plane(const struct row_task *task)
{
    const struct plan_stage *stage = task->stage;
    const struct op *op = stage->op;
    for (int32_t r = 0; r < task->height; r++)
        if (task->results[r])
            samples_convert(task->rows[op->above + r] + op->left * sample_size(stage->row_type),
                            stage->row_type, task->results[r], op->out, task->count);
}

static uint8_t *target_row(const struct task_target *target, int64_t y)
{
    bool is_wanted = y >= target->wanted.first && y < target->wanted.last;
    return is_wanted ? target->rows[y - target->wanted.first] + target->offset : NULL;
}

/* Bytes from the start of a row in the source's memory to the first sample that a chunk reads. */
static int64_t borrowed_offset(const struct ring *ring, int32_t plane, struct interval chunk,
                               int64_t pixel)
{
    return plane * ring->borrowed_stride +
           (chunk.first + ring->reach.first - ring->inside.first) * pixel;
}

/* Points at the input rows of a chunk of the span, at the first column that the mask reads. */
static void point_at_input(const struct ring *ring, int64_t rows, int32_t plane,
                           struct interval chunk, int64_t pixel, bool borrowed,
                           const uint8_t **pointers)
{
    int64_t offset = borrowed ? borrowed_offset(ring, plane, chunk, pixel) : chunk.first * pixel;
    for (int64_t r = 0; r < rows; r++) {
        int64_t slot = ring->need[r];
        pointers[r] = slot == BORDER_OUTSIDE ? ring->outside + plane * ring->outside_stride
                      : borrowed             ? ring->borrowed[slot] + offset
                                 : ring_slot(ring, slot) + plane * ring->plane_bytes + offset;
    }
}

static int64_t run_task_kept_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    const struct algorithm_calls *calls = stage->algorithm->calls;
    return calls->kept_bytes ? round_up(calls->kept_bytes(stage, count, step), MEMORY_ALIGN) : 0;
}

/* Computes a chunk: columns of the span, counted from its first. If `borrowed`, it reads the
 * source's memory. */
static void run_chunk(const struct task_place *place, struct row_task *task, struct interval chunk,
                      bool borrowed, const struct task_target *target)
{
    const struct ring *ring = place->ring;
    const struct plan_stage *stage = place->stage;
    int64_t window = plan_window_rows(stage) - stage->group + task->height;
    int64_t pixel = task->step * sample_size(stage->row_type);
    int64_t offset = chunk.first * task->step * sample_size(stage->op->out);
    if (op_reads_all(stage->op) && task->mask >= 0)
        for (int32_t p = 0; p < stage->op->channels / task->step; p++)
            point_at_input(ring, window, p, chunk, pixel, borrowed,
                           ring->pointers + p * plan_window_rows(stage));
    else
        point_at_input(ring, window, task->plane, chunk, pixel, borrowed, ring->pointers);
    for (int32_t r = 0; r < task->height; r++) {
        uint8_t *to = target_row(target, target->made.first + r);
        ring->results[r] = to ? to + offset : NULL;
    }
    /* The first mask of a stack prefetches for all of them. */
    bool prefetches = stage->op->join == STAGE_JOIN_NONE || task->mask == 0;
    task->ahead = prefetches && borrowed == ring->borrows && ring->next ? ring->ahead : NULL;
    for (int32_t r = 0; task->ahead && r < task->height; r++)
        ring->ahead[r] = ring->next + r * ring->borrowed_pitch +
                         borrowed_offset(ring, task->plane, chunk, pixel);
    task->x = place->columns.first + chunk.first;
    task->count = (chunk.last - chunk.first) * task->step;
    if (task->mask < 0)
        copy_plane(task);
    else
        stage->algorithm->calls->run(task);
    task->kept = (uint8_t *)task->kept + run_task_kept_bytes(stage, task->count, task->step);
    if (place->clamped && task->mask >= 0)
        clamped_examine(place->clamped, task, (const uint8_t *const *)ring->results, place->span);
}

int64_t task_kept_bytes(const struct plan *plan, const struct plan_stage *stage, int64_t columns)
{
    int32_t step = plan->step;
    /* The middle and the two ends of a span each may end with a partial chunk. */
    int64_t chunks = stage->chunk > 0 ? columns / stage->chunk + 3 : 1;
    int64_t bytes = size_add(run_task_kept_bytes(stage, columns * step, step),
                             size_mul(chunks, run_task_kept_bytes(stage, 0, step) + MEMORY_ALIGN));
    return size_mul(bytes, stage->op->out_channels / step);
}

/* Runs a part of the span in chunks of equal width. */
static void run_part(const struct task_place *place, struct row_task *task, struct interval part,
                     bool borrowed, const struct task_target *target)
{
    int64_t columns = part.last - part.first;
    int64_t chunks = task->stage->chunk > 0 ? ceil_div(columns, task->stage->chunk) : 1;
    int64_t chunk = chunks > 1 ? round_up(ceil_div(columns, chunks), 64) : columns;
    for (int64_t at = part.first; at < part.last && !place->effort->stopped; at += chunk) {
        struct interval now = {at, min64(at + chunk, part.last)};
        double ns =
            place->stage->sample_ns * (double)((now.last - now.first) * task->step * task->height);
        effort_begin(place->effort, ns);
        run_chunk(place, task, now, borrowed, target);
        effort_end(place->effort, ns);
    }
}

void task_run(const struct task_place *place, struct task_target *target, int64_t plane_stride)
{
    const struct plan *plan = place->plan;
    const struct ring *ring = place->ring;
    int64_t columns = place->columns.last - place->columns.first;
    struct row_task task = {.stage = place->stage,
                            .rows = ring->pointers,
                            .step = plan->step,
                            .y = target->made.first,
                            .height = (int32_t)(target->made.last - target->made.first),
                            .results = (void *const *)ring->results,
                            .stream = target->stream,
                            .scratch = place->scratch,
                            .kept = ring->kept,
                            .first = ring->tasks.last == target->made.first ? ring->tasks.first
                                                                            : target->made.first};
    struct interval left = {0, ring->edge}, right = {columns - ring->edge, columns};
    for (int32_t p = 0; p < place->stage->op->out_channels / task.step; p++) {
        struct op_result from = place->stage->op->results[p * task.step];
        task.plane = from.plane / task.step;
        task.mask = from.mask;
        target->offset = p * plane_stride;
        run_part(place, &task, left, false, target);
        run_part(place, &task, (struct interval){left.last, right.first}, ring->borrows, target);
        run_part(place, &task, right, false, target);
    }
}

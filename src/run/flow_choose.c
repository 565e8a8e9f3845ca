/* How a streaming run is cut, so that its buffers keep within the memory allowed. */
#include "run/flow.h"

#include "base/checked.h"
#include "io/limits.h"

/* A cell's buffers are about this large when nothing else decides. */
#define CELL_BYTES ((int64_t)8 << 20)
enum { CELL_COLUMNS = 2048, CELL_ROWS = 64 };

struct interval flow_rows(const struct plan *plan, const swathe_rect *cell, bool near)
{
    struct interval rows = {cell->y, cell->y + cell->height};
    for (int32_t i = plan->count - 1; i >= 0; i--)
        rows = near ? interval_near(&plan->ops[i], INTERVAL_ROWS,
                                    plan_made(plan, i, INTERVAL_ROWS, rows))
                    : plan_need(plan, i, INTERVAL_ROWS, rows);
    return rows;
}

struct interval flow_columns(const struct plan *plan, const swathe_rect *cell)
{
    struct interval columns = {cell->x, cell->x + cell->width};
    for (int32_t i = plan->count - 1; i >= 0; i--)
        columns = plan_need(plan, i, INTERVAL_COLUMNS, columns);
    return columns;
}

bool flow_wraps(const struct plan *plan)
{
    for (int32_t i = 0; i < plan->count; i++)
        if (plan->ops[i].border.mode == BORDER_WRAP && plan->ops[i].above + plan->ops[i].below > 0)
            return true;
    return false;
}

static int64_t pixel_bytes(const swathe_shape *shape)
{
    return (int64_t)shape->channels * sample_size(shape->type);
}

/* Buffers for the run's present cells: the largest that any cell asks for. */
static swathe_status measure(struct flow *flow)
{
    struct run *run = &flow->run;
    const struct plan *plan = run->plan;
    int64_t source_pixel = pixel_bytes(&plan->source), rows_most = 0, columns_most = 0;
    TRY(run_measure(run));
    flow->window_rows = 0;
    int64_t across = ceil_div(run->region.width, run->cell_width);
    for (int64_t c = 0; c < across; c++) {
        swathe_rect cell = run_cell(run, c);
        struct interval columns = flow_columns(plan, &cell);
        columns_most = max64(columns_most, columns.last - columns.first);
    }
    int64_t bands = ceil_div(run->region.height, run->cell_height);
    for (int64_t b = 0; b < bands; b++) {
        swathe_rect cell = run_cell(run, b * across);
        swathe_rect ahead = run_cell(run, min64(b + run->threads - 1, bands - 1) * across);
        struct interval rows = flow_rows(plan, &cell, !flow->forward);
        struct interval later = flow_rows(plan, &ahead, false);
        rows_most = max64(rows_most, rows.last - rows.first);
        flow->window_rows = max64(flow->window_rows, max64(later.last, rows.last) - rows.first);
    }
    bool direct = flow->forward || flow->all.data;
    flow->chunk_bytes = direct ? 0 : round_up(size_mul(columns_most * source_pixel, rows_most), 64);
    flow->island_bytes = direct ? 0 : round_up(columns_most * source_pixel, 64);
    flow->result_bytes =
        round_up(size_mul(min64(run->cell_width, run->region.width) * pixel_bytes(&plan->result),
                          min64(run->cell_height, run->region.height)),
                 64);
    return SWATHE_OK;
}

static int64_t total_bytes(const struct flow *flow)
{
    const struct run *run = &flow->run;
    int64_t row = flow->source->shape.width * pixel_bytes(&run->plan->source);
    int64_t window = flow->forward ? size_mul(flow->window_rows, row) : 0;
    int64_t each = size_add(size_add(flow->chunk_bytes, flow->island_bytes),
                            size_add(flow->result_bytes, run->worker_bytes));
    int64_t whole = flow->all.data ? flow->all.row_stride * flow->all.height : 0;
    return size_add(size_add(window, whole), size_mul(run->threads, each));
}

/* A multiple of `tile` around `wanted`. */
static int64_t whole_tiles(int64_t wanted, int64_t tile)
{
    return tile > 0 ? max64(1, wanted / tile) * tile : max64(1, wanted);
}

/* Whole tiles of the sink, or whole cells of the last stage's grid: parts cost as much. */
static int64_t cell_columns(const struct flow *flow)
{
    const struct plan *plan = flow->run.plan;
    if (flow->sink->tile_width > 0)
        return whole_tiles(CELL_COLUMNS, flow->sink->tile_width);
    return next_multiple(CELL_COLUMNS, plan->stages[plan->count - 1].grid_x);
}

static void first_cells(struct flow *flow)
{
    struct run *run = &flow->run;
    const swathe_sink *sink = flow->sink;
    int64_t tile_rows = sink->tile_height > 0 ? sink->tile_height : flow->source->tile_height;
    bool rows_only = flow->forward || (sink->flags & SWATHE_FORWARD) || flow_wraps(run->plan);
    run->cell_width = run->region.width;
    if (!rows_only)
        run->cell_width = min64(run->region.width, cell_columns(flow));
    int64_t row =
        run->cell_width * (pixel_bytes(&run->plan->source) + pixel_bytes(&run->plan->result));
    int64_t rows = min64(max64(CELL_BYTES / row, CELL_ROWS), 16 * CELL_ROWS);
    rows = max64(rows, 4 * plan_halo_rows(run->plan));
    if (run->options->band_rows > 0)
        rows = run->options->band_rows;
    run->cell_height = whole_tiles(min64(rows, run->region.height + 4096), tile_rows);
    if (run->cell_height < rows && run->options->band_rows > 0 && sink->tile_height > 0)
        run->cell_height += tile_rows;
}

swathe_status flow_choose(struct flow *flow)
{
    struct run *run = &flow->run;
    int64_t least = flow->sink->tile_height > 0 ? flow->sink->tile_height : 1;
    /* Lower cells recompute more than fewer threads lose. */
    int64_t worth = max64(least, plan_halo_rows(run->plan));
    first_cells(flow);
    TRY(measure(flow));
    while (total_bytes(flow) > run->plan->max_memory) {
        if (run->cell_height > (run->threads > 1 ? worth : least))
            run->cell_height = whole_tiles(run->cell_height / 2, flow->sink->tile_height);
        else if (run->threads > 1)
            run->threads--;
        else
            break;
        TRY(measure(flow));
    }
    struct limits limits = {.max_memory = run->plan->max_memory};
    return limits_check_memory(&limits, total_bytes(flow), "the run");
}

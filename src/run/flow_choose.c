/* How a streaming run is divided, so that its buffers stay within the memory limit. */
#include "run/flow.h"

#include "base/checked.h"
#include "io/limits.h"
#include "io/tiff/tile_order.h"

/* Default size of a cell's buffers. */
#define CELL_BYTES ((int64_t)8 << 20)
/* Limit for rows of a sink without tiles, with their source; wider images are divided into columns
 * of cells of this size. Tiles have columns of their own (io/tiff/tile_order.h). */
#define ROW_BYTES    ((int64_t)64 << 20)
#define COLUMN_BYTES ((int64_t)24 << 20)
enum { CELL_COLUMNS = 2048, CELL_ROWS = 64, COLUMN_TILES = 8 };

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
        if (op_wraps_rows(&plan->ops[i]))
            return true;
    return false;
}

int64_t flow_pixel(const swathe_shape *shape)
{
    return (int64_t)shape->channels * sample_size(shape->type);
}

int64_t flow_step(const struct flow *flow)
{
    bool forward = (flow->source->flags & SWATHE_FORWARD) != 0;
    return forward ? 1 : max64(flow->source->tile_height, 1);
}

/* ---- Buffers -------------------------------------------------------------------------------- */

/* The widest part of the source that a cell needs. */
static int64_t chunk_columns(const struct flow *flow)
{
    int64_t most = 0;
    for (int64_t c = 0; c < run_across(&flow->run); c++) {
        swathe_rect cell = run_cell_at(&flow->run, c, 0);
        struct interval columns = flow_columns(flow->run.plan, &cell);
        most = max64(most, columns.last - columns.first);
    }
    return most;
}

static int64_t chunk_rows(const struct flow *flow)
{
    const struct run *run = &flow->run;
    int64_t most = 0;
    for (int64_t b = 0; b < run_down(run); b++) {
        swathe_rect cell = run_cell_at(run, 0, b);
        struct interval rows = flow_rows(run->plan, &cell, true);
        most = max64(most, rows.last - rows.first);
    }
    return most;
}

/* Rows of the window: whole steps, for as many cells as there are threads. */
static int64_t window_rows(const struct flow *flow)
{
    const struct run *run = &flow->run;
    int64_t most = 0, step = flow_step(flow), cells = run_cells(run);
    for (int64_t c = 0; c < cells; c++) {
        swathe_rect cell = run_cell(run, c);
        swathe_rect ahead = run_cell(run, min64(c + run->threads - 1, cells - 1));
        struct interval rows = flow_rows(run->plan, &cell, false);
        struct interval later = flow_rows(run->plan, &ahead, false);
        int64_t first = rows.first - rows.first % step;
        most = max64(most, next_multiple(max64(later.last, rows.last), step) - first);
    }
    /* The whole image need not consist of whole steps. */
    return min64(most, flow->source->shape.height);
}

static void measure_window(struct flow *flow)
{
    const struct run *run = &flow->run;
    struct interval columns = {0, flow->source->shape.width};
    if (!(flow->source->flags & SWATHE_FORWARD))
        columns = flow_columns(run->plan, &run->region);
    flow->window_rect =
        (swathe_rect){columns.first, 0, columns.last - columns.first, window_rows(flow)};
}

/* Computes the buffer sizes for the current cells: the largest that any cell needs. */
static swathe_status flow_choose_measure(struct flow *flow)
{
    struct run *run = &flow->run;
    const struct plan *plan = run->plan;
    int64_t row = min64(run->cell_width, run->region.width) * flow_pixel(&plan->result);
    TRY(run_measure(run));
    flow->windowed =
        !flow->all.data && !flow_wraps(run->plan) && run->cell_width >= run->region.width;
    flow->chunk_bytes = flow->far_row_bytes = 0;
    if (flow->windowed) {
        measure_window(flow);
    } else if (!flow->all.data) {
        int64_t chunk_row = chunk_columns(flow) * flow_pixel(&plan->source);
        flow->chunk_bytes = round_up(size_mul(chunk_row, chunk_rows(flow)), 64);
        flow->far_row_bytes = round_up(chunk_row, 64);
    }
    flow->result_bytes = round_up(size_mul(row, min64(run->cell_height, run->region.height)), 64);
    flow->context_bytes = round_up(size_mul(row, flow->parts ? flow->parts->context_rows : 0), 64);
    return SWATHE_OK;
}

/* Prepared parts are assumed to be as large as their pixels. */
static int64_t total_bytes(const struct flow *flow)
{
    const struct run *run = &flow->run;
    int64_t window = 0, waiting = 0, whole = max64(flow->source->held_bytes, 0);
    if (flow->windowed)
        window = size_mul(size_mul(flow->window_rect.width, flow->window_rect.height),
                          flow_pixel(&run->plan->source));
    if (flow->parts)
        waiting = size_mul(min64(outbox_depth(run->threads) + 1, run_cells(run)),
                           size_add(flow->result_bytes, flow->context_bytes));
    int64_t scratch = flow->parts ? flow->parts->scratch_bytes : 0;
    if (flow->all.data)
        whole = size_add(whole, flow->all.row_stride * flow->all.height);
    int64_t each =
        size_add(size_add(flow->chunk_bytes, flow->far_row_bytes),
                 size_add(flow->context_bytes,
                          size_add(size_add(flow->result_bytes, scratch), run->worker_bytes)));
    return size_add(size_add(window, whole), size_add(waiting, size_mul(run->threads, each)));
}

/* ---- Cells ---------------------------------------------------------------------------------- */

/* A multiple of `tile` near `wanted`. */
static int64_t flow_choose_whole_tiles(int64_t wanted, int64_t tile)
{
    return tile > 0 ? max64(1, wanted / tile) * tile : max64(1, wanted);
}

/* The width of the columns in which the sink stores its tiles; without tiles, whole units of the
 * last stage's grid, because a part of a unit costs as much. */
static int64_t sink_column(const struct flow *flow)
{
    const struct plan *plan = flow->run.plan;
    const swathe_sink *sink = flow->sink;
    if (sink->tile_width > 0)
        return tile_order(&sink->shape, sink->tile_width, max64(sink->tile_height, 1)).column *
               sink->tile_width;
    return next_multiple(CELL_COLUMNS, plan->stages[plan->count - 1].grid_x);
}

/* Bytes of a row of a cell and of its source. */
static int64_t both_rows(const struct flow *flow)
{
    const struct plan *plan = flow->run.plan;
    return flow->run.cell_width * (flow_pixel(&plan->source) + flow_pixel(&plan->result));
}

/* Rows of a cell if memory is not limited: at least a tile if several threads can read the source,
 * so that each thread has one to read. */
static int64_t cell_rows(const struct flow *flow)
{
    const struct run *run = &flow->run;
    const swathe_source *source = flow->source;
    int64_t rows = min64(max64(CELL_BYTES / both_rows(flow), CELL_ROWS), 16 * CELL_ROWS);
    if (run->options->cell_rows > 0)
        return run->options->cell_rows;
    rows = max64(rows, 4 * plan_halo_rows(run->plan));
    if (source->flags & SWATHE_CONCURRENT)
        rows = max64(rows, min64(source->tile_height, 16 * CELL_ROWS));
    return rows;
}

/* Chooses cells as wide as the region. */
static void flow_choose_rows(struct flow *flow)
{
    struct run *run = &flow->run;
    int64_t tile_rows = flow->sink->tile_height;
    run->cell_width = run->region.width;
    int64_t rows = cell_rows(flow);
    run->cell_height = flow_choose_whole_tiles(min64(rows, run->region.height + 4096), tile_rows);
    if (run->cell_height < rows && run->options->cell_rows > 0 && tile_rows > 0)
        run->cell_height += tile_rows;
}

/* Chooses narrower cells, as high as the memory for one allows. Each also reads the tiles around
 * it. Tiles are delivered in the order of the file; the order of other parts does not matter. */
static void choose_columns(struct flow *flow)
{
    struct run *run = &flow->run;
    run->cell_width = min64(run->region.width, sink_column(flow));
    run->column_width = flow->sink->tile_width > 0 ? run->cell_width : 0;
    int64_t tile = max64(max64(flow->sink->tile_height, flow->source->tile_height), CELL_ROWS);
    int64_t rows = min64(COLUMN_BYTES / both_rows(flow), size_mul(COLUMN_TILES, tile));
    if (run->options->cell_rows > 0)
        rows = run->options->cell_rows;
    run->cell_height = flow_choose_whole_tiles(rows, flow->sink->tile_height);
}

/* Reduces the height of cells, then the number of threads, until all buffers fit or nothing is left
 * to save. */
static swathe_status flow_choose_shrink(struct flow *flow)
{
    struct run *run = &flow->run;
    int64_t least = max64(flow->sink->tile_height, 1);
    /* Below this height, recomputation costs more than fewer threads would. */
    int64_t worth = max64(least, plan_halo_rows(run->plan));
    TRY(flow_choose_measure(flow));
    while (total_bytes(flow) > run->plan->max_memory) {
        if (run->cell_height > (run->threads > 1 ? worth : least))
            run->cell_height =
                flow_choose_whole_tiles(run->cell_height / 2, flow->sink->tile_height);
        else if (run->threads > 1)
            run->threads--;
        else
            break;
        TRY(flow_choose_measure(flow));
    }
    return SWATHE_OK;
}

/* Chooses cells narrower than a column, with one row of tiles each, so that the order of tiles
 * remains. */
static swathe_status flow_choose_narrow(struct flow *flow)
{
    struct run *run = &flow->run;
    int64_t tile = flow->sink->tile_width, worth = flow_choose_whole_tiles(CELL_COLUMNS, tile);
    run->cell_height = max64(flow->sink->tile_height, 1);
    do {
        if (run->cell_width > (run->threads > 1 ? worth : tile))
            run->cell_width = flow_choose_whole_tiles(run->cell_width / 2, tile);
        else if (run->threads > 1)
            run->threads--;
        else
            break;
        TRY(flow_choose_measure(flow));
    } while (total_bytes(flow) > run->plan->max_memory);
    return SWATHE_OK;
}

/* For images that are too wide for cells of the whole width, or with too little memory for them. */
static swathe_status divide_width(struct flow *flow, int32_t threads, bool wide)
{
    struct run *run = &flow->run;
    bool tiled = flow->sink->tile_width > 0;
    if (wide || !tiled) {
        run->threads = threads;
        choose_columns(flow);
        TRY(flow_choose_shrink(flow));
    }
    if (!tiled || total_bytes(flow) <= run->plan->max_memory)
        return SWATHE_OK;
    run->threads = threads;
    return flow_choose_narrow(flow);
}

/* Cells as wide as the region read every row once. Columns of cells need less memory, but read
 * their halos again. */
swathe_status flow_choose(struct flow *flow)
{
    struct run *run = &flow->run;
    int32_t threads = run->threads;
    int64_t step = max64(max64(flow->sink->tile_height, flow_step(flow)), CELL_ROWS);
    bool rows_only =
        ((flow->source->flags | flow->sink->flags) & SWATHE_FORWARD) || flow_wraps(run->plan);
    flow_choose_rows(flow);
    bool wide = flow->sink->tile_width > 0 ? sink_column(flow) < run->region.width
                                           : size_mul(both_rows(flow), step) > ROW_BYTES;
    if (rows_only || !wide)
        TRY(flow_choose_shrink(flow));
    if (!rows_only && (wide || total_bytes(flow) > run->plan->max_memory))
        TRY(divide_width(flow, threads, wide));
    struct limits limits = {.max_memory = run->plan->max_memory};
    return limits_check_memory(&limits, total_bytes(flow), "the run");
}

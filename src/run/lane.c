#include "run/lane.h"

#include "base/checked.h"
#include "base/clock.h"
#include "base/text.h"
#include "io/limits.h"
#include "run/padding.h"
#include "run/piece.h"

#include <stdio.h>

/* A launch should take well under the second after which some systems reset a GPU. */
#define LAUNCH_WORK 0x1p31 /* multiply-adds */

struct growing {
    void *data;
    int64_t bytes;
};

struct lane {
    const struct memory *memory;
    const struct plan *plan;
    const struct gpu_calls *calls;
    void *device, *queue;
    int32_t share;               /* lanes among which the memory is divided */
    int64_t budget, host_budget; /* bytes there and here */
    struct growing images[2][GPU_PLANES_MAX], tables[ON_GPU_STAGES_MAX][2]; /* there */
    struct growing upload, download, host_tables;                           /* here */
    struct piece piece;
    bool timed;
    double since; /* when the part of the piece began that is under way */
    swathe_run_times times;
};

/* Ordinary memory is cleared, so that its pages are there before a copy. */
static swathe_status make(const struct lane *lane, int64_t bytes, bool host, void **data)
{
    const struct gpu_calls *calls = lane->calls;
    if (host && lane->plan->gpu->pageable)
        return memory_new(lane->memory, bytes, 1, "a transfer", data);
    return (host ? calls->new_host : calls->new_buffer)(lane->device, bytes, data);
}

static void drop(const struct lane *lane, struct growing *area, bool host)
{
    const struct gpu_calls *calls = lane->calls;
    if (area->data && host && lane->plan->gpu->pageable)
        memory_free(lane->memory, area->data);
    else if (area->data)
        (host ? calls->free_host : calls->free_buffer)(lane->device, area->data);
    *area = (struct growing){0};
}

/* Room for `bytes`, on the device or on the host beside it. */
static swathe_status grow(struct lane *lane, struct growing *area, int64_t bytes, bool host)
{
    if (area->bytes >= bytes)
        return SWATHE_OK;
    drop(lane, area, host);
    TRY(make(lane, bytes, host, &area->data));
    area->bytes = bytes;
    return SWATHE_OK;
}

static enum gpu_flow flow_of(const struct lane *lane)
{
    return lane->plan->gpu->strategy->flow;
}

/* Buffers that hold an image: more than one where its planes have their own. */
static int32_t buffer_count(const struct lane *lane)
{
    return flow_of(lane) == GPU_FLOW_SEPARATE ? lane->plan->source.channels : 1;
}

static swathe_status grow_all(struct lane *lane)
{
    const struct piece *piece = &lane->piece;
    for (int k = 0; k < 2; k++)
        for (int32_t c = 0; c < buffer_count(lane); c++)
            TRY(grow(lane, &lane->images[k][c], piece->largest, false));
    for (int32_t i = 0; i < piece->count; i++)
        for (int axis = 0; axis < 2; axis++)
            TRY(grow(lane, &lane->tables[i][axis],
                     piece_table_count(lane->plan, piece, i, (enum interval_axis)axis) *
                         (int64_t)sizeof(int32_t),
                     false));
    TRY(grow(lane, &lane->upload, piece->images[0].bytes, true));
    TRY(grow(lane, &lane->download, piece->images[piece->count].bytes, true));
    return grow(lane, &lane->host_tables, piece->table_bytes, true);
}

static int32_t step_of(const struct lane *lane)
{
    return lane->plan->gpu->host_planar ? 1 : lane->plan->source.channels;
}

/* Ends a part of a piece that took the host's time. */
static void end_part(struct lane *lane, double *part)
{
    if (!lane->timed)
        return;
    double now = clock_now();
    *part += now - lane->since;
    lane->since = now;
}

/* Ends one that took the device's, which has done all of it only where it is timed. */
static swathe_status end_device_part(struct lane *lane, double *part)
{
    if (lane->timed)
        TRY(lane->calls->finish(lane->queue));
    end_part(lane, part);
    return SWATHE_OK;
}

/* Planes one after another in one array, or pixels. Where kernels know no border, the rows get it
 * here. */
static swathe_status gather(struct lane *lane, const struct row_source *source)
{
    const struct piece_image *image = &lane->piece.images[0];
    int64_t size = sample_size(lane->plan->source.type), plane = image->plane * size;
    bool padded = lane->plan->gpu->strategy->reads == GPU_READS_PADDED;
    for (int64_t y = image->rows.first; y < image->rows.last; y++) {
        uint8_t *to = (uint8_t *)lane->upload.data + (y - image->rows.first) * image->pitch * size;
        const swathe_image *view;
        if (padded) {
            TRY(padding_row(&lane->plan->ops[0], source, y, image->columns, to, plane));
            continue;
        }
        TRY(source->row(source->user, y, &view));
        samples_gather(view, y, image->columns.first, image->columns.last, step_of(lane), to,
                       plane);
    }
    end_part(lane, &lane->times.gather);
    return SWATHE_OK;
}

static swathe_status send(struct lane *lane, void *buffer, const void *from, int64_t bytes)
{
    TRY(lane->calls->upload(lane->queue, buffer, 0, from, bytes));
    lane->times.bytes_up += bytes;
    return SWATHE_OK;
}

static swathe_status send_tables(struct lane *lane)
{
    int32_t *table = lane->host_tables.data;
    for (int32_t i = 0; i < lane->piece.count; i++)
        for (int axis = 0; axis < 2; axis++) {
            enum interval_axis which = (enum interval_axis)axis;
            int64_t count = piece_table_count(lane->plan, &lane->piece, i, which);
            if (count == 0)
                continue;
            piece_table(lane->plan, &lane->piece, i, which, table);
            TRY(send(lane, lane->tables[i][axis].data, table, count * (int64_t)sizeof *table));
            table += count;
        }
    return SWATHE_OK;
}

/* All of the image; or of planes that take turns, this one. */
static swathe_status send_image(struct lane *lane, int32_t turn)
{
    const struct piece_image *image = &lane->piece.images[0];
    for (int32_t c = 0; c < buffer_count(lane); c++)
        TRY(send(lane, lane->images[0][c].data,
                 (const uint8_t *)lane->upload.data + (turn + c) * image->part, image->part));
    return end_device_part(lane, &lane->times.upload);
}

/* Rows that one launch makes: whole tiles, within the time and the grid that a device allows. */
static int64_t launch_rows(const struct lane *lane, const struct gpu_stage *stage, int64_t width)
{
    bool all = flow_of(lane) == GPU_FLOW_WHOLE || flow_of(lane) == GPU_FLOW_SEPARATE;
    double row = (double)width * (all ? lane->plan->source.channels : 1) * stage->work;
    int64_t tile = stage->tile[1], grid = lane->plan->gpu->device->info.limits.grid[1];
    int64_t rows = (int64_t)(LAUNCH_WORK / row) / tile * tile;
    return max64(tile, min64(rows, size_mul(min64(grid, INT32_MAX), tile)));
}

static swathe_status launch_rows_of(struct lane *lane, const struct on_gpu_stage *at,
                                    struct gpu_job *job, struct gpu_launch *launch)
{
    int64_t rows = launch_rows(lane, &at->stage, job->width);
    for (int64_t y = 0; y < job->height; y += rows) {
        job->first_y = (int)y;
        job->last_y = (int)min64(y + rows, job->height);
        gpu_stage_grid(&at->stage, job->width, job->last_y - job->first_y, launch->grid);
        if (flow_of(lane) != GPU_FLOW_WHOLE)
            launch->grid[2] = 1;
        TRY(lane->calls->launch(lane->queue, at->program, launch));
        lane->times.launches++;
    }
    return SWATHE_OK;
}

/* Stage i, of plane `channel` where it is launched for each. */
static swathe_status launch_stage(struct lane *lane, int32_t i, int32_t channel)
{
    const struct on_gpu_stage *at = &lane->plan->gpu->stages[i];
    const struct growing *in = lane->images[i % 2], *out = lane->images[(i + 1) % 2];
    bool separate = flow_of(lane) == GPU_FLOW_SEPARATE, filter = at->kind == ON_GPU_FILTER;
    int32_t first = separate && !filter ? channel : 0;
    void *rows = lane->tables[i][INTERVAL_ROWS].data;
    void *columns = lane->tables[i][INTERVAL_COLUMNS].data;
    struct gpu_job job;
    struct gpu_launch launch = {.in = in[first].data,
                                .out = out[first].data,
                                .taps = at->taps,
                                .rows = at->stage.has_tables ? rows : at->taps, /* not read */
                                .columns = at->stage.has_tables ? columns : at->taps,
                                .job = &job};
    piece_job(lane->plan, &lane->piece, i, &job);
    job.channel = channel;
    if (gpu_strategy_is_apart(lane->plan->gpu->strategy))
        job.in_plane = job.out_plane = 0;
    for (int k = 0; k < 3; k++)
        launch.group[k] = at->stage.group[k];
    for (int32_t c = 1; separate && filter && c < buffer_count(lane); c++) {
        launch.planes[launch.plane_buffers++] = in[c].data;
        launch.planes[launch.plane_buffers++] = out[c].data;
    }
    return launch_rows_of(lane, at, &job, &launch);
}

/* Is stage i launched for each plane? */
static bool is_launched_for_each(const struct lane *lane, int32_t i)
{
    bool filter = lane->plan->gpu->stages[i].kind == ON_GPU_FILTER;
    switch (flow_of(lane)) {
    case GPU_FLOW_EACH:
    case GPU_FLOW_CONVERT:
        return filter;
    case GPU_FLOW_SEPARATE:
        return !filter;
    default:
        return false;
    }
}

static swathe_status launch_all(struct lane *lane, int32_t turn)
{
    for (int32_t i = 0; i < lane->piece.count; i++) {
        int32_t count = is_launched_for_each(lane, i) ? lane->plan->source.channels : 1;
        for (int32_t c = 0; c < count; c++)
            TRY(launch_stage(lane, i, turn + c));
    }
    return end_device_part(lane, &lane->times.kernels);
}

static swathe_status fetch(struct lane *lane, int32_t turn)
{
    int32_t n = lane->piece.count;
    int64_t bytes = lane->piece.images[n].part;
    for (int32_t c = 0; c < buffer_count(lane); c++) {
        TRY(lane->calls->download(lane->queue, lane->images[n % 2][c].data, 0,
                                  (uint8_t *)lane->download.data + (turn + c) * bytes, bytes));
        lane->times.bytes_down += bytes;
    }
    return end_device_part(lane, &lane->times.download);
}

/* To the device, through all stages, and back: all at once, or plane after plane. */
static swathe_status run_turns(struct lane *lane)
{
    int32_t turns = flow_of(lane) == GPU_FLOW_TURNS ? lane->plan->source.channels : 1;
    TRY(send_tables(lane));
    for (int32_t turn = 0; turn < turns; turn++) {
        TRY(send_image(lane, turn));
        TRY(launch_all(lane, turn));
        TRY(fetch(lane, turn));
    }
    return SWATHE_OK;
}

static void scatter(struct lane *lane, const swathe_image *result)
{
    const struct piece_image *image = &lane->piece.images[lane->piece.count];
    int64_t size = sample_size(lane->plan->result.type);
    for (int64_t y = image->rows.first; y < image->rows.last; y++)
        samples_scatter((const uint8_t *)lane->download.data +
                            (y - image->rows.first) * image->pitch * size,
                        image->plane * size, step_of(lane), result, y, image->columns.first,
                        image->columns.last);
    end_part(lane, &lane->times.scatter);
}

static swathe_status run_piece(struct lane *lane, const struct row_source *source,
                               const swathe_image *result)
{
    TRY(grow_all(lane));
    if (lane->timed)
        lane->since = clock_now();
    TRY(gather(lane, source));
    swathe_status status = run_turns(lane);
    if (status == SWATHE_OK && !lane->timed)
        status = lane->calls->finish(lane->queue);
    if (status != SWATHE_OK) {
        lane->calls->finish(lane->queue); /* nothing may still use host memory */
        return status;
    }
    scatter(lane, result);
    return SWATHE_OK;
}

static int64_t device_bytes(const struct lane *lane)
{
    return size_add(size_mul(lane->piece.largest, 2 * buffer_count(lane)), lane->piece.table_bytes);
}

static int64_t host_bytes(const struct lane *lane)
{
    const struct piece *piece = &lane->piece;
    return size_add(piece->images[0].bytes, piece->images[piece->count].bytes);
}

/* Kernels count bytes in 32 bits. */
static int64_t largest_buffer(const struct lane *lane)
{
    return min64(lane->plan->gpu->device->info.limits.largest, INT32_MAX);
}

static bool fits(const struct lane *lane)
{
    const struct piece *piece = &lane->piece;
    const struct gpu_limits *limits = &lane->plan->gpu->device->info.limits;
    const struct gpu_stage *stage = &lane->plan->gpu->stages[0].stage;
    struct interval columns = piece->images[0].columns; /* where they count in the grid's y */
    bool wide = stage->is_column &&
                columns.last - columns.first > size_mul(limits->grid[1], stage->tile[0]);
    return !wide && piece->largest <= largest_buffer(lane) &&
           host_bytes(lane) <= lane->host_budget && device_bytes(lane) <= lane->budget;
}

static bool wraps_down(const struct plan *plan)
{
    for (int32_t i = 0; i < plan->count; i++)
        if (plan->ops[i].border.mode == BORDER_WRAP && plan->ops[i].above + plan->ops[i].below > 0)
            return true;
    return false;
}

/* Not even one pixel fits: names the limit that binds. */
static swathe_status too_large(const struct lane *lane)
{
    const struct plan *plan = lane->plan;
    const char *id = plan->gpu->device->info.id;
    char what[96], needed[32], most[32];
    int64_t there = size_mul(device_bytes(lane), lane->share);
    int64_t here = size_mul(max64(device_bytes(lane), host_bytes(lane)), 2 * lane->share);
    struct limits limits = {.max_memory = plan->max_memory};
    snprintf(what, sizeof what, "%s on %.32s",
             wraps_down(plan) ? "the whole height of the image, which border wrap needs,"
                              : "a single pixel",
             id);
    if (lane->piece.largest > largest_buffer(lane))
        return fail(SWATHE_ERROR_LIMIT, "%s: needs a buffer of %s, limit %s; use device cpu", what,
                    text_bytes(lane->piece.largest, needed, sizeof needed),
                    text_bytes(largest_buffer(lane), most, sizeof most));
    if (there > plan->gpu->memory)
        return fail(SWATHE_ERROR_LIMIT,
                    "%s: needs %s of its memory, limit %s; raise it with --device-memory where the "
                    "device has more, or use device cpu",
                    what, text_bytes(there, needed, sizeof needed),
                    text_bytes(plan->gpu->memory, most, sizeof most));
    TRY(limits_check_memory(&limits, here, what));
    return fail(SWATHE_ERROR_LIMIT,
                "%s: more columns than strategy %s takes on this device; use strategy 3channel",
                what, plan->gpu->strategy->name);
}

swathe_status lane_rect(struct lane *lane, const swathe_rect *rect, const struct row_source *source,
                        const swathe_image *result, const atomic_bool *stopped)
{
    if (atomic_load(stopped))
        return SWATHE_OK; /* the failure is recorded */
    piece_measure(lane->plan, rect, &lane->piece);
    if (fits(lane))
        return run_piece(lane, source, result);
    if (rect->width == 1 && rect->height == 1)
        return too_large(lane);
    /* Rows first: full rows are copied in one go. */
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
    TRY(lane_rect(lane, &one, source, result, stopped));
    return lane_rect(lane, &two, source, result, stopped);
}

swathe_status lane_create(const struct memory *memory, const struct plan *plan, int32_t share,
                          bool timed, struct lane **lane)
{
    struct lane *got;
    const struct gpu_device *device = plan->gpu->device;
    TRY(memory_new(memory, 1, sizeof *got, "a run", &got));
    *got = (struct lane){.memory = memory,
                         .plan = plan,
                         .timed = timed,
                         .share = share,
                         .calls = device->calls,
                         .device = device->handle,
                         .budget = min64(plan->gpu->memory, plan->max_memory / 2) / share,
                         .host_budget = plan->max_memory / 2 / share};
    swathe_status status = got->calls->new_queue(got->device, &got->queue);
    if (status != SWATHE_OK) {
        memory_free(memory, got);
        return status;
    }
    *lane = got;
    return SWATHE_OK;
}

void lane_add_times(const struct lane *lane, swathe_run_times *times)
{
    const swathe_run_times *own = &lane->times;
    times->gather += own->gather;
    times->upload += own->upload;
    times->kernels += own->kernels;
    times->download += own->download;
    times->scatter += own->scatter;
    times->launches += own->launches;
    times->bytes_up += own->bytes_up;
    times->bytes_down += own->bytes_down;
}

void lane_destroy(struct lane *lane)
{
    if (!lane)
        return;
    for (int k = 0; k < 2; k++)
        for (int32_t c = 0; c < GPU_PLANES_MAX; c++)
            drop(lane, &lane->images[k][c], false);
    for (int32_t i = 0; i < ON_GPU_STAGES_MAX; i++)
        for (int axis = 0; axis < 2; axis++)
            drop(lane, &lane->tables[i][axis], false);
    drop(lane, &lane->upload, true);
    drop(lane, &lane->download, true);
    drop(lane, &lane->host_tables, true);
    lane->calls->free_queue(lane->device, lane->queue);
    memory_free(lane->memory, lane);
}

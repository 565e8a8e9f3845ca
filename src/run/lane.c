#include "run/lane.h"

#include "base/checked.h"
#include "base/clock.h"
#include "run/piece.h"

#include <inttypes.h>

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
    int64_t budget;                                        /* bytes on the device */
    struct growing images[2], tables[CHAIN_STAGES_MAX][2]; /* there */
    struct growing upload, download, host_tables;          /* here */
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

static swathe_status grow_all(struct lane *lane)
{
    const struct piece *piece = &lane->piece;
    for (int k = 0; k < 2; k++)
        TRY(grow(lane, &lane->images[k], piece->largest, false));
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
    return lane->plan->gpu->planar ? 1 : lane->plan->source.channels;
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

static swathe_status gather(struct lane *lane, const struct row_source *source)
{
    const struct piece_image *image = &lane->piece.images[0];
    int64_t size = sample_size(lane->plan->source.type);
    for (int64_t y = image->rows.first; y < image->rows.last; y++) {
        const swathe_image *view;
        TRY(source->row(source->user, y, &view));
        samples_gather(view, y, image->columns.first, image->columns.last, step_of(lane),
                       (uint8_t *)lane->upload.data + (y - image->rows.first) * image->pitch * size,
                       image->plane * size);
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
            piece_table(lane->plan, &lane->piece, i, which, table);
            TRY(send(lane, lane->tables[i][axis].data, table, count * (int64_t)sizeof *table));
            table += count;
        }
    return SWATHE_OK;
}

static swathe_status send_all(struct lane *lane)
{
    TRY(send(lane, lane->images[0].data, lane->upload.data, lane->piece.images[0].bytes));
    TRY(send_tables(lane));
    return end_device_part(lane, &lane->times.upload);
}

/* Rows that one launch makes: whole tiles, within the time and the grid that a device allows. */
static int64_t launch_rows(const struct lane *lane, const struct gpu_stage *stage, int64_t width)
{
    double row = (double)width * lane->plan->source.channels * stage->work;
    int64_t tile = stage->tile[1], grid = lane->plan->gpu->device->info.limits.grid[1];
    int64_t rows = (int64_t)(LAUNCH_WORK / row) / tile * tile;
    return max64(tile, min64(rows, size_mul(min64(grid, INT32_MAX), tile)));
}

static swathe_status launch_stage(struct lane *lane, int32_t i)
{
    const struct on_gpu_stage *at = &lane->plan->gpu->stages[i];
    struct gpu_job job;
    struct gpu_launch launch = {.in = lane->images[i % 2].data,
                                .out = lane->images[(i + 1) % 2].data,
                                .taps = at->taps,
                                .rows = lane->tables[i][INTERVAL_ROWS].data,
                                .columns = lane->tables[i][INTERVAL_COLUMNS].data,
                                .job = &job};
    piece_job(lane->plan, &lane->piece, i, &job);
    int64_t rows = launch_rows(lane, &at->stage, job.width);
    for (int k = 0; k < 3; k++)
        launch.group[k] = at->stage.group[k];
    for (int64_t y = 0; y < job.height; y += rows) {
        job.first_y = (int)y;
        job.last_y = (int)min64(y + rows, job.height);
        gpu_stage_grid(&at->stage, job.width, job.last_y - job.first_y, launch.grid);
        TRY(lane->calls->launch(lane->queue, at->program, &launch));
        lane->times.launches++;
    }
    return SWATHE_OK;
}

static swathe_status launch_all(struct lane *lane)
{
    for (int32_t i = 0; i < lane->piece.count; i++)
        TRY(launch_stage(lane, i));
    return end_device_part(lane, &lane->times.kernels);
}

static swathe_status fetch(struct lane *lane)
{
    int32_t n = lane->piece.count;
    int64_t bytes = lane->piece.images[n].bytes;
    TRY(lane->calls->download(lane->queue, lane->images[n % 2].data, 0, lane->download.data,
                              bytes));
    lane->times.bytes_down += bytes;
    TRY(lane->calls->finish(lane->queue));
    end_part(lane, &lane->times.download);
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
    swathe_status status = send_all(lane);
    if (status == SWATHE_OK)
        status = launch_all(lane);
    if (status == SWATHE_OK)
        status = fetch(lane);
    if (status != SWATHE_OK) {
        lane->calls->finish(lane->queue); /* nothing may still use host memory */
        return status;
    }
    scatter(lane, result);
    return SWATHE_OK;
}

static bool fits(const struct lane *lane)
{
    const struct piece *piece = &lane->piece;
    const struct gpu_limits *limits = &lane->plan->gpu->device->info.limits;
    bool indexed = true;
    for (int32_t i = 0; i <= piece->count; i++) /* kernels count samples in 32 bits */
        indexed &= piece->images[i].bytes <= INT32_MAX;
    return indexed && piece->largest <= limits->largest &&
           size_add(size_mul(piece->largest, 2), piece->table_bytes) <= lane->budget;
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
        return fail(SWATHE_ERROR_LIMIT,
                    "one pixel needs %" PRId64 " bytes on %s, %" PRId64
                    " are allowed; raise the device's memory, or use device cpu",
                    2 * lane->piece.largest, lane->plan->gpu->device->info.id, lane->budget);
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
                         .calls = device->calls,
                         .device = device->handle,
                         .budget = min64(plan->gpu->memory, plan->max_memory / 2) / share};
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
    drop(lane, &lane->images[0], false);
    drop(lane, &lane->images[1], false);
    for (int32_t i = 0; i < CHAIN_STAGES_MAX; i++)
        for (int axis = 0; axis < 2; axis++)
            drop(lane, &lane->tables[i][axis], false);
    drop(lane, &lane->upload, true);
    drop(lane, &lane->download, true);
    drop(lane, &lane->host_tables, true);
    lane->calls->free_queue(lane->device, lane->queue);
    memory_free(lane->memory, lane);
}

/* The job of the index: when all tiles are there, their sizes give every offset of the file. */
#include "fleet_fail.h"
#include "mosaic/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The output of the sink, divided into two objects. */
struct halves {
    swathe_writer head, tail;
    const swathe_tiff_part *part;
    int64_t written;
};

static swathe_status write_halves(void *user, const void *bytes, size_t count)
{
    struct halves *halves = user;
    int64_t left = halves->part->prefix_bytes - halves->written;
    size_t first = left <= 0 ? 0 : left < (int64_t)count ? (size_t)left : count;
    if (first > 0)
        TRY(halves->head.write(halves->head.user, bytes, first));
    if (first < count)
        TRY(halves->tail.write(halves->tail.user, (const char *)bytes + first, count - first));
    halves->written += (int64_t)count;
    return SWATHE_OK;
}

static swathe_status finish_halves(void *user)
{
    struct halves *halves = user;
    swathe_status status = halves->head.finish(halves->head.user);
    if (status == SWATHE_OK)
        return halves->tail.finish(halves->tail.user);
    halves->tail.abandon(halves->tail.user);
    return status;
}

static void abandon_halves(void *user)
{
    struct halves *halves = user;
    halves->head.abandon(halves->head.user);
    halves->tail.abandon(halves->tail.user);
}

static swathe_status open_writer(struct worker *worker, const char *name, swathe_writer *writer)
{
    char *url;
    TRY(stage_url(worker->set, name, &url));
    swathe_status status = store_writer(worker->store, url, writer);
    free(url);
    return status;
}

static swathe_status open_halves(struct worker *worker, struct halves *halves)
{
    TRY(open_writer(worker, "head", &halves->head));
    swathe_status status = open_writer(worker, "tail", &halves->tail);
    if (status != SWATHE_OK)
        halves->head.abandon(halves->head.user);
    return status;
}

/* Writes the file without its tiles; `sizes` are those of all tiles. */
static swathe_status write_rest(struct worker *worker, int64_t *sizes, struct halves *halves)
{
    struct mosaic_input input;
    swathe_tiff_part part = SWATHE_INIT(swathe_tiff_part);
    swathe_sink *sink = NULL;
    swathe_writer writer = SWATHE_INIT(swathe_writer);
    TRY(mosaic_input_open(worker, &input));
    part.sizes = sizes;
    halves->part = &part;
    input.write.tiff_part = &part;
    input.write.format = "tiff";
    writer.user = halves;
    writer.write = write_halves;
    writer.finish = finish_halves;
    writer.abandon = abandon_halves;
    swathe_status status = open_halves(worker, halves);
    if (status == SWATHE_OK)
        status = swathe_sink_create(worker->context, &writer, &input.shape, &input.metadata,
                                    &input.write, &sink);
    if (status == SWATHE_OK && part.tiles != worker->set->tiles)
        status = fleet_fail(SWATHE_ERROR_INPUT,
                            "the record of the set has %" PRId64 " tiles instead of %" PRId64,
                            worker->set->tiles, part.tiles);
    if (status == SWATHE_OK)
        status = swathe_sink_commit(sink);
    swathe_sink_destroy(sink);
    mosaic_input_close(worker, &input);
    return status;
}

/* Reads all records. Piece 1 + job starts where the piece before it ends; sizes are filled in. */
static swathe_status read_records(struct worker *worker, const struct held *held, int64_t *sizes,
                                  struct mosaic_index *index)
{
    const struct set *set = worker->set;
    for (int64_t i = 0; i < index->pieces - 2; i++) {
        struct job own;
        mosaic_job(set, i, &own);
        struct stage_tiles tiles = {.sizes = sizes + own.offset * set->planes};
        swathe_status status = stage_get_tiles(worker->store, set, i, &tiles);
        if (status != SWATHE_OK && mosaic_judge(status, fleet_fail_number()) == HELD_HOPELESS &&
            status == SWATHE_ERROR_IO)
            return mosaic_wait(worker, held, "tiles"); /* the record is of another upload */
        TRY(status);
        if (atomic_load(&worker->cancelled))
            return fleet_fail(SWATHE_ERROR_CANCELLED, "cancelled");
        index->starts[i + 2] = index->starts[i + 1] + tiles.size;
        if (index->starts[i + 2] > MOSAIC_BYTES)
            return fleet_fail(SWATHE_ERROR_LIMIT, "the tiles have more than %" PRId64 " bytes",
                              MOSAIC_BYTES);
    }
    return SWATHE_OK;
}

static swathe_status make_index(struct worker *worker, const struct held *held, int64_t *sizes,
                                struct mosaic_index *index)
{
    struct halves halves = {0};
    TRY(read_records(worker, held, sizes, index));
    TRY(write_rest(worker, sizes, &halves));
    int64_t head, whole = halves.written;
    TRY(stage_size(worker->store, worker->set, "head", &head));
    for (int64_t i = 1; i < index->pieces; i++)
        index->starts[i] += head;
    index->starts[index->pieces] = index->starts[index->pieces - 1] + whole - head;
    return mosaic_index_put(worker, index);
}

swathe_status mosaic_index(struct worker *worker, const struct held *held)
{
    const struct set *set = worker->set;
    struct mosaic_index index = {.pieces = mosaic_tile_jobs(set) + 2};
    int64_t count, *sizes = NULL;
    TRY(stage_count_tiles(worker->store, set, &count));
    if (count < index.pieces - 2)
        return mosaic_wait(worker, held, "tiles");
    swathe_status status =
        fleet_allocate((size_t)set->tiles, (size_t)set->planes * sizeof *sizes, &sizes);
    if (status == SWATHE_OK)
        status = fleet_allocate((size_t)index.pieces + 1, sizeof *index.starts, &index.starts);
    if (status == SWATHE_OK)
        status = make_index(worker, held, sizes, &index);
    mosaic_index_free(&index);
    free(sizes);
    return status;
}

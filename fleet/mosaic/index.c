/* The job of the index: when all tiles are there, their sizes give every offset of the file. */
#include "fail.h"
#include "mosaic/work.h"
#include "worker/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The object -------------------------------------------------------------------------------
 */

/* The object that tells where the pieces of the file start: a line, the SHA-256 of the upload's id,
 * and numbers of 8 bytes, little endian: that of the pieces, their starts, the size of the file. */

#define LINE "swathe mosaic 1\n"
enum { LINE_BYTES = sizeof LINE - 1, HEADER = LINE_BYTES + HASH_TEXT - 1, NUMBER = 8 };

static void put_number(unsigned char *to, int64_t number)
{
    for (int i = 0; i < NUMBER; i++)
        to[i] = (unsigned char)((uint64_t)number >> (8 * i));
}

static int64_t get_number(const unsigned char *from)
{
    uint64_t number = 0;
    for (int i = NUMBER - 1; i >= 0; i--)
        number = number << 8 | from[i];
    return (int64_t)number;
}

static swathe_status hash_upload(const struct set *set, char text[HASH_TEXT])
{
    struct worker_hash *hash;
    TRY(worker_hash_create(&hash));
    swathe_status status = worker_hash_add(hash, set->upload, strlen(set->upload));
    if (status == SWATHE_OK)
        status = worker_hash_finish(hash, text);
    worker_hash_destroy(hash);
    return status;
}

static size_t object_size(int64_t pieces)
{
    return HEADER + (size_t)(pieces + 2) * NUMBER;
}

static swathe_status put_index(struct worker *worker, const struct mosaic_index *index)
{
    unsigned char *bytes;
    char hash[HASH_TEXT];
    size_t size = object_size(index->pieces);
    TRY(hash_upload(worker->set, hash));
    TRY(fleet_allocate(size, 1, &bytes));
    memcpy(bytes, LINE, LINE_BYTES);
    memcpy(bytes + LINE_BYTES, hash, HASH_TEXT - 1);
    put_number(bytes + HEADER, index->pieces);
    for (int64_t i = 0; i <= index->pieces; i++)
        put_number(bytes + HEADER + (i + 1) * NUMBER, index->starts[i]);
    swathe_status status = stage_put(worker->store, worker->set, STAGE_INDEX, bytes, size);
    free(bytes);
    return status;
}

static swathe_status mosaic_index_damaged(void)
{
    return fleet_fail(SWATHE_ERROR_INPUT, "the index of the mosaic is damaged");
}

/* Copies the starts, which must ascend from 0 and leave room for sums. */
static swathe_status take_starts(const unsigned char *bytes, struct mosaic_index *index)
{
    TRY(fleet_allocate((size_t)index->pieces + 1, sizeof *index->starts, &index->starts));
    for (int64_t i = 0; i <= index->pieces; i++) {
        int64_t start = get_number(bytes + HEADER + (i + 1) * NUMBER);
        if (i == 0 ? start != 0 : start <= index->starts[i - 1] || start > MOSAIC_BYTES) {
            mosaic_index_free(index);
            return mosaic_index_damaged();
        }
        index->starts[i] = start;
    }
    return SWATHE_OK;
}

swathe_status mosaic_index_get(struct worker *worker, struct mosaic_index *index)
{
    void *bytes;
    size_t size;
    char hash[HASH_TEXT];
    *index = (struct mosaic_index){.pieces = mosaic_tile_jobs(worker->set) + 2};
    TRY(hash_upload(worker->set, hash));
    TRY(stage_get(worker->store, worker->set, STAGE_INDEX, (int64_t)object_size(index->pieces),
                  &bytes, &size));
    const unsigned char *at = bytes;
    swathe_status status = SWATHE_OK;
    if (size != object_size(index->pieces) || memcmp(at, LINE, LINE_BYTES) != 0 ||
        get_number(at + HEADER) != index->pieces)
        status = mosaic_index_damaged();
    else if (memcmp(at + LINE_BYTES, hash, HASH_TEXT - 1) != 0)
        status = fleet_fail_system(SWATHE_ERROR_IO, ENOENT, "the index is of another upload");
    else
        status = take_starts(at, index);
    free(bytes);
    return status;
}

void mosaic_index_free(struct mosaic_index *index)
{
    free(index->starts);
    index->starts = NULL;
}

void mosaic_piece_name(const struct mosaic_index *index, int64_t piece, char name[STAGE_NAME])
{
    if (piece == 0 || piece == index->pieces - 1)
        snprintf(name, STAGE_NAME, "%s", piece == 0 ? "head" : "tail");
    else
        stage_tiles_name(piece - 1, name);
}

/* ---- The job ----------------------------------------------------------------------------------
 */

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
    mosaic_input_close(&input);
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
    return put_index(worker, index);
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

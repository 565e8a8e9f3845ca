/* The last job: completes the file, checks it, and deletes the objects of the stage. */
#include "fail.h"
#include "mosaic/work.h"
#include "worker/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Besides the head. */
enum { CHECKED_PIECES = 4 };

/* Jobs that are not settled could still write to the stage, so this one waits until it is the only
 * one. */
static swathe_status check_alone(struct worker *worker, const struct held *held)
{
    struct queue_lag lag;
    TRY(queue_lag(worker->queue, worker->set->name, &lag));
    return lag.waiting + lag.delivered <= 1 ? SWATHE_OK : mosaic_wait(worker, held, "other jobs");
}

static swathe_status read_parts(struct worker *worker, const struct held *held, int64_t total,
                                struct store_part *parts, int64_t count)
{
    int64_t size = mosaic_part_bytes(total);
    for (int64_t i = 0; i < count; i++) {
        int64_t left = total - i * size;
        swathe_status status =
            stage_get_part(worker->store, worker->set, i + 1, left < size ? left : size, &parts[i]);
        if (status == SWATHE_ERROR_IO && fleet_fail_number() == ENOENT)
            return mosaic_wait(worker, held, "parts");
        TRY(status);
    }
    return SWATHE_OK;
}

static swathe_status finish_complete(struct worker *worker, const struct held *held, int64_t total)
{
    const struct set *set = worker->set;
    int64_t size = mosaic_part_bytes(total), count = (total + size - 1) / size;
    struct store_part *parts;
    TRY(fleet_allocate((size_t)count, sizeof *parts, &parts));
    swathe_status status = read_parts(worker, held, total, parts, count);
    if (status == SWATHE_OK)
        status =
            store_parts_finish(worker->store, set->to, set->upload, parts, (int32_t)count, total);
    free(parts);
    return status;
}

/* ---- Checks -----------------------------------------------------------------------------------
 */

static swathe_status finish_add(void *user, const void *bytes, size_t size)
{
    return worker_hash_add(user, bytes, size);
}

static swathe_status hash_range(struct worker *worker, const char *url, int64_t offset,
                                int64_t size, char text[HASH_TEXT])
{
    struct worker_hash *hash;
    TRY(worker_hash_create(&hash));
    swathe_status status = mosaic_read(worker, url, offset, size, finish_add, hash);
    if (status == SWATHE_OK)
        status = worker_hash_finish(hash, text);
    worker_hash_destroy(hash);
    return status;
}

/* What a piece of the file must have: the checksum of the record, or of the object itself. */
static swathe_status finish_expected(struct worker *worker, const struct mosaic_index *index,
                                     int64_t piece, char text[HASH_TEXT])
{
    char name[STAGE_NAME], *url;
    if (piece > 0 && piece < index->pieces - 1) {
        struct stage_tiles tiles = {0};
        TRY(stage_get_tiles(worker->store, worker->set, piece - 1, &tiles));
        memcpy(text, tiles.bytes, HASH_TEXT);
        return SWATHE_OK;
    }
    mosaic_piece_name(index, piece, name);
    TRY(stage_url(worker->set, name, &url));
    swathe_status status =
        hash_range(worker, url, 0, index->starts[piece + 1] - index->starts[piece], text);
    free(url);
    return status;
}

static swathe_status check_piece(struct worker *worker, const struct mosaic_index *index,
                                 int64_t piece)
{
    char wanted[HASH_TEXT], found[HASH_TEXT];
    TRY(finish_expected(worker, index, piece, wanted));
    TRY(hash_range(worker, worker->set->to, index->starts[piece],
                   index->starts[piece + 1] - index->starts[piece], found));
    if (strcmp(wanted, found) == 0)
        return SWATHE_OK;
    return fleet_fail(SWATHE_ERROR_INTERNAL,
                      "%s: bytes %" PRId64 " to %" PRId64 " differ from what was written",
                      worker->set->to, index->starts[piece], index->starts[piece + 1] - 1);
}

/* Reads back the size, the file without its tiles, and the tiles of some jobs. */
static swathe_status check_file(struct worker *worker, const struct mosaic_index *index)
{
    struct store_info info;
    int64_t last = index->pieces - 1, before = 0;
    TRY(store_stat(worker->store, worker->set->to, &info));
    if (info.size != mosaic_total(index))
        return fleet_fail(SWATHE_ERROR_INTERNAL, "%s: has %" PRId64 " bytes instead of %" PRId64,
                          worker->set->to, info.size, mosaic_total(index));
    TRY(check_piece(worker, index, 0));
    for (int64_t i = 1; i <= CHECKED_PIECES; i++) {
        int64_t piece = last / CHECKED_PIECES * i + last % CHECKED_PIECES * i / CHECKED_PIECES;
        if (piece > before)
            TRY(check_piece(worker, index, piece));
        before = piece;
    }
    return SWATHE_OK;
}

/* ---- The job ----------------------------------------------------------------------------------
 */

/* True if an earlier attempt completed the file. */
static bool finish_is_done(struct worker *worker)
{
    const char *upload = worker->set->upload;
    void *bytes;
    size_t size;
    if (stage_get(worker->store, worker->set, STAGE_DONE, SET_URL_BYTES, &bytes, &size) !=
        SWATHE_OK)
        return false;
    bool same = size == strlen(upload) && memcmp(bytes, upload, size) == 0;
    free(bytes);
    return same;
}

static swathe_status fleet_finish(struct worker *worker, const struct held *held,
                                  const struct mosaic_index *index)
{
    const char *upload = worker->set->upload;
    TRY(finish_complete(worker, held, mosaic_total(index)));
    swathe_status status = check_file(worker, index);
    if (status == SWATHE_ERROR_INTERNAL) {
        store_delete(worker->store, worker->set->to); /* no file is better than a wrong one */
        return fleet_fail_within("the file was wrong and is deleted: ");
    }
    TRY(status);
    TRY(stage_put(worker->store, worker->set, STAGE_DONE, upload, strlen(upload)));
    return stage_sweep(worker->store, worker->set);
}

swathe_status mosaic_finish(struct worker *worker, const struct held *held)
{
    struct mosaic_index index;
    TRY(check_alone(worker, held));
    if (finish_is_done(worker))
        return stage_sweep(worker->store, worker->set);
    swathe_status status = mosaic_index_get(worker, &index);
    if (status == SWATHE_ERROR_IO && fleet_fail_number() == ENOENT)
        return mosaic_wait(worker, held, "the index");
    TRY(status);
    status = fleet_finish(worker, held, &index);
    mosaic_index_free(&index);
    return status;
}

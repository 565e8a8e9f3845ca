/* Jobs of parts: cuts parts of the file from the objects of the stage. */
#include "fail.h"
#include "mosaic/work.h"
#include "worker/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* S3 copies a part on its side if it is at least so large, and a range of one object. */
#define COPIED_BYTES ((int64_t)5 << 20)

struct assembly {
    struct worker *worker;
    struct mosaic_index index;
    int64_t part_bytes;
    char *bytes; /* of a part that is not copied; allocated at the first one */
    size_t used;
};

/* The piece that contains a byte of the file. */
static int64_t mosaic_part_piece_at(const struct mosaic_index *index, int64_t offset)
{
    int64_t low = 0, high = index->pieces;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (index->starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static swathe_status piece_url(const struct assembly *assembly, int64_t piece, char **url)
{
    char name[STAGE_NAME];
    mosaic_piece_name(&assembly->index, piece, name);
    return stage_url(assembly->worker->set, name, url);
}

static swathe_status append_bytes(void *user, const void *bytes, size_t size)
{
    struct assembly *assembly = user;
    memcpy(assembly->bytes + assembly->used, bytes, size);
    assembly->used += size;
    return SWATHE_OK;
}

/* Reads the bytes start..end of the file from the pieces that have them. */
static swathe_status mosaic_part_gather(struct assembly *assembly, int64_t start, int64_t end)
{
    const struct mosaic_index *index = &assembly->index;
    if (!assembly->bytes)
        TRY(fleet_allocate((size_t)assembly->part_bytes, 1, &assembly->bytes));
    assembly->used = 0;
    for (int64_t piece = mosaic_part_piece_at(index, start); start < end; piece++) {
        char *url;
        int64_t from = start - index->starts[piece];
        int64_t to = end < index->starts[piece + 1] ? end : index->starts[piece + 1];
        TRY(piece_url(assembly, piece, &url));
        swathe_status status =
            mosaic_read(assembly->worker, url, from, to - start, append_bytes, assembly);
        free(url);
        TRY(status);
        start = to;
    }
    return SWATHE_OK;
}

static swathe_status put_part(struct assembly *assembly, int64_t start, int64_t end,
                              struct store_part *part, char hash[HASH_TEXT])
{
    const struct set *set = assembly->worker->set;
    struct worker_hash *sum;
    TRY(mosaic_part_gather(assembly, start, end));
    TRY(worker_hash_create(&sum));
    swathe_status status = worker_hash_add(sum, assembly->bytes, assembly->used);
    if (status == SWATHE_OK)
        status = worker_hash_finish(sum, hash);
    worker_hash_destroy(sum);
    TRY(status);
    return store_parts_put(assembly->worker->store, set->to, set->upload, part->number, start,
                           assembly->bytes, assembly->used, part);
}

/* SWATHE_ERROR_UNSUPPORTED if the part is not suited, or the store cannot copy. */
static swathe_status mosaic_part_copy(struct assembly *assembly, int64_t start, int64_t end,
                                      struct store_part *part)
{
    const struct set *set = assembly->worker->set;
    const struct mosaic_index *index = &assembly->index;
    int64_t piece = mosaic_part_piece_at(index, start), from = index->starts[piece];
    char *url;
    if (end > index->starts[piece + 1] || end - start < COPIED_BYTES)
        return SWATHE_ERROR_UNSUPPORTED;
    TRY(piece_url(assembly, piece, &url));
    swathe_status status =
        store_parts_copy(assembly->worker->store, set->to, set->upload, part->number, start, url,
                         start - from, end - start, part);
    free(url);
    return status;
}

static swathe_status mosaic_part_make(struct assembly *assembly, int64_t number)
{
    struct worker *worker = assembly->worker;
    int64_t total = mosaic_total(&assembly->index), start = (number - 1) * assembly->part_bytes;
    int64_t end = total - start < assembly->part_bytes ? total : start + assembly->part_bytes;
    struct store_part part = {.number = (int32_t)number};
    char hash[HASH_TEXT] = "";
    swathe_status status = stage_get_part(worker->store, worker->set, number, end - start, &part);
    if (status == SWATHE_OK) /* an earlier attempt made it */
        return status;
    if (status != SWATHE_ERROR_IO || fleet_fail_number() != ENOENT)
        return status;
    status = mosaic_part_copy(assembly, start, end, &part);
    if (status == SWATHE_ERROR_UNSUPPORTED)
        status = put_part(assembly, start, end, &part, hash);
    TRY(status);
    return stage_put_part(worker->store, worker->set, &part, end - start, *hash ? hash : NULL);
}

/* Parts job->offset, + job->size, + 2 job->size, ...: neighbours are made by different workers. */
static swathe_status make_parts(struct assembly *assembly, const struct job *job)
{
    int64_t total = mosaic_total(&assembly->index);
    for (int64_t i = job->offset; i * assembly->part_bytes < total; i += job->size) {
        TRY(mosaic_part_make(assembly, i + 1));
        if (atomic_load(&assembly->worker->cancelled))
            return fleet_fail(SWATHE_ERROR_CANCELLED, "cancelled");
    }
    return SWATHE_OK;
}

swathe_status mosaic_part(struct worker *worker, const struct held *held)
{
    struct assembly assembly = {.worker = worker};
    swathe_status status = mosaic_index_get(worker, &assembly.index);
    if (status == SWATHE_ERROR_IO && fleet_fail_number() == ENOENT)
        return mosaic_wait(worker, held, "the index");
    TRY(status);
    assembly.part_bytes = mosaic_part_bytes(mosaic_total(&assembly.index));
    pthread_mutex_lock(&worker->assembly); /* one part in memory at a time */
    status = make_parts(&assembly, held->job);
    pthread_mutex_unlock(&worker->assembly);
    free(assembly.bytes);
    mosaic_index_free(&assembly.index);
    return status;
}

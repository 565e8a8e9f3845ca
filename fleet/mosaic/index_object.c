/* The object that tells where the pieces of the file start: a line, the SHA-256 of the upload's id,
 * and numbers of 8 bytes, little endian: that of the pieces, their starts, the size of the file. */
#include "fleet_fail.h"
#include "mosaic/work.h"
#include "worker/hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

swathe_status mosaic_index_put(struct worker *worker, const struct mosaic_index *index)
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

static swathe_status damaged(void)
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
            return damaged();
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
        status = damaged();
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

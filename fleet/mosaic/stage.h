/* Objects of a mosaic beside its target, TARGET.swathe-SET/, until the file is complete:
 *
 *   tiles-0000012       compressed tiles of job 12
 *   tiles-0000012.json  their sizes and checksums; written after them
 *   head, tail          the file before and after its tiles
 *   index               where each of these objects starts in the file; written after head and tail
 *   part-00003.json     part 3 of the file was uploaded
 *   failed/12           job 12 was given up
 *   done                the file is complete
 *
 * Every record names the upload, so that one of an earlier set of the same name is not used. */
#ifndef FLEET_MOSAIC_STAGE_H
#define FLEET_MOSAIC_STAGE_H

#include "set/set.h"
#include "store.h"

#define STAGE_INDEX "index"
#define STAGE_DONE  "done"
enum { STAGE_NAME = 48 };

void stage_tiles_name(int64_t job, char name[STAGE_NAME]);
void stage_part_name(int64_t part, char name[STAGE_NAME]);
/* The URL of an object; of the prefix if `name` is "". */
swathe_status stage_url(const struct set *set, const char *name, char **url);
swathe_status stage_put(struct store *store, const struct set *set, const char *name,
                        const void *bytes, size_t size);
/* ENOENT if there is none. Free with free(). */
swathe_status stage_get(struct store *store, const struct set *set, const char *name, int64_t most,
                        void **bytes, size_t *size);
/* ENOENT if there is none. */
swathe_status stage_size(struct store *store, const struct set *set, const char *name,
                         int64_t *size);
swathe_status stage_delete(struct store *store, const struct set *set, const char *name);

/* Counts the records of tiles. */
swathe_status stage_count_tiles(struct store *store, const struct set *set, int64_t *count);
/* Finds a job before `before` that was given up; *id is -1 if there is none. */
swathe_status stage_find_failed(struct store *store, const struct set *set, int64_t before,
                                int64_t *id);
swathe_status stage_mark_failed(struct store *store, const struct set *set, int64_t id,
                                const char *reason);
swathe_status stage_unmark_failed(struct store *store, const struct set *set, int64_t id);

/* Deletes all objects but "done". */
swathe_status stage_sweep(struct store *store, const struct set *set);
/* Deletes all objects, and what killed workers left of them. */
swathe_status stage_remove(struct store *store, const struct set *set);

/* A record of tiles. */
struct stage_tiles {
    int64_t first, count, size;
    char bytes[65]; /* SHA-256 in hexadecimal */
    int64_t *sizes; /* count * planes */
};
swathe_status stage_put_tiles(struct store *store, const struct set *set, int64_t job,
                              const struct stage_tiles *tiles);
/* Reads the record of a job and checks it. `sizes` of the result must have space, or be NULL.
 * ENOENT if there is none of this upload. */
swathe_status stage_get_tiles(struct store *store, const struct set *set, int64_t job,
                              struct stage_tiles *tiles);

swathe_status stage_put_part(struct store *store, const struct set *set,
                             const struct store_part *part, int64_t size, const char *hash);
/* ENOENT if there is none of this upload. */
swathe_status stage_get_part(struct store *store, const struct set *set, int64_t part, int64_t size,
                             struct store_part *made);

#endif

/* Jobs that failed, in a hash table by id. There are few of them. */
#include "fleet_fail.h"
#include "status/tally.h"

#include <stdlib.h>
#include <string.h>

static size_t slot(const struct tally *tally, int64_t id)
{
    size_t at = (size_t)((uint64_t)id * 0x9e3779b97f4a7c15u >> 20) & (tally->trouble_room - 1);
    while (tally->troubles[at] && tally->troubles[at]->id != id)
        at = (at + 1) & (tally->trouble_room - 1);
    return at;
}

/* At most half of the table is used. */
static bool grow(struct tally *tally)
{
    struct tally_trouble **old = tally->troubles, **table;
    size_t room = tally->trouble_room;
    if (2 * tally->trouble_count < room)
        return true;
    if (fleet_allocate(room ? 2 * room : 64, sizeof *table, &table) != SWATHE_OK)
        return false;
    tally->troubles = table;
    tally->trouble_room = room ? 2 * room : 64;
    for (size_t i = 0; i < room; i++)
        if (old[i])
            table[slot(tally, old[i]->id)] = old[i];
    free(old);
    return true;
}

const struct tally_trouble *tally_find_trouble(const struct tally *tally, int64_t id)
{
    return tally->trouble_room ? tally->troubles[slot(tally, id)] : NULL;
}

struct tally_trouble *tally_trouble_of(struct tally *tally, int64_t id, bool add)
{
    struct tally_trouble *made;
    if (tally->trouble_room && tally->troubles[slot(tally, id)])
        return tally->troubles[slot(tally, id)];
    if (!add || !grow(tally) || fleet_allocate(1, sizeof *made, &made) != SWATHE_OK)
        return NULL;
    made->id = id;
    made->seen = tally_has(tally, id) ? 0 : -1;          /* later ones would have made a trouble */
    made->named = tally_has(tally, id) ? JOB_IMAGES : 0; /* a first result has all */
    tally->troubles[slot(tally, id)] = made;
    tally->trouble_count++;
    return made;
}

static void drop(struct tally_trouble *trouble, int32_t at)
{
    free(trouble->failures[at].key);
    free(trouble->failures[at].error);
    trouble->failures[at] = trouble->failures[--trouble->count];
}

static swathe_status append(struct tally_trouble *trouble, const struct outcome_image *image)
{
    struct tally_failure made = {.status = image->status};
    if (trouble->count == trouble->room) {
        int32_t room = trouble->room ? 2 * trouble->room : 4;
        TRY(fleet_reallocate((size_t)room, sizeof made, &trouble->failures));
        trouble->room = room;
    }
    TRY(fleet_copy_text(image->key, &made.key));
    swathe_status status = fleet_copy_text(image->error, &made.error);
    if (status != SWATHE_OK) {
        free(made.key);
        return status;
    }
    trouble->failures[trouble->count++] = made;
    return SWATHE_OK;
}

swathe_status tally_trouble_image(struct tally_trouble *trouble, const struct outcome_image *image,
                                  int *grows)
{
    int32_t at = 0;
    while (at < trouble->count && strcmp(trouble->failures[at].key, image->key) != 0)
        at++;
    bool before = at < trouble->count, now = image->status != SWATHE_OK;
    *grows = (int)now - (int)before;
    if (before)
        drop(trouble, at);
    return now ? append(trouble, image) : SWATHE_OK;
}

void tally_troubles_free(struct tally *tally)
{
    for (size_t i = 0; i < tally->trouble_room; i++) {
        struct tally_trouble *trouble = tally->troubles[i];
        while (trouble && trouble->count > 0)
            drop(trouble, trouble->count - 1);
        if (trouble) {
            free(trouble->failures);
            free(trouble->reason);
            job_free(trouble->job);
        }
        free(trouble);
    }
    free(tally->troubles);
    tally->troubles = NULL;
    tally->trouble_room = tally->trouble_count = 0;
}

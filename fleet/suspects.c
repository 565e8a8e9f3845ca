#include "suspects.h"

#include "fleet_fail.h"

#include <stdlib.h>
#include <string.h>

static int order(const void *a, const void *b)
{
    const struct suspect *first = a, *second = b;
    int keys = strcmp(first->key, second->key);
    return keys ? keys : (first->id > second->id) - (first->id < second->id);
}

swathe_status suspects_add(struct suspects *suspects, int64_t id, const char *key)
{
    if (suspects->count == suspects->room) {
        size_t room = suspects->room ? 2 * suspects->room : 64;
        TRY(fleet_reallocate(room, sizeof *suspects->list, &suspects->list));
        suspects->room = room;
    }
    suspects->list[suspects->count++] = (struct suspect){.key = key, .id = id};
    return SWATHE_OK;
}

void suspects_sort(struct suspects *suspects)
{
    if (suspects->count > 0)
        qsort(suspects->list, suspects->count, sizeof *suspects->list, order);
}

/* Index of the first one that is not before the key and the number. */
static size_t lower_bound(const struct suspects *suspects, int64_t id, const char *key)
{
    const struct suspect wanted = {.key = key, .id = id};
    size_t first = 0, end = suspects->count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (order(&suspects->list[middle], &wanted) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

void suspects_see(struct suspects *suspects, const struct job *job)
{
    for (int32_t i = 0; i < job->count; i++)
        for (size_t at = lower_bound(suspects, 0, job->keys[i]);
             at < suspects->count && strcmp(suspects->list[at].key, job->keys[i]) == 0; at++) {
            suspects->list[at].known = true;
            suspects->list[at].own |= suspects->list[at].id == job->id;
        }
}

const struct suspect *suspects_find(const struct suspects *suspects, int64_t id, const char *key)
{
    size_t at = lower_bound(suspects, id, key);
    if (at == suspects->count || suspects->list[at].id != id ||
        strcmp(suspects->list[at].key, key) != 0)
        return NULL;
    return &suspects->list[at];
}

void suspects_free(struct suspects *suspects)
{
    free(suspects->list);
}

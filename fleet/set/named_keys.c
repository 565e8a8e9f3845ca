#include "set/named_keys.h"

#include "fleet_fail.h"

#include <stdlib.h>
#include <string.h>

static int order(const void *a, const void *b)
{
    const struct named_key *first = a, *second = b;
    int keys = strcmp(first->key, second->key);
    return keys ? keys : (first->id > second->id) - (first->id < second->id);
}

swathe_status named_keys_add(struct named_keys *keys, int64_t id, const char *key)
{
    if (keys->count == keys->room) {
        size_t room = keys->room ? 2 * keys->room : 64;
        TRY(fleet_reallocate(room, sizeof *keys->list, &keys->list));
        keys->room = room;
    }
    keys->list[keys->count++] = (struct named_key){.key = key, .id = id};
    return SWATHE_OK;
}

void named_keys_sort(struct named_keys *keys)
{
    if (keys->count > 0)
        qsort(keys->list, keys->count, sizeof *keys->list, order);
}

/* Index of the first one that is not before the key and the number. */
static size_t lower_bound(const struct named_keys *keys, int64_t id, const char *key)
{
    const struct named_key wanted = {.key = key, .id = id};
    size_t first = 0, end = keys->count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (order(&keys->list[middle], &wanted) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

void named_keys_see(struct named_keys *keys, const struct job *job)
{
    for (int32_t i = 0; i < job->count; i++)
        for (size_t at = lower_bound(keys, 0, job->keys[i]);
             at < keys->count && strcmp(keys->list[at].key, job->keys[i]) == 0; at++) {
            keys->list[at].known = true;
            keys->list[at].own |= keys->list[at].id == job->id;
        }
}

const struct named_key *named_keys_find(const struct named_keys *keys, int64_t id, const char *key)
{
    size_t at = lower_bound(keys, id, key);
    if (at == keys->count || keys->list[at].id != id || strcmp(keys->list[at].key, key) != 0)
        return NULL;
    return &keys->list[at];
}

void named_keys_free(struct named_keys *keys)
{
    free(keys->list);
}

#include "mosaic/stage.h"

#include "fleet_fail.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stage_tiles_name(int64_t job, char name[STAGE_NAME])
{
    snprintf(name, STAGE_NAME, "tiles-%07" PRId64, job);
}

void stage_part_name(int64_t part, char name[STAGE_NAME])
{
    snprintf(name, STAGE_NAME, "part-%05" PRId64 ".json", part);
}

swathe_status stage_url(const struct set *set, const char *name, char **url)
{
    return fleet_format(url, "%s.swathe-%s/%s", set->to, set->name, name);
}

swathe_status stage_put(struct store *store, const struct set *set, const char *name,
                        const void *bytes, size_t size)
{
    char *url;
    TRY(stage_url(set, name, &url));
    swathe_status status = store_put(store, url, bytes, size, STORE_REPLACE);
    free(url);
    return status;
}

swathe_status stage_get(struct store *store, const struct set *set, const char *name, int64_t most,
                        void **bytes, size_t *size)
{
    char *url;
    TRY(stage_url(set, name, &url));
    swathe_status status = store_get(store, url, most, bytes, size, NULL);
    free(url);
    return status;
}

swathe_status stage_size(struct store *store, const struct set *set, const char *name,
                         int64_t *size)
{
    char *url;
    struct store_info info;
    TRY(stage_url(set, name, &url));
    swathe_status status = store_stat(store, url, &info);
    free(url);
    if (status == SWATHE_OK)
        *size = info.size;
    return status;
}

swathe_status stage_delete(struct store *store, const struct set *set, const char *name)
{
    char *url;
    TRY(stage_url(set, name, &url));
    swathe_status status = store_delete(store, url);
    free(url);
    return status;
}

/* ---- Listings ---------------------------------------------------------------------------------
 */

/* Calls `visit` for each object below a name that is "" or ends in '/'. */
static swathe_status list(struct store *store, const struct set *set, const char *below,
                          swathe_status (*visit)(void *user, const struct store_entry *entry),
                          void *user)
{
    char *url;
    TRY(stage_url(set, below, &url));
    swathe_status status = store_list(store, url, NULL, visit, user);
    if (status == SWATHE_ERROR_IO && fleet_fail_number() == ENOENT)
        status = SWATHE_OK; /* a directory that does not exist is empty */
    free(url);
    return status;
}

static swathe_status count_tiles(void *user, const struct store_entry *entry)
{
    int64_t *count = user;
    size_t length = strlen(entry->key);
    *count += strncmp(entry->key, "tiles-", 6) == 0 && length > 5 &&
              strcmp(entry->key + length - 5, ".json") == 0;
    return SWATHE_OK;
}

swathe_status stage_count_tiles(struct store *store, const struct set *set, int64_t *count)
{
    *count = 0;
    return list(store, set, "", count_tiles, count);
}

struct failed {
    int64_t before, found;
};

static swathe_status find_failed(void *user, const struct store_entry *entry)
{
    struct failed *failed = user;
    char *end;
    long long id = strtoll(entry->key, &end, 10);
    if (*end == '\0' && id >= 0 && id < failed->before)
        failed->found = id;
    return SWATHE_OK;
}

swathe_status stage_find_failed(struct store *store, const struct set *set, int64_t before,
                                int64_t *id)
{
    struct failed failed = {before, -1};
    TRY(list(store, set, "failed/", find_failed, &failed));
    *id = failed.found;
    return SWATHE_OK;
}

static void failed_name(int64_t id, char name[STAGE_NAME])
{
    snprintf(name, STAGE_NAME, "failed/%" PRId64, id);
}

swathe_status stage_mark_failed(struct store *store, const struct set *set, int64_t id,
                                const char *reason)
{
    char name[STAGE_NAME];
    failed_name(id, name);
    return stage_put(store, set, name, reason, strlen(reason));
}

swathe_status stage_unmark_failed(struct store *store, const struct set *set, int64_t id)
{
    char name[STAGE_NAME];
    failed_name(id, name);
    return stage_delete(store, set, name);
}

struct sweep {
    struct store *store;
    const struct set *set;
};

static swathe_status sweep(void *user, const struct store_entry *entry)
{
    const struct sweep *own = user;
    return strcmp(entry->key, STAGE_DONE) == 0 ? SWATHE_OK
                                               : stage_delete(own->store, own->set, entry->key);
}

swathe_status stage_sweep(struct store *store, const struct set *set)
{
    struct sweep own = {store, set};
    return list(store, set, "", sweep, &own);
}

swathe_status stage_remove(struct store *store, const struct set *set)
{
    char *url;
    TRY(stage_url(set, "", &url));
    swathe_status status = store_delete_below(store, url);
    free(url);
    return status;
}

#include "mosaic/mosaic.h"

#include "fail.h"
#include "fields.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stage_tiles_name(int64_t job, char name[STAGE_NAME])
{
    snprintf(name, STAGE_NAME, "tiles-%07" PRId64, job);
}

static void part_name(int64_t part, char name[STAGE_NAME])
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

static swathe_status delete_object(struct store *store, const struct set *set, const char *name)
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
static swathe_status
mosaic_stage_list(struct store *store, const struct set *set, const char *below,
                  swathe_status (*visit)(void *user, const struct store_entry *entry), void *user)
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
    return mosaic_stage_list(store, set, "", count_tiles, count);
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
    TRY(mosaic_stage_list(store, set, "failed/", find_failed, &failed));
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
    return delete_object(store, set, name);
}

struct sweep {
    struct store *store;
    const struct set *set;
};

static swathe_status mosaic_stage_sweep(void *user, const struct store_entry *entry)
{
    const struct sweep *own = user;
    return strcmp(entry->key, STAGE_DONE) == 0 ? SWATHE_OK
                                               : delete_object(own->store, own->set, entry->key);
}

swathe_status stage_sweep(struct store *store, const struct set *set)
{
    struct sweep own = {store, set};
    return mosaic_stage_list(store, set, "", mosaic_stage_sweep, &own);
}

swathe_status stage_remove(struct store *store, const struct set *set)
{
    char *url;
    TRY(stage_url(set, "", &url));
    swathe_status status = store_delete_below(store, url);
    free(url);
    return status;
}

/* ---- Records ----------------------------------------------------------------------------------
 */

/* Records of tiles and of parts. Whoever can write to the store can change them, so they are
 * checked. */

static swathe_status mosaic_stage_put(struct store *store, const struct set *set, const char *name,
                                      json_t *object)
{
    char *json;
    size_t size;
    TRY(fields_write(object, MESSAGE_BYTES, "record of a mosaic", &json, &size));
    swathe_status status = stage_put(store, set, name, json, size);
    free(json);
    return status;
}

/* Opens a record of this upload; one of another upload does not count. */
static swathe_status open_record(struct store *store, const struct set *set, const char *name,
                                 struct fields *fields)
{
    void *json;
    size_t size;
    TRY(stage_get(store, set, name, MESSAGE_BYTES, &json, &size));
    swathe_status status = fields_open(json, size, MESSAGE_BYTES, "record of a mosaic", fields);
    free(json);
    TRY(status);
    const char *upload = fields_text(fields, "upload", SET_URL_BYTES);
    status = fields->status;
    if (status == SWATHE_OK && strcmp(upload, set->upload) != 0)
        status = fleet_fail_system(SWATHE_ERROR_IO, ENOENT, "%s: is of another upload", name);
    if (status != SWATHE_OK)
        fields_close(fields);
    return status;
}

/* ---- Tiles ------------------------------------------------------------------------------------
 */

static void record_name(int64_t job, char name[STAGE_NAME + 8])
{
    char base[STAGE_NAME];
    stage_tiles_name(job, base);
    snprintf(name, STAGE_NAME + 8, "%s.json", base);
}

swathe_status stage_put_tiles(struct store *store, const struct set *set, int64_t job,
                              const struct stage_tiles *tiles)
{
    char name[STAGE_NAME + 8];
    json_t *sizes = json_array();
    for (int64_t i = 0; i < tiles->count * set->planes; i++)
        if (json_array_append_new(sizes, json_integer(tiles->sizes[i])) != 0) {
            json_decref(sizes);
            return fleet_fail(SWATHE_ERROR_MEMORY, "no memory for a record of a mosaic");
        }
    record_name(job, name);
    return mosaic_stage_put(store, set, name,
                            json_pack("{s:i, s:s, s:I, s:I, s:I, s:s, s:o}", "v", 1, "upload",
                                      set->upload, "first", (json_int_t)tiles->first, "count",
                                      (json_int_t)tiles->count, "size", (json_int_t)tiles->size,
                                      "bytes", tiles->bytes, "sizes", sizes));
}

static void take_sizes(struct fields *fields, int64_t count, struct stage_tiles *tiles)
{
    json_t *array = fields_array(fields, "sizes", MESSAGE_BYTES), *value;
    int64_t sum = 0;
    size_t i;
    if (fields->status != SWATHE_OK)
        return;
    if ((int64_t)json_array_size(array) != count)
        fields_fail(fields, "sizes", "has another number of tiles");
    json_array_foreach(array, i, value)
    {
        int64_t size = json_integer_value(value);
        if (fields->status != SWATHE_OK || size < 1 || size > tiles->size - sum) {
            fields_fail(fields, "sizes", "does not have the sum of 'size'");
            return;
        }
        sum += size;
        if (tiles->sizes)
            tiles->sizes[i] = size;
    }
    if (sum != tiles->size)
        fields_fail(fields, "sizes", "does not have the sum of 'size'");
}

swathe_status stage_get_tiles(struct store *store, const struct set *set, int64_t job,
                              struct stage_tiles *tiles)
{
    struct fields fields;
    struct job own;
    char name[STAGE_NAME + 8];
    record_name(job, name);
    mosaic_job(set, job, &own);
    TRY(open_record(store, set, name, &fields));
    tiles->first = fields_integer(&fields, "first", own.offset, own.offset);
    tiles->count = fields_integer(&fields, "count", own.size, own.size);
    tiles->size = fields_integer(&fields, "size", 1, FIELDS_LARGEST);
    fields_hash(&fields, "bytes", tiles->bytes);
    take_sizes(&fields, own.size * set->planes, tiles);
    swathe_status status = fields_end(&fields);
    fields_close(&fields);
    return status == SWATHE_OK ? status : fleet_fail_within("%s: ", name);
}

/* ---- Parts ------------------------------------------------------------------------------------
 */

swathe_status stage_put_part(struct store *store, const struct set *set,
                             const struct store_part *part, int64_t size, const char *hash)
{
    char name[STAGE_NAME];
    part_name(part->number, name);
    return mosaic_stage_put(store, set, name,
                            json_pack("{s:i, s:s, s:i, s:I, s:s, s:s?}", "v", 1, "upload",
                                      set->upload, "number", (int)part->number, "size",
                                      (json_int_t)size, "etag", part->etag, "bytes", hash));
}

swathe_status stage_get_part(struct store *store, const struct set *set, int64_t part, int64_t size,
                             struct store_part *made)
{
    struct fields fields;
    char name[STAGE_NAME], hash[FIELDS_HASH_DIGITS + 1];
    part_name(part, name);
    TRY(open_record(store, set, name, &fields));
    made->number = (int32_t)fields_integer(&fields, "number", part, part);
    fields_integer(&fields, "size", size, size);
    fields_copy(&fields, "etag", made->etag, sizeof made->etag - 1);
    if (!fields_null(&fields, "bytes"))
        fields_hash(&fields, "bytes", hash);
    swathe_status status = fields_end(&fields);
    fields_close(&fields);
    return status == SWATHE_OK ? status : fleet_fail_within("%s: ", name);
}

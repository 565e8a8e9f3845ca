/* Records of tiles and of parts. Whoever can write to the store can change them, so they are
 * checked. */
#include "fields.h"
#include "fleet_fail.h"
#include "mosaic/layout.h"
#include "mosaic/stage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t LARGEST = INT64_C(1) << 53;

static swathe_status put(struct store *store, const struct set *set, const char *name,
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
    return put(store, set, name,
               json_pack("{s:i, s:s, s:I, s:I, s:I, s:s, s:o}", "v", 1, "upload", set->upload,
                         "first", (json_int_t)tiles->first, "count", (json_int_t)tiles->count,
                         "size", (json_int_t)tiles->size, "bytes", tiles->bytes, "sizes", sizes));
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
    tiles->size = fields_integer(&fields, "size", 1, LARGEST);
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
    stage_part_name(part->number, name);
    return put(store, set, name,
               json_pack("{s:i, s:s, s:i, s:I, s:s, s:s?}", "v", 1, "upload", set->upload, "number",
                         (int)part->number, "size", (json_int_t)size, "etag", part->etag, "bytes",
                         hash));
}

swathe_status stage_get_part(struct store *store, const struct set *set, int64_t part, int64_t size,
                             struct store_part *made)
{
    struct fields fields;
    char name[STAGE_NAME], hash[FIELDS_HASH_DIGITS + 1];
    stage_part_name(part, name);
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

#include "fields.h"
#include "fleet_fail.h"
#include "set/job_message.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT_ERROR = 60 };
static const int64_t LARGEST = INT64_C(1) << 53;

/* The key is appended to the outcome's memory of keys, which has room for all of them. */
static swathe_status take_image(json_t *object, struct outcome_image *image, char **keys)
{
    struct fields fields;
    fields_inner(&fields, object, "image of a result");
    const char *key = fields_text(&fields, "key", KEY_BYTES);
    if (!key_is_safe(key))
        fields_fail(&fields, "key", "is not a safe key");
    if (fields_has(&fields, "status")) {
        image->status = (swathe_status)fields_integer(&fields, "status", SWATHE_ERROR_ARGUMENT,
                                                      SWATHE_ERROR_INTERNAL);
        fields_copy(&fields, "error", image->error, OUTCOME_ERROR_BYTES);
    } else {
        fields_hash(&fields, "samples", image->samples);
        fields_hash(&fields, "bytes", image->bytes);
        image->size = fields_integer(&fields, "size", 0, LARGEST);
    }
    TRY(fields_end(&fields));
    memcpy(*keys, key, strlen(key) + 1);
    image->key = *keys;
    *keys += strlen(key) + 1;
    return SWATHE_OK;
}

static void take_images(struct fields *fields, struct outcome *outcome)
{
    json_t *array = fields_array(fields, "images", JOB_IMAGES);
    size_t count = fields->status == SWATHE_OK ? json_array_size(array) : 0, bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += json_string_length(json_object_get(json_array_get(array, i), "key")) + 1;
    if (fields->status != SWATHE_OK)
        return;
    fields->status = fleet_allocate(count, sizeof *outcome->images, &outcome->images);
    if (fields->status == SWATHE_OK)
        fields->status = fleet_allocate(bytes, 1, &outcome->keys);
    char *keys = outcome->keys;
    for (size_t i = 0; fields->status == SWATHE_OK && i < count; i++)
        fields->status = take_image(json_array_get(array, i), &outcome->images[i], &keys);
    outcome->count = (int32_t)count;
}

static void take_result(struct fields *fields, struct outcome *outcome)
{
    outcome->id = fields_integer(fields, "id", 0, LARGEST);
    int kind = job_kind_named(fields_text(fields, "kind", NAME_BYTES));
    if (kind < 0)
        fields_fail(fields, "kind", "is unknown");
    outcome->kind = kind < 0 ? JOB_FINISH : (enum job_kind)kind;
    outcome->seconds = fields_number(fields, "seconds", 1e9);
    take_images(fields, outcome);
}

static void take_dead(struct fields *fields, struct outcome *outcome)
{
    outcome->id = fields_null(fields, "id") ? -1 : fields_integer(fields, "id", 0, LARGEST);
    fields_copy(fields, "reason", outcome->reason, OUTCOME_REASON_BYTES);
    if (!outcome->reason[0])
        fields_fail(fields, "reason", "is empty");
    json_t *job = fields_null(fields, "job") ? NULL : fields_object(fields, "job");
    if (!job || fields->status != SWATHE_OK)
        return;
    fields->status = job_unpack(job, &outcome->job);
    if (outcome->job &&
        (outcome->job->id != outcome->id || strcmp(outcome->job->set, outcome->set) != 0))
        fields_fail(fields, "job", "is another job");
}

swathe_status outcome_parse(const char *json, size_t size, struct outcome **outcome)
{
    struct fields fields;
    struct outcome *made;
    TRY(fields_open(json, size, OUTCOME_BYTES, "result", &fields));
    swathe_status status = fleet_allocate(1, sizeof *made, &made);
    if (status != SWATHE_OK) {
        fields_close(&fields);
        return status;
    }
    fields_identity(&fields, "set", made->set);
    fields_name(&fields, "worker", made->worker);
    made->generation = fields_integer(&fields, "generation", 0, INT32_MAX);
    made->attempt = fields_integer(&fields, "attempt", 1, INT32_MAX);
    if (fields_has(&fields, "reason"))
        take_dead(&fields, made);
    else
        take_result(&fields, made);
    status = fields_end(&fields);
    fields_close(&fields);
    if (status != SWATHE_OK)
        outcome_free(made);
    else
        *outcome = made;
    return status;
}

void outcome_free(struct outcome *outcome)
{
    if (!outcome)
        return;
    free(outcome->images);
    free(outcome->keys);
    job_free(outcome->job);
    free(outcome);
}

/* Text of at most `most` bytes, with '?' for control characters and, if it is not UTF-8, for all
 * other bytes above ASCII. */
static json_t *plain_string(const char *text, size_t most)
{
    char plain[OUTCOME_REASON_BYTES + 1];
    size_t size = 0;
    for (; text[size] && size < most; size++)
        plain[size] = (unsigned char)text[size] < ' ' || text[size] == 0x7f ? '?' : text[size];
    plain[size] = '\0';
    json_t *string = json_string(plain);
    for (size_t i = 0; !string && i < size; i++)
        if ((unsigned char)plain[i] >= 0x80)
            plain[i] = '?';
    return string ? string : json_string(plain);
}

static json_t *pack_image(const struct outcome_image *image, size_t most)
{
    if (image->status != SWATHE_OK)
        return json_pack("{s:s, s:i, s:o}", "key", image->key, "status", (int)image->status,
                         "error", plain_string(image->error, most));
    return json_pack("{s:s, s:s, s:s, s:I}", "key", image->key, "samples", image->samples, "bytes",
                     image->bytes, "size", (json_int_t)image->size);
}

static json_t *pack(const struct outcome *outcome, size_t most)
{
    json_t *id = outcome->id < 0 ? json_null() : json_integer(outcome->id);
    json_t *object =
        json_pack("{s:i, s:s, s:o, s:s, s:I, s:I}", "v", 1, "set", outcome->set, "id", id, "worker",
                  outcome->worker, "generation", (json_int_t)outcome->generation, "attempt",
                  (json_int_t)outcome->attempt);
    if (outcome->reason[0]) {
        json_object_set_new(object, "reason", plain_string(outcome->reason, OUTCOME_REASON_BYTES));
        json_object_set_new(object, "job", outcome->job ? job_pack(outcome->job) : json_null());
        return object;
    }
    json_t *images = json_array();
    json_object_set_new(object, "kind", json_string(job_kind_name(outcome->kind)));
    json_object_set_new(object, "seconds", json_real(outcome->seconds));
    json_object_set_new(object, "images", images);
    for (int32_t i = 0; i < outcome->count; i++)
        if (json_array_append_new(images, pack_image(&outcome->images[i], most)) != 0) {
            json_decref(object);
            return NULL;
        }
    return object;
}

swathe_status outcome_format(const struct outcome *outcome, char **json, size_t *size)
{
    swathe_status status =
        fields_write(pack(outcome, OUTCOME_ERROR_BYTES), OUTCOME_BYTES, "result", json, size);
    if (status == SWATHE_ERROR_LIMIT)
        status = fields_write(pack(outcome, SHORT_ERROR), OUTCOME_BYTES, "result", json, size);
    return status;
}

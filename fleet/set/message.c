/* Jobs, results and dead letters as JSON. */
#include "set/message.h"
#include "fail.h"
#include "fields.h"

#include <stdlib.h>
#include <string.h>

enum { EXCLUDED = 64 };

static const char *const kinds[] = {
    [JOB_IMAGES_KEYS] = "images", [JOB_MANIFEST] = "manifest", [JOB_AUDIT] = "audit",
    [JOB_TILES] = "tiles",        [JOB_INDEX] = "index",       [JOB_PART] = "part",
    [JOB_FINISH] = "finish",
};

const char *job_kind_name(enum job_kind kind)
{
    return kinds[kind];
}

/* -1 if there is no such kind. */
static int set_message_find_kind(const char *name)
{
    for (int i = 0; i < (int)(sizeof kinds / sizeof *kinds); i++)
        if (strcmp(kinds[i], name) == 0)
            return i;
    return -1;
}

/* The length of the name at the start of a text; 0: there is none. */
static size_t name_length(const char *text)
{
    size_t length =
        strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
    return length <= NAME_BYTES ? length : 0;
}

bool name_is_safe(const char *name)
{
    size_t length = name_length(name);
    return length > 0 && name[length] == '\0';
}

bool instance_is_safe(const char *text)
{
    return strspn(text, "0123456789abcdef") == INSTANCE_DIGITS && text[INSTANCE_DIGITS] == '\0';
}

bool identity_is_safe(const char *text)
{
    size_t length = name_length(text);
    return length > 0 && text[length] == '.' && instance_is_safe(text + length + 1);
}

bool key_is_safe(const char *key)
{
    if (!*key || strlen(key) > KEY_BYTES)
        return false;
    for (const char *c = key; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return false;
    for (const char *segment = key;; segment++) {
        size_t length = strcspn(segment, "/");
        if (length == 0 || (length <= 2 && strspn(segment, ".") == length))
            return false;
        segment += length;
        if (!*segment)
            return true;
    }
}

/* Texts of an array into an array of pointers. `good` decides on each. */
static void take_texts(struct fields *fields, const char *name, json_t *array,
                       bool (*good)(const char *text), int32_t *count, char ***texts)
{
    size_t size = fields->status == SWATHE_OK ? json_array_size(array) : 0;
    if (size == 0)
        return;
    fields->status = fleet_allocate(size, sizeof **texts, texts);
    for (size_t i = 0; fields->status == SWATHE_OK && i < size; i++) {
        json_t *text = json_array_get(array, i);
        if (!text_is_plain(text, KEY_BYTES) || !good(json_string_value(text)))
            fields_fail(fields, name, "has an entry that is not a safe name");
        else
            fields->status = fleet_copy_text(json_string_value(text), &(*texts)[(*count)++]);
    }
}

static void take_audit(struct fields *fields, struct job *job)
{
    job->of = fields_integer(fields, "of", 0, FIELDS_LARGEST);
    json_t *key = json_pack("[s]", fields_text(fields, "key", KEY_BYTES));
    take_texts(fields, "key", key, key_is_safe, &job->count, &job->keys);
    json_decref(key);
    json_t *excluded = fields_array(fields, "not", EXCLUDED);
    take_texts(fields, "not", excluded, name_is_safe, &job->excluded_count, &job->excluded);
}

static void take_kind(struct fields *fields, struct job *job)
{
    if (job->kind == JOB_IMAGES_KEYS) {
        json_t *keys = fields_array(fields, "keys", JOB_IMAGES);
        take_texts(fields, "keys", keys, key_is_safe, &job->count, &job->keys);
        if (job->count == 0)
            fields_fail(fields, "keys", "is empty");
    } else if (job->kind == JOB_AUDIT) {
        take_audit(fields, job);
    } else if (job->kind != JOB_FINISH && job->kind != JOB_INDEX) {
        job->offset = fields_integer(fields, "offset", 0, FIELDS_LARGEST);
        job->size = fields_integer(fields, "size", 1, FIELDS_LARGEST);
    }
}

/* Reads a job whose version was read. */
static swathe_status take_job(struct fields *fields, struct job **job)
{
    struct job *made;
    TRY(fleet_allocate(1, sizeof *made, &made));
    fields_identity(fields, "set", made->set);
    made->id = fields_integer(fields, "id", 0, FIELDS_LARGEST);
    made->generation = fields_integer(fields, "generation", 0, INT32_MAX);
    int kind = set_message_find_kind(fields_text(fields, "kind", NAME_BYTES));
    if (kind < 0)
        fields_fail(fields, "kind", "is unknown");
    made->kind = kind < 0 ? JOB_FINISH : (enum job_kind)kind;
    take_kind(fields, made);
    swathe_status status = fields_end(fields);
    if (status != SWATHE_OK)
        job_free(made);
    else
        *job = made;
    return status;
}

swathe_status job_parse(const char *json, size_t size, struct job **job)
{
    struct fields fields;
    TRY(fields_open(json, size, MESSAGE_BYTES, "job", &fields));
    swathe_status status = take_job(&fields, job);
    fields_close(&fields);
    return status;
}

static swathe_status unpack_job(json_t *object, struct job **job)
{
    struct fields fields;
    fields_inner(&fields, object, "job");
    fields_integer(&fields, "v", 1, 1);
    TRY(fields.status);
    return take_job(&fields, job);
}

static json_t *pack_texts(char *const *texts, int32_t count)
{
    json_t *array = json_array();
    for (int32_t i = 0; i < count; i++)
        if (json_array_append_new(array, json_string(texts[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

/* A job as an object, for messages that contain one. NULL if it cannot be packed. */
static json_t *pack_job(const struct job *job)
{
    json_t *object =
        json_pack("{s:i, s:s, s:I, s:I, s:s}", "v", 1, "set", job->set, "id", (json_int_t)job->id,
                  "generation", (json_int_t)job->generation, "kind", kinds[job->kind]);
    int failed = object == NULL;
    if (job->kind == JOB_IMAGES_KEYS) {
        failed |= json_object_set_new(object, "keys", pack_texts(job->keys, job->count));
    } else if (job->kind == JOB_AUDIT) {
        failed |= json_object_set_new(object, "of", json_integer(job->of));
        failed |= json_object_set_new(object, "key", json_string(job->keys[0]));
        failed |=
            json_object_set_new(object, "not", pack_texts(job->excluded, job->excluded_count));
    } else if (job->kind != JOB_FINISH && job->kind != JOB_INDEX) {
        failed |= json_object_set_new(object, "offset", json_integer(job->offset));
        failed |= json_object_set_new(object, "size", json_integer(job->size));
    }
    if (failed) {
        json_decref(object);
        object = NULL;
    }
    return object;
}

swathe_status job_format(const struct job *job, char **json, size_t *size)
{
    return fields_write(pack_job(job), MESSAGE_BYTES, "job", json, size);
}

static void free_texts(char **texts, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

void job_free(struct job *job)
{
    if (!job)
        return;
    free_texts(job->keys, job->count);
    free_texts(job->excluded, job->excluded_count);
    free(job);
}

/* ---- Results and dead letters -----------------------------------------------------------------
 */

enum { SHORT_ERROR = 60 };

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
        image->size = fields_integer(&fields, "size", 0, FIELDS_LARGEST);
    }
    TRY(fields_end(&fields));
    memcpy(*keys, key, strlen(key) + 1);
    image->key = *keys;
    *keys += strlen(key) + 1;
    return SWATHE_OK;
}

static void set_message_take_images(struct fields *fields, struct outcome *outcome)
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
    outcome->id = fields_integer(fields, "id", 0, FIELDS_LARGEST);
    int kind = set_message_find_kind(fields_text(fields, "kind", NAME_BYTES));
    if (kind < 0)
        fields_fail(fields, "kind", "is unknown");
    outcome->kind = kind < 0 ? JOB_FINISH : (enum job_kind)kind;
    outcome->seconds = fields_number(fields, "seconds", 1e9);
    set_message_take_images(fields, outcome);
}

static void take_dead(struct fields *fields, struct outcome *outcome)
{
    outcome->id = fields_null(fields, "id") ? -1 : fields_integer(fields, "id", 0, FIELDS_LARGEST);
    fields_copy(fields, "reason", outcome->reason, OUTCOME_REASON_BYTES);
    if (!outcome->reason[0])
        fields_fail(fields, "reason", "is empty");
    json_t *job = fields_null(fields, "job") ? NULL : fields_object(fields, "job");
    if (!job || fields->status != SWATHE_OK)
        return;
    fields->status = unpack_job(job, &outcome->job);
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

static json_t *set_message_pack(const struct outcome *outcome, size_t most)
{
    json_t *id = outcome->id < 0 ? json_null() : json_integer(outcome->id);
    json_t *object =
        json_pack("{s:i, s:s, s:o, s:s, s:I, s:I}", "v", 1, "set", outcome->set, "id", id, "worker",
                  outcome->worker, "generation", (json_int_t)outcome->generation, "attempt",
                  (json_int_t)outcome->attempt);
    if (outcome->reason[0]) {
        json_object_set_new(object, "reason", plain_string(outcome->reason, OUTCOME_REASON_BYTES));
        json_object_set_new(object, "job", outcome->job ? pack_job(outcome->job) : json_null());
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
    swathe_status status = fields_write(set_message_pack(outcome, OUTCOME_ERROR_BYTES),
                                        OUTCOME_BYTES, "result", json, size);
    if (status == SWATHE_ERROR_LIMIT)
        status = fields_write(set_message_pack(outcome, SHORT_ERROR), OUTCOME_BYTES, "result", json,
                              size);
    return status;
}

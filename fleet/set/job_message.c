#include "set/job_message.h"

#include "fields.h"
#include "fleet_fail.h"

#include <stdlib.h>
#include <string.h>

enum { EXCLUDED = 64 };
static const int64_t LARGEST = INT64_C(1) << 53; /* exact in every JSON parser */

static const char *const kinds[] = {
    [JOB_IMAGES_KEYS] = "images", [JOB_MANIFEST] = "manifest", [JOB_AUDIT] = "audit",
    [JOB_TILES] = "tiles",        [JOB_INDEX] = "index",       [JOB_PART] = "part",
    [JOB_FINISH] = "finish",
};

const char *job_kind_name(enum job_kind kind)
{
    return kinds[kind];
}

int job_kind_named(const char *name)
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
    job->of = fields_integer(fields, "of", 0, LARGEST);
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
        job->offset = fields_integer(fields, "offset", 0, LARGEST);
        job->size = fields_integer(fields, "size", 1, LARGEST);
    }
}

/* Reads a job whose version was read. */
static swathe_status take_job(struct fields *fields, struct job **job)
{
    struct job *made;
    TRY(fleet_allocate(1, sizeof *made, &made));
    fields_identity(fields, "set", made->set);
    made->id = fields_integer(fields, "id", 0, LARGEST);
    made->generation = fields_integer(fields, "generation", 0, INT32_MAX);
    int kind = job_kind_named(fields_text(fields, "kind", NAME_BYTES));
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

swathe_status job_unpack(json_t *object, struct job **job)
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

json_t *job_pack(const struct job *job)
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
    return fields_write(job_pack(job), MESSAGE_BYTES, "job", json, size);
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

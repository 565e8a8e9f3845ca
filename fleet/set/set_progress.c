#include "set/set_progress.h"

#include "fields.h"
#include "fleet_fail.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_DIGITS = 16 };
static const int64_t LARGEST = INT64_C(1) << 53;
static const char *const states[] = {
    [SET_ACTIVE] = "active", [SET_DRAINING] = "draining", [SET_CANCELLED] = "cancelled"};

swathe_status set_progress_parse(const char *json, struct set_progress *progress)
{
    struct fields fields;
    struct set_progress made = {0};
    TRY(fields_open(json, strlen(json), MESSAGE_BYTES, "progress of a set", &fields));
    made.jobs = fields_integer(&fields, "jobs", 0, LARGEST);
    made.images = fields_integer(&fields, "images", 0, LARGEST);
    made.complete = fields_bool(&fields, "complete");
    made.promised = fields_integer(&fields, "promised", 0, LARGEST);
    made.hash = strtoull(fields_text(&fields, "hash", HASH_DIGITS), NULL, 16);
    made.promised_hash = strtoull(fields_text(&fields, "promised_hash", HASH_DIGITS), NULL, 16);
    fields_duplicate(&fields, "last", KEY_BYTES, false, &made.last);
    swathe_status status = fields_end(&fields);
    fields_close(&fields);
    if (status != SWATHE_OK)
        free(made.last);
    else
        *progress = made;
    return status;
}

swathe_status set_progress_format(const struct set_progress *progress, char **json)
{
    char hash[HASH_DIGITS + 1], promised[HASH_DIGITS + 1];
    snprintf(hash, sizeof hash, "%016" PRIx64, progress->hash);
    snprintf(promised, sizeof promised, "%016" PRIx64, progress->promised_hash);
    json_t *object =
        json_pack("{s:i, s:I, s:I, s:s, s:b, s:s, s:I, s:s}", "v", 1, "jobs",
                  (json_int_t)progress->jobs, "images", (json_int_t)progress->images, "last",
                  progress->last ? progress->last : "", "complete", (int)progress->complete, "hash",
                  hash, "promised", (json_int_t)progress->promised, "promised_hash", promised);
    return fields_write(object, MESSAGE_BYTES, "progress of a set", json, NULL);
}

void set_progress_free(struct set_progress *progress)
{
    free(progress->last);
    *progress = (struct set_progress){0};
}

const char *set_state_name(enum set_state state)
{
    return states[state];
}

swathe_status set_state_parse(const char *name, enum set_state *state)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(states[i], *name ? name : states[SET_ACTIVE]) == 0) {
            *state = (enum set_state)i;
            return SWATHE_OK;
        }
    return fleet_fail(SWATHE_ERROR_INPUT, "state of a set: '%.64s' is unknown", name);
}

swathe_status set_retry_parse(const char *json, size_t size, const char *set,
                              struct set_retry *retry)
{
    struct fields fields;
    struct set_retry found = {0};
    char identity[IDENTITY_BYTES + 1];
    TRY(fields_open(json, size, MESSAGE_BYTES, "mark of a retry", &fields));
    fields_identity(&fields, "set", identity);
    if (strcmp(identity, set) != 0)
        fields_fail(&fields, "set", "is another one");
    found.id = fields_integer(&fields, "id", 0, LARGEST);
    found.generation = fields_integer(&fields, "generation", 1, INT32_MAX);
    if (fields_has(&fields, "repairs"))
        found.repairs = fields_integer(&fields, "repairs", 1, LARGEST);
    swathe_status status = fields_end(&fields);
    fields_close(&fields);
    if (status == SWATHE_OK)
        *retry = found;
    return status;
}

swathe_status set_retry_format(const char *set, const struct set_retry *retry, char **json,
                               size_t *size)
{
    json_t *object = json_pack("{s:i, s:s, s:I, s:I}", "v", 1, "set", set, "id",
                               (json_int_t)retry->id, "generation", (json_int_t)retry->generation);
    if (retry->repairs > 0)
        json_object_set_new(object, "repairs", json_integer(retry->repairs));
    return fields_write(object, MESSAGE_BYTES, "mark of a retry", json, size);
}

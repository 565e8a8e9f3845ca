#include "fields.h"

#include "fail.h"
#include "set/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory -----------------------------------------------------------------------------------
 */

/* Jansson does not report every failed allocation: it can write a text without a part, or take a
 * valid one for a syntax error. */
static _Thread_local bool lacked_memory;

static void *fleet_fields_allocate(size_t size)
{
    void *block = malloc(size);
    if (!block)
        lacked_memory = true;
    return block;
}

__attribute__((constructor)) static void watch_allocations(void)
{
    json_set_alloc_funcs(fleet_fields_allocate, free);
}

bool fields_lacked_memory(void)
{
    bool lacked = lacked_memory;
    lacked_memory = false;
    return lacked;
}

static swathe_status fail_memory(const char *what)
{
    return fleet_fail(SWATHE_ERROR_MEMORY, "no memory for the %s", what);
}

/* ---- Reading ----------------------------------------------------------------------------------
 */

swathe_status fields_open(const char *json, size_t size, size_t most, const char *what,
                          struct fields *fields)
{
    json_error_t error;
    *fields = (struct fields){.what = what};
    if (size > most)
        return fleet_fail(SWATHE_ERROR_LIMIT, "the %s has %zu bytes; the limit is %zu", what, size,
                          most);
    fields_lacked_memory(); /* of something before */
    fields->object = json_loadb(json, size, JSON_REJECT_DUPLICATES, &error);
    if (!fields->object && fields_lacked_memory())
        return fail_memory(what);
    if (!fields->object)
        return fleet_fail(SWATHE_ERROR_INPUT, "the %s is not valid JSON: %s (byte %d)", what,
                          error.text, error.position);
    if (!json_is_object(fields->object))
        fields_fail(fields, "message", "is not an object");
    else
        fields_integer(fields, "v", 1, 1);
    if (fields->status != SWATHE_OK)
        fields_close(fields);
    return fields->status;
}

void fields_inner(struct fields *fields, json_t *object, const char *what)
{
    *fields = (struct fields){.object = object, .what = what};
    if (!json_is_object(object))
        fields_fail(fields, "entry", "is not an object");
}

swathe_status fields_end(struct fields *fields)
{
    if (fields->status == SWATHE_OK && json_object_size(fields->object) != fields->used)
        fields_fail(fields, "message", "has unknown fields");
    if (fields_lacked_memory())
        fields->status = fail_memory(fields->what);
    return fields->status;
}

void fields_close(struct fields *fields)
{
    json_decref(fields->object);
    fields->object = NULL;
}

void fields_fail(struct fields *fields, const char *name, const char *why)
{
    if (fields->status == SWATHE_OK)
        fields->status = fleet_fail(SWATHE_ERROR_INPUT, "%s: '%s' %s", fields->what, name, why);
}

bool fields_has(const struct fields *fields, const char *name)
{
    return json_object_get(fields->object, name) != NULL;
}

static json_t *fleet_fields_take(struct fields *fields, const char *name)
{
    json_t *value = fields->status == SWATHE_OK ? json_object_get(fields->object, name) : NULL;
    if (value)
        fields->used++;
    else
        fields_fail(fields, name, "is missing");
    return value;
}

int64_t fields_integer(struct fields *fields, const char *name, int64_t lowest, int64_t highest)
{
    json_t *value = fleet_fields_take(fields, name);
    if (value && json_is_integer(value) && json_integer_value(value) >= lowest &&
        json_integer_value(value) <= highest)
        return json_integer_value(value);
    char why[96];
    snprintf(why, sizeof why, "is not a whole number from %" PRId64 " to %" PRId64, lowest,
             highest);
    fields_fail(fields, name, why);
    return lowest;
}

double fields_number(struct fields *fields, const char *name, double highest)
{
    json_t *value = fleet_fields_take(fields, name);
    double number = json_number_value(value);
    if (value && json_is_number(value) && number >= 0 && number <= highest)
        return number;
    fields_fail(fields, name, "is not a number in its range");
    return 0;
}

bool fields_bool(struct fields *fields, const char *name)
{
    json_t *value = fleet_fields_take(fields, name);
    if (!json_is_boolean(value))
        fields_fail(fields, name, "is not true or false");
    return json_is_true(value);
}

bool text_is_plain(const json_t *value, size_t most)
{
    if (!json_is_string(value) || json_string_length(value) > most)
        return false;
    for (const char *c = json_string_value(value); *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return false;
    return true;
}

const char *fields_text(struct fields *fields, const char *name, size_t most)
{
    json_t *value = fleet_fields_take(fields, name);
    if (value && text_is_plain(value, most))
        return json_string_value(value);
    fields_fail(fields, name, "is not a text of valid length without control characters");
    return "";
}

void fields_copy(struct fields *fields, const char *name, char *to, size_t most)
{
    const char *text = fields_text(fields, name, most);
    memcpy(to, text, strlen(text) + 1);
}

void fields_duplicate(struct fields *fields, const char *name, size_t most, bool optional,
                      char **to)
{
    if (optional && fields_null(fields, name))
        return;
    const char *text = fields_text(fields, name, most);
    if (fields->status == SWATHE_OK)
        fields->status = fleet_copy_text(text, to);
}

void fields_name(struct fields *fields, const char *name, char *to)
{
    fields_copy(fields, name, to, NAME_BYTES);
    if (!name_is_safe(to))
        fields_fail(fields, name, "is not a name of letters, digits, _ and -");
}

void fields_identity(struct fields *fields, const char *name, char *to)
{
    fields_copy(fields, name, to, IDENTITY_BYTES);
    if (!identity_is_safe(to))
        fields_fail(fields, name, "is not a name, a dot and 16 hexadecimal digits");
}

void fields_hash(struct fields *fields, const char *name, char *to)
{
    fields_copy(fields, name, to, FIELDS_HASH_DIGITS);
    if (strspn(to, "0123456789abcdef") != FIELDS_HASH_DIGITS)
        fields_fail(fields, name, "is not a SHA-256 in hexadecimal");
}

json_t *fields_array(struct fields *fields, const char *name, size_t most)
{
    json_t *value = fleet_fields_take(fields, name);
    if (!json_is_array(value) || json_array_size(value) > most)
        fields_fail(fields, name, "is not an array of valid length");
    return value;
}

json_t *fields_object(struct fields *fields, const char *name)
{
    json_t *value = fleet_fields_take(fields, name);
    if (!json_is_object(value))
        fields_fail(fields, name, "is not an object");
    return value;
}

bool fields_null(struct fields *fields, const char *name)
{
    json_t *value = json_object_get(fields->object, name);
    if (!value || !json_is_null(value))
        return false;
    fields->used++;
    return true;
}

swathe_status fields_write(json_t *object, size_t most, const char *what, char **json, size_t *size)
{
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    if (fields_lacked_memory()) { /* also while the object was made */
        free(text);
        return fail_memory(what);
    }
    if (!text)
        return fleet_fail(SWATHE_ERROR_ARGUMENT,
                          "the %s cannot be written as JSON: a text is not UTF-8", what);
    size_t length = strlen(text);
    if (length > most) {
        free(text);
        return fleet_fail(SWATHE_ERROR_LIMIT, "the %s has %zu bytes; the limit is %zu", what,
                          length, most);
    }
    *json = text;
    if (size)
        *size = length;
    return SWATHE_OK;
}

/* Reads the fields of a JSON object strictly. The first failure is kept, and later reads return
 * harmless values, so that a caller checks once, at the end. */
#ifndef FLEET_FIELDS_H
#define FLEET_FIELDS_H

#include "swathe/swathe.h"

#include <jansson.h>
#include <stdbool.h>

/* True if Jansson lacked memory in this thread since the last call. fields_open, fields_end and
 * fields_write call it and fail with SWATHE_ERROR_MEMORY. */
bool fields_lacked_memory(void);

enum { FIELDS_HASH_DIGITS = 64 };
/* Numbers up to here are exact in every JSON parser. */
#define FIELDS_LARGEST (INT64_C(1) << 53)

struct fields {
    json_t *object;
    const char *what; /* "job", for messages */
    size_t used;      /* fields that were read */
    swathe_status status;
};

/* Parses a message of at most `most` bytes whose field `v` must be 1. Close with fields_close. */
swathe_status fields_open(const char *json, size_t size, size_t most, const char *what,
                          struct fields *fields);
/* Starts reading an object inside another. */
void fields_inner(struct fields *fields, json_t *object, const char *what);
/* Fails if there are fields that were not read. Frees nothing. */
swathe_status fields_end(struct fields *fields);
void fields_close(struct fields *fields);

bool fields_has(const struct fields *fields, const char *name);
int64_t fields_integer(struct fields *fields, const char *name, int64_t lowest, int64_t highest);
double fields_number(struct fields *fields, const char *name, double highest);
bool fields_bool(struct fields *fields, const char *name);
/* Without control characters, of at most `most` bytes; "" after a failure. */
const char *fields_text(struct fields *fields, const char *name, size_t most);
/* The same, copied to an array of most + 1 bytes. */
void fields_copy(struct fields *fields, const char *name, char *to, size_t most);
/* The same, allocated; NULL after a failure or, if `optional`, for null. */
void fields_duplicate(struct fields *fields, const char *name, size_t most, bool optional,
                      char **to);
/* Copies a safe name of NAME_BYTES at most. */
void fields_name(struct fields *fields, const char *name, char *to);
/* Copies a safe identity of a set: IDENTITY_BYTES at most. */
void fields_identity(struct fields *fields, const char *name, char *to);
/* Copies a SHA-256 in hexadecimal, of FIELDS_HASH_DIGITS. */
void fields_hash(struct fields *fields, const char *name, char *to);
json_t *fields_array(struct fields *fields, const char *name, size_t most);
json_t *fields_object(struct fields *fields, const char *name);
/* Reads a field that must be null, if it is. */
bool fields_null(struct fields *fields, const char *name);
void fields_fail(struct fields *fields, const char *name, const char *why);

/* True for text of at most `most` bytes without control characters. */
bool text_is_plain(const json_t *value, size_t most);
/* Writes an object compactly into memory of malloc and drops the reference. NULL object: fails.
 * SWATHE_ERROR_LIMIT above `most` bytes. */
swathe_status fields_write(json_t *object, size_t most, const char *what, char **json,
                           size_t *size);

#endif

/* JSON on standard output, or in a file. */
#ifndef SWATHE_CLI_TERMINAL_JSON_H
#define SWATHE_CLI_TERMINAL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A writer; separators between members are added automatically. */
struct json {
    int depth;
    bool started; /* the innermost object or array has a member */
    bool flat;    /* it is written on one line */
    FILE *to;     /* NULL: standard output */
};

/* `name` is NULL within an array and at the top. */
void json_open(struct json *json, const char *name, char bracket);
/* All members are written on one line; they must not be objects or arrays. */
void json_flat(struct json *json, const char *name, char bracket);
void json_close(struct json *json, char bracket);
void json_text(struct json *json, const char *name, const char *text);
void json_integer(struct json *json, const char *name, int64_t value);
void json_bool(struct json *json, const char *name, bool value);
/* `text` is already JSON. */
void json_raw(struct json *json, const char *name, const char *text);
void json_null(struct json *json, const char *name);
/* Writes null for infinities and NaN, which JSON cannot represent. */
void json_number(struct json *json, const char *name, double value);

#endif

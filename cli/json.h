/* JSON on standard output, or in a file. */
#ifndef SWATHE_CLI_JSON_H
#define SWATHE_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* One open object or array; members are separated as they come. */
struct json {
    int depth;
    bool started; /* the innermost has a member */
    bool flat;    /* it is one line */
    FILE *to;     /* NULL: standard output */
};

/* `name` is NULL within an array and at the top. */
void json_open(struct json *json, const char *name, char bracket);
/* One line for all members, which are no objects and arrays. */
void json_flat(struct json *json, const char *name, char bracket);
void json_close(struct json *json, char bracket);
void json_text(struct json *json, const char *name, const char *text);
void json_integer(struct json *json, const char *name, int64_t value);
void json_bool(struct json *json, const char *name, bool value);
/* `text` is JSON already. */
void json_raw(struct json *json, const char *name, const char *text);
void json_null(struct json *json, const char *name);
/* null where the number is infinite or none: JSON has no such numbers. */
void json_number(struct json *json, const char *name, double value);

#endif

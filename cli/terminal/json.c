#include "terminal/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes of the UTF-8 character that starts here; 0: not UTF-8. */
static int json_character(const unsigned char *text)
{
    int size = text[0] < 0x80   ? 1
               : text[0] < 0xc2 ? 0
               : text[0] < 0xe0 ? 2
               : text[0] < 0xf0 ? 3
                                : 4;
    if (text[0] > 0xf4)
        return 0;
    for (int i = 1; i < size; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return size;
}

/* File names may contain any bytes. Invalid UTF-8 becomes the replacement character. */
static void print_text(FILE *to, const char *text)
{
    putc('"', to);
    while (*text) {
        int size = json_character((const unsigned char *)text);
        if (size == 0)
            fprintf(to, "\\ufffd");
        else if (*text == '"' || *text == '\\')
            fprintf(to, "\\%c", *text);
        else if (size == 1 && *text < ' ')
            fprintf(to, "\\u%04x", (unsigned)*text);
        else
            fprintf(to, "%.*s", size, text);
        text += size ? size : 1;
    }
    putc('"', to);
}

static FILE *to_of(const struct json *json)
{
    return json->to ? json->to : stdout;
}

static void json_begin(struct json *json, const char *name)
{
    if (json->flat)
        fprintf(to_of(json), json->started ? ", " : "");
    else if (json->depth > 0)
        fprintf(to_of(json), "%s\n%*s", json->started ? "," : "", 2 * json->depth, "");
    json->started = true;
    if (name) {
        print_text(to_of(json), name);
        fprintf(to_of(json), ": ");
    }
}

void json_open(struct json *json, const char *name, char bracket)
{
    json_begin(json, name);
    putc(bracket, to_of(json));
    json->depth++;
    json->started = false;
}

void json_flat(struct json *json, const char *name, char bracket)
{
    json_open(json, name, bracket);
    json->flat = true;
}

void json_close(struct json *json, char bracket)
{
    json->depth--;
    if (json->started && !json->flat)
        fprintf(to_of(json), "\n%*s", 2 * json->depth, "");
    putc(bracket, to_of(json));
    json->started = true;
    json->flat = false;
    if (json->depth == 0)
        putc('\n', to_of(json));
}

void json_text(struct json *json, const char *name, const char *text)
{
    json_begin(json, name);
    print_text(to_of(json), text);
}

void json_integer(struct json *json, const char *name, int64_t value)
{
    json_begin(json, name);
    fprintf(to_of(json), "%" PRId64, value);
}

void json_bool(struct json *json, const char *name, bool value)
{
    json_begin(json, name);
    fprintf(to_of(json), value ? "true" : "false");
}

void json_raw(struct json *json, const char *name, const char *text)
{
    json_begin(json, name);
    fputs(text, to_of(json));
}

void json_null(struct json *json, const char *name)
{
    json_begin(json, name);
    fprintf(to_of(json), "null");
}

void json_number(struct json *json, const char *name, double value)
{
    char text[32];
    json_begin(json, name);
    if (!isfinite(value)) {
        fprintf(to_of(json), "null");
        return;
    }
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fprintf(to_of(json), "%s", text);
}

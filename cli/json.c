#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes of the UTF-8 character that starts here; 0: not UTF-8. */
static int character(const unsigned char *text)
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

/* File names may hold any bytes; what is not UTF-8 becomes the replacement character. */
static void print_text(const char *text)
{
    putchar('"');
    while (*text) {
        int size = character((const unsigned char *)text);
        if (size == 0)
            printf("\\ufffd");
        else if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if (size == 1 && *text < ' ')
            printf("\\u%04x", (unsigned)*text);
        else
            printf("%.*s", size, text);
        text += size ? size : 1;
    }
    putchar('"');
}

static void begin(struct json *json, const char *name)
{
    if (json->depth > 0)
        printf("%s\n%*s", json->started ? "," : "", 2 * json->depth, "");
    json->started = true;
    if (name) {
        print_text(name);
        printf(": ");
    }
}

void json_open(struct json *json, const char *name, char bracket)
{
    begin(json, name);
    putchar(bracket);
    json->depth++;
    json->started = false;
}

void json_close(struct json *json, char bracket)
{
    json->depth--;
    if (json->started)
        printf("\n%*s", 2 * json->depth, "");
    putchar(bracket);
    json->started = true;
    if (json->depth == 0)
        putchar('\n');
}

void json_text(struct json *json, const char *name, const char *text)
{
    begin(json, name);
    print_text(text);
}

void json_integer(struct json *json, const char *name, int64_t value)
{
    begin(json, name);
    printf("%" PRId64, value);
}

void json_bool(struct json *json, const char *name, bool value)
{
    begin(json, name);
    printf(value ? "true" : "false");
}

void json_number(struct json *json, const char *name, double value)
{
    char text[32];
    begin(json, name);
    if (!isfinite(value)) {
        printf("null");
        return;
    }
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    printf("%s", text);
}

#include "basics.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

bool store_text_reserve(struct store_text *text, size_t size)
{
    if (text->failed || size >= SIZE_MAX / 2) {
        text->failed = true;
        return false;
    }
    if (size + 1 <= text->room)
        return true;
    size_t room = text->room > 0 ? text->room : 64;
    while (room < size + 1)
        room *= 2;
    char *bytes = store_resize(text->bytes, room, 1);
    text->failed = bytes == NULL;
    if (bytes) {
        text->bytes = bytes;
        text->room = room;
    }
    return bytes != NULL;
}

void store_text_bytes(struct store_text *text, const void *bytes, size_t size)
{
    if (size > SIZE_MAX / 2 || !store_text_reserve(text, text->size + size))
        return;
    if (size > 0)
        memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
}

void store_text_add(struct store_text *text, const char *string)
{
    store_text_bytes(text, string, strlen(string));
}

void store_text_print(struct store_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size < 0 || !store_text_reserve(text, text->size + (size_t)size)) {
        text->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text->bytes + text->size, (size_t)size + 1, format, arguments);
    va_end(arguments);
    text->size += (size_t)size;
}

static bool store_text_unreserved(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

void store_text_uri(struct store_text *text, const char *string, bool slashes)
{
    static const char digits[] = "0123456789ABCDEF";
    for (const char *at = string; *at; at++) {
        unsigned char c = (unsigned char)*at;
        char code[3] = {'%', digits[c >> 4], digits[c & 15]};
        if (store_text_unreserved(c) || (slashes && c == '/'))
            store_text_bytes(text, at, 1);
        else
            store_text_bytes(text, code, 3);
    }
}

bool store_text_ok(const struct store_text *text)
{
    return !text->failed;
}

const char *store_text_get(const struct store_text *text)
{
    return text->bytes && text->size > 0 ? text->bytes : "";
}

void store_text_clear(struct store_text *text)
{
    text->size = 0;
    text->failed = false;
}

void store_text_free(struct store_text *text)
{
    store_free(text->bytes);
    *text = (struct store_text){0};
}

void store_hex(const unsigned char *bytes, size_t size, char *text)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[2 * size] = '\0';
}

bool store_is_hex(const char *text, size_t count)
{
    size_t found = strspn(text, "0123456789abcdefABCDEF");
    return found == count;
}

bool store_number(const char *text, long long *number)
{
    long long value = 0;
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || text[digits] != '\0')
        return false;
    for (const char *at = text; *at; at++) {
        int digit = *at - '0';
        if (value > (LLONG_MAX - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    *number = value;
    return true;
}

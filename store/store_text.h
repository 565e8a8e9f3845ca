/* Text that grows. A failed allocation is remembered: check store_text_ok once, at the end. */
#ifndef STORE_STORE_TEXT_H
#define STORE_STORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct store_text {
    char *bytes; /* ends with a NUL that `size` does not count; NULL while empty */
    size_t size, room;
    bool failed;
};

void store_text_bytes(struct store_text *text, const void *bytes, size_t size);
void store_text_add(struct store_text *text, const char *string);
void store_text_print(struct store_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Percent-encodes as SigV4 requires: all but letters, digits and -._~ (and '/' if `slashes`). */
void store_text_uri(struct store_text *text, const char *string, bool slashes);
/* Makes room for `size` bytes in all. */
bool store_text_reserve(struct store_text *text, size_t size);
bool store_text_ok(const struct store_text *text);
/* Never NULL. */
const char *store_text_get(const struct store_text *text);
void store_text_clear(struct store_text *text);
void store_text_free(struct store_text *text);

/* 2 x size lower-case digits and a NUL. */
void store_hex(const unsigned char *bytes, size_t size, char *text);
/* True if `text` starts with exactly `count` hexadecimal digits. */
bool store_is_hex(const char *text, size_t count);
/* A decimal number without sign or spaces; false if it is none or exceeds INT64_MAX. */
bool store_number(const char *text, long long *number);

#endif

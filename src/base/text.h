/* Text that people and programs read: bounded building, numbers without a locale. */
#ifndef SWATHE_BASE_TEXT_H
#define SWATHE_BASE_TEXT_H

#include "base/status.h"

#include <stdbool.h>

/* Appends to a fixed buffer, counts what it would need, never writes past the end. */
struct text {
    char *at;
    size_t size, needed;
};

void text_init(struct text *text, char *buffer, size_t size);
void text_add(struct text *text, const char *format, ...) PRINTF_LIKE(2, 3);
/* The shortest decimal that reads back as the same double, with a point in every locale. */
void text_add_double(struct text *text, double value);
/* A JSON string with its quotes. */
void text_add_json(struct text *text, const char *string);
/* SWATHE_ERROR_LIMIT when there was a buffer and it was too small. `needed` may be NULL. */
swathe_status text_finish(struct text *text, size_t *needed);

/* The whole of `string` as a number, in the C locale; false when it is anything else. */
bool text_to_double(const char *string, double *value);
bool text_to_int(const char *string, int64_t *value);

/* "3.1 GiB" */
const char *text_bytes(int64_t bytes, char *buffer, size_t size);

#endif

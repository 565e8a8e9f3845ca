/* Text for people and programs, with numbers that do not depend on the locale. */
#ifndef SWATHE_BASE_TEXT_H
#define SWATHE_BASE_TEXT_H

#include "base/bounded_text.h"
#include "base/status.h"

#include <stdbool.h>

/* Adds a decimal that reads back as the same double, with a point in every locale: of 15 digits if
 * that suffices, otherwise 16 or 17, without zeros at the end. */
void text_add_double(struct text *text, double value);
/* Adds the inside of a JSON string; the second function adds the quotes, too. */
void text_add_escaped(struct text *text, const char *string);
void text_add_json(struct text *text, const char *string);
/* Fails with SWATHE_ERROR_LIMIT if there is a buffer and it is too small. `needed` may be NULL. */
swathe_status text_finish(struct text *text, size_t *needed);

/* Parses all of `string` as a number, in the C locale; false if it is not a number. */
bool text_to_double(const char *string, double *value);
bool text_to_int(const char *string, int64_t *value);

/* Replaces control characters by '?', for names in messages. */
void text_clean(char *string);

/* Formats a number of bytes as in "3.1 GiB". */
const char *text_bytes(int64_t bytes, char *buffer, size_t size);

#endif

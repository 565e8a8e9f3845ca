/* Text that does not depend on the locale, in buffers of fixed size. Programs include this header,
 * too. */
#ifndef SWATHE_BASE_BOUNDED_TEXT_H
#define SWATHE_BASE_BOUNDED_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/* Numbers with a decimal point and without grouping, regardless of the caller's locale. */

/* Like vsnprintf, snprintf and strtod, but in the C locale. */
int c_locale_format_list(char *text, size_t size, const char *format, va_list args);
int c_locale_format(char *text, size_t size, const char *format, ...)
    __attribute__((format(PRINTF_KIND, 3, 4)));
double c_locale_number(const char *text, char **end);

/* Appends to a fixed buffer and counts the bytes needed. Never writes beyond the end. */
struct text {
    char *at;
    size_t size, needed;
};

void text_init(struct text *text, char *buffer, size_t size);
/* Numbers have a decimal point in every locale. */
void text_add(struct text *text, const char *format, ...)
    __attribute__((format(PRINTF_KIND, 2, 3)));
void text_add_list(struct text *text, const char *format, va_list args);
/* Adds a string as it is. */
void text_add_plain(struct text *text, const char *string);
/* The bytes that the buffer holds, without the NUL. */
size_t text_length(const struct text *text);
/* Removes all but the first `length` bytes. */
void text_cut(struct text *text, size_t length);

#endif

/* Numbers with a decimal point and without grouping, regardless of the caller's locale. */
#ifndef SWATHE_BASE_C_LOCALE_H
#define SWATHE_BASE_C_LOCALE_H

#include <stdarg.h>
#include <stddef.h>

/* Like vsnprintf, snprintf and strtod, but in the C locale. */
int c_locale_format_list(char *text, size_t size, const char *format, va_list args);
int c_locale_format(char *text, size_t size, const char *format, ...)
    __attribute__((format(PRINTF_KIND, 3, 4)));
double c_locale_number(const char *text, char **end);

#endif

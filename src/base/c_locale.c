#define _POSIX_C_SOURCE 200809L /* newlocale */
#include "base/c_locale.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t c_locale;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Sets the C locale for this thread only. If it could not be allocated, the caller's locale stays
 * in effect. */
static locale_t enter(void)
{
    pthread_once(&once, make);
    return uselocale(c_locale);
}

int c_locale_format_list(char *text, size_t size, const char *format, va_list args)
{
    locale_t before = enter();
    int length = vsnprintf(text, size, format, args);
    uselocale(before);
    return length;
}

int c_locale_format(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = c_locale_format_list(text, size, format, args);
    va_end(args);
    return length;
}

double c_locale_number(const char *text, char **end)
{
    locale_t before = enter();
    double number = strtod(text, end);
    uselocale(before);
    return number;
}

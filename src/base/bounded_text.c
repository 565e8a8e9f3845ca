#define _POSIX_C_SOURCE 200809L /* newlocale */
#include "base/bounded_text.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The C locale --------------------------------------------------------------------------- */

#if defined(_WIN32)
/* Windows can set the locale of one thread, by name. */
struct before {
    int scope;
    char name[64];
};

static struct before bounded_text_enter(void)
{
    struct before before = {.scope = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE)};
    const char *name = setlocale(LC_NUMERIC, NULL);
    snprintf(before.name, sizeof before.name, "%s", name ? name : "C");
    if (strcmp(before.name, "C") != 0)
        setlocale(LC_NUMERIC, "C");
    return before;
}

static void bounded_text_leave(struct before before)
{
    if (strcmp(before.name, "C") != 0)
        setlocale(LC_NUMERIC, before.name);
    _configthreadlocale(before.scope);
}
#else
#if defined(__APPLE__)
#include <xlocale.h>
#endif

struct before {
    locale_t locale;
};

static locale_t c_locale;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void bounded_text_make(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Sets the C locale for this thread only. If it could not be allocated, the caller's locale stays
 * in effect. */
static struct before bounded_text_enter(void)
{
    pthread_once(&once, bounded_text_make);
    return (struct before){uselocale(c_locale)};
}

static void bounded_text_leave(struct before before)
{
    uselocale(before.locale);
}
#endif

int c_locale_format_list(char *text, size_t size, const char *format, va_list args)
{
    struct before before = bounded_text_enter();
    int length = vsnprintf(text, size, format, args);
    bounded_text_leave(before);
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
    struct before before = bounded_text_enter();
    double number = strtod(text, end);
    bounded_text_leave(before);
    return number;
}

/* ---- Text ----------------------------------------------------------------------------------- */

void text_init(struct text *text, char *buffer, size_t size)
{
    *text = (struct text){buffer, size, 0};
    if (size > 0)
        buffer[0] = '\0';
}

void text_add_list(struct text *text, const char *format, va_list args)
{
    size_t left = text->needed < text->size ? text->size - text->needed : 0;
    int wrote = c_locale_format_list(left ? text->at + text->needed : NULL, left, format, args);
    text->needed += wrote > 0 ? (size_t)wrote : 0;
}

void text_add(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_add_list(text, format, args);
    va_end(args);
}

void text_add_plain(struct text *text, const char *string)
{
    text_add(text, "%s", string);
}

size_t text_length(const struct text *text)
{
    return text->needed < text->size || text->size == 0 ? text->needed : text->size - 1;
}

void text_cut(struct text *text, size_t length)
{
    text->needed = length;
    if (length < text->size)
        text->at[length] = '\0';
}

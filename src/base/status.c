#include "base/status.h"

#include "base/bounded_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Stored per thread, like errno, so that concurrent runs on one context never mix their messages
 * and no function needs an extra parameter. Workers pass their failure to the calling thread. */
static _Thread_local struct failure last;

static const struct status_entry entries[] = {
#define STATUS(status, name, summary) {status, name, summary},
#include "base/status.def"
#undef STATUS
};

/* An argument may point into the last failure, so the text is formatted separately. */
static void base_status_record(swathe_status status, int number, const char *format, va_list args)
{
    struct failure made = {.status = status, .system = number};
    c_locale_format_list(made.text, sizeof made.text, format, args);
    if (number) {
        size_t length = strlen(made.text);
        snprintf(made.text + length, sizeof made.text - length, ": %s", strerror(number));
    }
    last = made;
}

void fail_record(swathe_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    base_status_record(status, 0, format, args);
    va_end(args);
}

void fail_record_system(int number, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    base_status_record(SWATHE_ERROR_IO, number, format, args);
    va_end(args);
}

void fail_subject(const char *subject, int64_t needed)
{
    snprintf(last.subject, sizeof last.subject, "%s", subject);
    last.needed = needed;
}

void fail_prefix(const char *format, ...)
{
    char text[ERROR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    c_locale_format_list(text, sizeof text, format, args);
    va_end(args);
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "%s", last.text);
    memcpy(last.text, text, sizeof text);
}

swathe_status fail_named(swathe_status status, const char *name)
{
    size_t length = strlen(name);
    if (status != SWATHE_OK &&
        (strncmp(last.text, name, length) != 0 || strncmp(last.text + length, ": ", 2) != 0))
        fail_prefix("%s: ", name);
    return status;
}

const struct failure *fail_last(void)
{
    return &last;
}

const char *fail_text(void)
{
    return last.text;
}

struct failure fail_keep(void)
{
    return last;
}

swathe_status fail_release(const struct failure *kept, swathe_status status)
{
    if (status == SWATHE_OK)
        last = *kept;
    else
        last.status = status;
    return status;
}

swathe_status fail_returned(swathe_status status, const char *function)
{
    for (int i = 0; status_entry(i); i++)
        if (status_entry(i)->status == status)
            return status;
    fail_prefix("%s returned %d, which is not a swathe_status: ", function, (int)status);
    last.status = SWATHE_ERROR_ARGUMENT;
    return SWATHE_ERROR_ARGUMENT;
}

swathe_status fail_again(const struct failure *failure)
{
    last = *failure;
    return last.status;
}

const struct status_entry *status_entry(int index)
{
    return index >= 0 && index < (int)(sizeof entries / sizeof *entries) ? &entries[index] : NULL;
}

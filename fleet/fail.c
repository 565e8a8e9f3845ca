#define _GNU_SOURCE /* vasprintf */
#include "fail.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 1024 };

static void fail_clean(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
}

static swathe_status fleet_fail_record(swathe_status status, int number, char *text)
{
    swathe_error error = SWATHE_INIT(swathe_error);
    fail_clean(text);
    error.status = status;
    error.system = number;
    error.text = text;
    return swathe_error_record(&error);
}

swathe_status fleet_fail_system(swathe_status status, int number, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return fleet_fail_record(status, number, text);
}

swathe_status fleet_fail_within(const char *format, ...)
{
    char text[TEXT_BYTES];
    swathe_error error = SWATHE_INIT(swathe_error);
    swathe_error_get(&error);
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length >= 0 && (size_t)length < sizeof text)
        snprintf(text + length, sizeof text - (size_t)length, "%s", error.text);
    return fleet_fail_record(error.status, error.system, text);
}

int fleet_fail_number(void)
{
    swathe_error error = SWATHE_INIT(swathe_error);
    return swathe_error_get(&error) == SWATHE_OK ? error.system : 0;
}

int fleet_complain(swathe_status status, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fail_clean(text);
    fprintf(stderr, "swathe-fleet: %s\n", text);
    return status;
}

int fleet_complain_last(swathe_status status)
{
    return fleet_complain(status, "%s", swathe_error_text());
}

static swathe_status fail_no_memory(size_t count, size_t size)
{
    return fleet_fail(SWATHE_ERROR_MEMORY, "no memory for %zu elements of %zu bytes", count, size);
}

swathe_status fleet_allocate(size_t count, size_t size, void *block)
{
    void *made = count > SIZE_MAX / size ? NULL : calloc(count ? count : 1, size);
    if (!made)
        return fail_no_memory(count, size);
    memcpy(block, &made, sizeof made);
    return SWATHE_OK;
}

swathe_status fleet_reallocate(size_t count, size_t size, void *block)
{
    void *old;
    memcpy(&old, block, sizeof old);
    void *made = count > SIZE_MAX / size ? NULL : realloc(old, count ? count * size : 1);
    if (!made)
        return fail_no_memory(count, size);
    memcpy(block, &made, sizeof made);
    return SWATHE_OK;
}

swathe_status fleet_copy_text(const char *text, char **copy)
{
    size_t size = strlen(text) + 1;
    TRY(fleet_allocate(size, 1, copy));
    memcpy(*copy, text, size);
    return SWATHE_OK;
}

swathe_status fleet_format(char **text, const char *format, ...)
{
    char *made = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&made, format, args);
    va_end(args);
    if (length < 0)
        return fleet_fail(SWATHE_ERROR_MEMORY, "no memory for a text");
    *text = made;
    return SWATHE_OK;
}

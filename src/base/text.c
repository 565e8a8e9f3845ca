#include "base/text.h"

#include "base/bounded_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

void text_add_double(struct text *text, double value)
{
    char digits[40];
    double back;
    /* Numbers that were written with up to 15 digits are printed as such; %g drops zeros at the
     * end. */
    for (int precision = 15; precision <= 17; precision++) {
        c_locale_format(digits, sizeof digits, "%.*g", precision, value);
        if (precision == 17 || (text_to_double(digits, &back) && back == value))
            break;
    }
    text_add(text, "%s", digits);
}

void text_add_escaped(struct text *text, const char *string)
{
    for (const char *c = string; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_add(text, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            text_add(text, "\\u%04x", (unsigned char)*c);
        else
            text_add(text, "%c", *c);
    }
}

void text_add_json(struct text *text, const char *string)
{
    text_add(text, "\"");
    text_add_escaped(text, string);
    text_add(text, "\"");
}

swathe_status text_finish(struct text *text, size_t *needed)
{
    if (needed)
        *needed = text->needed + 1;
    if (text->needed < text->size || text->size == 0) /* no buffer: only counts */
        return SWATHE_OK;
    return fail(SWATHE_ERROR_LIMIT, "the text needs %zu bytes, the buffer has %zu",
                text->needed + 1, text->size);
}

bool text_to_double(const char *string, double *value)
{
    char *end;
    /* strtod skips leading spaces, which are not allowed here. */
    if (*string == '\0' || strchr(" \t\n\v\f\r", *string))
        return false;
    double got = c_locale_number(string, &end);
    if (*end != '\0' || !isfinite(got))
        return false;
    *value = got;
    return true;
}

bool text_to_int(const char *string, int64_t *value)
{
    char *end;
    if (*string == '\0' || strchr(" \t\n\v\f\r", *string))
        return false;
    errno = 0;
    intmax_t got = strtoimax(string, &end, 10);
    if (*end != '\0' || errno != 0)
        return false;
    *value = (int64_t)got;
    return true;
}

void text_clean(char *string)
{
    for (char *c = string; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
}

const char *text_bytes(int64_t bytes, char *buffer, size_t size)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    int unit = 0;
    if (bytes == 1) {
        c_locale_format(buffer, size, "1 byte");
        return buffer;
    }
    while (value >= 1024 && unit < 6) {
        value /= 1024;
        unit++;
    }
    c_locale_format(buffer, size, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return buffer;
}

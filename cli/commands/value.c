#include "commands/value.h"

#include "../../src/base/os_file.h"
#include "commands/known_words.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads digits and advances past them. */
static bool cli_value_digits(const char **text, int64_t *number)
{
    int64_t value = 0;
    if (**text < '0' || **text > '9')
        return false;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        int digit = **text - '0';
        if (value > (INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *number = value;
    return true;
}

static bool digits_after(const char **text, char before, int64_t *number)
{
    if (**text != before)
        return false;
    ++*text;
    return cli_value_digits(text, number);
}

bool value_count(const char *text, int64_t *count)
{
    int64_t value;
    if (!cli_value_digits(&text, &value) || *text)
        return false;
    *count = value;
    return true;
}

bool value_number(const char *text, double *number)
{
    char *end;
    if (!*text || strspn(text, "0123456789.eE+-") != strlen(text))
        return false;
    double value = strtod(text, &end);
    if (*end || !isfinite(value))
        return false;
    *number = value;
    return true;
}

bool value_size(const char *text, int64_t *size)
{
    static const char units[] = "KMGT";
    char *end;
    if (*text < '0' || *text > '9' || strpbrk(text, "xXpP"))
        return false;
    double value = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
    if (unit && *unit) {
        value = ldexp(value, 10 * (int)(unit - units + 1));
        end++;
        if (*end == 'i' && end[1] == 'B')
            end++;
    }
    if (*end == 'B')
        end++;
    /* 2^53: doubles cannot represent all larger integers, and no machine has that much memory. */
    if (*end || !(value >= 1) || value > 9007199254740992.0)
        return false;
    *size = (int64_t)value;
    return true;
}

const char *value_size_text(int64_t bytes, char *text, size_t size)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes / 1024;
    int unit = 0;
    if (bytes < 1024) {
        snprintf(text, size, "%d byte%s", (int)bytes, bytes == 1 ? "" : "s");
        return text;
    }
    while (value >= 1024 && unit < 3) {
        value /= 1024;
        unit++;
    }
    snprintf(text, size, "%.1f %s", value, units[unit]);
    return text;
}

bool value_duration(const char *text, double *seconds)
{
    char *end;
    if (*text < '0' || *text > '9' || strpbrk(text, "xXpPeE"))
        return false;
    double value = strtod(text, &end);
    double unit = *end == 'h' ? 3600 : *end == 'm' ? 60 : 1;
    end += *end == 'h' || *end == 'm' || *end == 's';
    if (*end || !isfinite(value))
        return false;
    *seconds = value * unit;
    return true;
}

bool value_region(const char *text, swathe_rect *region)
{
    swathe_rect rect;
    if (!cli_value_digits(&text, &rect.width) || !digits_after(&text, 'x', &rect.height) ||
        !digits_after(&text, '+', &rect.x) || !digits_after(&text, '+', &rect.y) || *text)
        return false;
    if (rect.width == 0 || rect.height == 0)
        return false;
    *region = rect;
    return true;
}

bool value_shape(const char *text, swathe_shape *shape)
{
    swathe_shape made = {0};
    int64_t channels = 3;
    made.type = SWATHE_U8;
    if (!cli_value_digits(&text, &made.width) || !digits_after(&text, 'x', &made.height))
        return false;
    if (*text == 'x' && !digits_after(&text, 'x', &channels))
        return false;
    if (*text == ':')
        made.type = value_type(text + 1);
    else if (*text)
        return false;
    if (made.type == SWATHE_TYPE_DEFAULT || channels < 1 || channels > INT32_MAX)
        return false;
    made.channels = (int32_t)channels;
    made.color = channels < 3 ? SWATHE_COLOR_GREY : SWATHE_COLOR_RGB;
    if (channels > 4)
        made.color = SWATHE_COLOR_UNKNOWN;
    made.alpha = channels == 2 || channels == 4 ? (int32_t)channels : 0;
    *shape = made;
    return true;
}

swathe_type value_type(const char *text)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    if (text && known_words_entry(SWATHE_TABLE_TYPES, text, &entry))
        return (swathe_type)entry.value;
    return SWATHE_TYPE_DEFAULT;
}

const char *value_type_name(swathe_type type)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_TYPES, i, &entry) == SWATHE_OK; i++)
        if (entry.value == type)
            return entry.name;
    return "unknown";
}

bool value_progress(const char *text, int *fd)
{
    int64_t number = STANDARD_ERROR;
    if (strncmp(text, "json", 4) != 0 || (text[4] && text[4] != ':') ||
        (text[4] && !value_count(text + 5, &number)) || number > INT_MAX)
        return false;
    *fd = (int)number;
    return true;
}

static bool parse_percent(const char *text, size_t length, double *share)
{
    char number[32];
    if (length < 2 || length > sizeof number || text[length - 1] != '%')
        return false;
    snprintf(number, sizeof number, "%.*s", (int)length - 1, text);
    return value_number(number, share) && *share >= 0.0 && *share <= 100.0;
}

bool value_shares(const char *text, double shares[2])
{
    double got[2] = {0.0, 100.0};
    const char *dots = strstr(text, "..");
    if (strcmp(text, "fit") != 0 &&
        (strncmp(text, "fit:", 4) != 0 || !dots ||
         !parse_percent(text + 4, (size_t)(dots - text - 4), &got[0]) ||
         !parse_percent(dots + 2, strlen(dots + 2), &got[1]) || got[0] >= got[1]))
        return false;
    memcpy(shares, got, sizeof got);
    return true;
}

static bool named_color(const char *text, double color[3])
{
    static const struct {
        const char *name;
        int grey;
    } known[] = {{"white", 255}, {"black", 0}, {"grey", 128}, {"gray", 128}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, text) == 0) {
            color[0] = color[1] = color[2] = known[i].grey;
            return true;
        }
    return false;
}

bool value_color(const char *text, double color[3])
{
    int64_t numbers[3];
    if (named_color(text, color))
        return true;
    if (*text == '#') {
        if (strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6)
            return false;
        long all = strtol(text + 1, NULL, 16);
        for (int i = 0; i < 3; i++)
            color[i] = (double)(all >> (16 - 8 * i) & 255);
        return true;
    }
    if (!cli_value_digits(&text, &numbers[0]) || !digits_after(&text, ',', &numbers[1]) ||
        !digits_after(&text, ',', &numbers[2]) || *text)
        return false;
    for (int i = 0; i < 3; i++) {
        if (numbers[i] > 255)
            return false;
        color[i] = (double)numbers[i];
    }
    return true;
}

/* A name that starts with a dot may be that of a journal. */
bool value_is_pattern(const char *text)
{
    bool good = *text && *text != '.' && !strstr(text, "..") && !strpbrk(text, "/\\");
    while (good && *(text += strcspn(text, "{}"))) {
        size_t length = strcspn(text, "}") + 1;
        good = (length == 6 && memcmp(text, "{stem}", length) == 0) ||
               (length == 5 && memcmp(text, "{ext}", length) == 0);
        text += good ? length : 0;
    }
    return good;
}

bool value_is_values(const char *text)
{
    double shares[2];
    return strcmp(text, "keep") == 0 || strcmp(text, "scale") == 0 || value_shares(text, shares) ||
           strncmp(text, "fit(", 4) == 0; /* the library checks the range */
}

bool value_page(const char *text, int64_t *page)
{
    if (strcmp(text, "all") == 0) {
        *page = 0;
        return true;
    }
    return value_count(text, page) && *page >= 1;
}

bool value_quality(const char *text, int64_t *quality)
{
    if (strcmp(text, "lossless") == 0) {
        *quality = 0;
        return true;
    }
    return value_count(text, quality) && *quality <= 100;
}

const char *value_subsampling(const char *text, char plain[4])
{
    if (strlen(text) != 5 || text[1] != ':' || text[3] != ':')
        return text;
    for (int i = 0; i < 3; i++)
        plain[i] = text[2 * i];
    plain[3] = '\0';
    return plain;
}

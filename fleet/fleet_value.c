/* Values of options. */
#include "../src/base/nearest_word.h"
#include "fleet_fail.h"
#include "fleet_options.h"
#include "format_word.h"
#include "set/job_message.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool read_count(const char *text, int64_t *count)
{
    size_t length = strspn(text, "0123456789");
    if (length == 0 || length > 18 || text[length])
        return false;
    *count = strtoll(text, NULL, 10);
    return true;
}

static bool read_number(const char *text, const char **end, double *number)
{
    if (*text < '0' || *text > '9' || strpbrk(text, "xXpP"))
        return false;
    char *after;
    *number = strtod(text, &after);
    *end = after;
    return isfinite(*number);
}

/* 123, 64K, 512M, 1.5G; powers of 1024 */
static bool read_size(const char *text, int64_t *size)
{
    static const char units[] = "KMGT";
    const char *end;
    double value;
    if (!read_number(text, &end, &value))
        return false;
    const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
    if (unit && *unit) {
        value = ldexp(value, 10 * (int)(unit - units + 1));
        end++;
    }
    if (*end || value < 1 || value > 9007199254740992.0)
        return false;
    *size = (int64_t)value;
    return true;
}

static bool read_decimal(enum fleet_kind kind, const char *text, double *number)
{
    const char *end;
    double value, unit = 1;
    if (!read_number(text, &end, &value))
        return false;
    if (kind == KIND_SHARE && *end == '%')
        unit = 0.01;
    else if (kind == KIND_DURATION && strcmp(end, "ms") == 0)
        unit = 0.001;
    else if (kind == KIND_DURATION && *end)
        unit = *end == 'h' ? 3600 : *end == 'm' ? 60 : *end == 's' ? 1 : 0;
    else if (*end)
        return false;
    size_t suffix = strlen(end);
    if (unit == 0 || suffix > (unit == 0.001 ? 2u : 1u))
        return false;
    *number = value * unit;
    return kind != KIND_SHARE || *number <= 1;
}

static int complain_form(const struct fleet_option *option, const char *value, const char *form)
{
    return fleet_complain(SWATHE_ERROR_ARGUMENT, "--%s takes %s, not '%s'", option->name, form,
                          value);
}

/* Word `index` of the option's words; false past the end. */
static bool word_at(const struct fleet_option *option, int index, char word[EDIT_WORD])
{
    if (option->words[0] == '@') {
        swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
        if (swathe_table_get(SWATHE_TABLE_FORMATS, index, &entry) != SWATHE_OK)
            return false;
        snprintf(word, EDIT_WORD, "%s", entry.name);
        return true;
    }
    const char *at = option->words;
    while (*at && index-- > 0)
        at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ');
    snprintf(word, EDIT_WORD, "%.*s", (int)strcspn(at, " "), at);
    return *at != '\0';
}

static int check_word(const struct fleet_option *option, const char *value)
{
    if (option->words[0] == '@' && format_word(value))
        return 0;
    struct nearest nearest;
    char word[EDIT_WORD], list[256] = "one of", advice[128];
    nearest_start(&nearest, value);
    for (int i = 0; word_at(option, i, word); i++) {
        if (strcmp(word, value) == 0)
            return 0;
        nearest_offer(&nearest, word);
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, " %s", word);
    }
    return fleet_complain(SWATHE_ERROR_ARGUMENT, "--%s takes %s, not '%s'%s", option->name, list,
                          value, nearest_hint(&nearest, "", advice, sizeof advice));
}

static int check_count(const struct fleet_option *option, const char *value)
{
    int64_t count;
    char form[96];
    if (option->kind == KIND_QUALITY && strcmp(value, "lossless") == 0)
        return 0;
    if (read_count(value, &count) && count >= option->lowest && count <= option->highest)
        return 0;
    snprintf(form, sizeof form, "a whole number from %" PRId64 " to %" PRId64 "%s", option->lowest,
             option->highest, option->kind == KIND_QUALITY ? ", or lossless" : "");
    return complain_form(option, value, form);
}

int fleet_value_check(const struct fleet_option *option, const char *value)
{
    int64_t size;
    double number;
    switch (option->kind) {
    case KIND_FLAG:
        return 0;
    case KIND_NAME:
        return name_is_safe(value)
                   ? 0
                   : complain_form(option, value, "1 to 64 letters, digits, _ and -");
    case KIND_WORD:
        return check_word(option, value);
    case KIND_COUNT:
    case KIND_QUALITY:
        return check_count(option, value);
    case KIND_SIZE:
        return read_size(value, &size) ? 0
                                       : complain_form(option, value, "a size such as 512M or 2G");
    case KIND_NUMBER:
    case KIND_SHARE:
    case KIND_DURATION:
        return read_decimal(option->kind, value, &number)
                   ? 0
                   : complain_form(option, value,
                                   option->kind == KIND_NUMBER  ? "a number"
                                   : option->kind == KIND_SHARE ? "a share such as 0.1% or 0.001"
                                                                : "a time such as 90s, 10m or 1h");
    default:
        return value[0] ? 0 : complain_form(option, value, "a value");
    }
}

int64_t fleet_option_count(const struct fleet_options *options, enum fleet_option_id id,
                           int64_t otherwise)
{
    const char *text = options->values[id];
    int64_t value = 0;
    if (!text)
        return otherwise;
    if (fleet_option_at(id)->kind == KIND_SIZE)
        read_size(text, &value);
    else
        read_count(text, &value);
    return value;
}

double fleet_option_number(const struct fleet_options *options, enum fleet_option_id id,
                           double otherwise)
{
    double value = otherwise;
    if (options->values[id])
        read_decimal(fleet_option_at(id)->kind, options->values[id], &value);
    return value;
}

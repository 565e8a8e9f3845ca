#include "commands/value.h"

#include "../../src/base/os_file.h"
#include "commands/known_words.h"
#include "terminal/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Lists words as in "u8, u16 or f32". */
static void list_words(const char *words, char *text, size_t size)
{
    struct word word, next;
    size_t at = 0;
    text[0] = '\0';
    for (int i = 0; known_words_at(words, i, &word) && at < size; i++) {
        bool last = !known_words_at(words, i + 1, &next);
        const char *before = i == 0 ? "" : last ? " or " : ", ";
        at += (size_t)snprintf(text + at, size - at, "%s%s", before, word.name);
    }
}

static int value_check_word(const struct option *option, const char *value)
{
    bool format = strcmp(option->words, "@formats") == 0;
    if (known_words_hold(option->words, value) || (format && known_words_format(value)))
        return 0;
    struct nearest nearest;
    char list[256];
    list_words(option->words, list, sizeof list);
    nearest_start(&nearest, value);
    nearest_offer_words(&nearest, option->words);
    const char *near = nearest_found(&nearest);
    return complain(SWATHE_ERROR_ARGUMENT, "--%s takes %s, not '%s'%s%s%s", option->name, list,
                    value, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int value_check_count(const struct option *option, const char *value)
{
    int64_t count;
    if (value_count(value, &count) && count >= option->lowest && count <= option->highest)
        return 0;
    return complain(SWATHE_ERROR_ARGUMENT,
                    "--%s takes a whole number from %" PRId64 " to %" PRId64 ", not '%s'",
                    option->name, option->lowest, option->highest, value);
}

static int value_check_number(const struct option *option, const char *value)
{
    double number;
    char upto[48] = "";
    if (option->highest)
        snprintf(upto, sizeof upto, " to %" PRId64, option->highest);
    if (value_number(value, &number) && number >= (double)option->lowest &&
        (!option->highest || number <= (double)option->highest))
        return 0;
    return complain(SWATHE_ERROR_ARGUMENT, "--%s takes a number from %" PRId64 "%s%s, not '%s'",
                    option->name, option->lowest, upto, *upto ? "" : " up", value);
}

static int check_form(const struct option *option, const char *value, bool good, const char *form)
{
    if (good)
        return 0;
    return complain(SWATHE_ERROR_ARGUMENT, "--%s takes %s, not '%s'", option->name, form, value);
}

static int check_progress(const struct option *option, const char *value)
{
    int fd = -1;
    int code = check_form(option, value, !*value || value_progress(value, &fd),
                          "no value, =json or =json:DESCRIPTOR");
    if (code == 0 && *value && !os_is_open(fd))
        return complain(SWATHE_ERROR_ARGUMENT, "--%s=%s: descriptor %d is not open", option->name,
                        value, fd);
    return code;
}

int value_check(const struct option *option, const char *value)
{
    int64_t number;
    double seconds, color[3];
    char plain[4];
    swathe_rect region;
    switch (option->kind) {
    case KIND_FLAG:
        return 0;
    case KIND_PROGRESS:
        return check_progress(option, value);
    case KIND_WORD:
        return value_check_word(option, value);
    case KIND_SUBSAMPLING:
        return value_check_word(option, value_subsampling(value, plain));
    case KIND_COUNT:
        return value_check_count(option, value);
    case KIND_NUMBER:
        return value_check_number(option, value);
    case KIND_SIZE:
        return check_form(option, value, value_size(value, &number), "a size such as 512M or 2G");
    case KIND_DURATION:
        return check_form(option, value, value_duration(value, &seconds) && seconds >= 1,
                          "a time of a second or more, such as 90s, 10m or 1h");
    case KIND_QUALITY:
        return check_form(option, value,
                          value_quality(value, &number) &&
                              (number >= option->lowest || strcmp(value, "lossless") == 0),
                          "a whole number from 1 to 100, or lossless");
    case KIND_VALUES:
        return check_form(option, value, value_is_values(value),
                          "keep, scale, fit, fit:1%..99% or fit(LO..HI)");
    case KIND_PAGE:
        return check_form(option, value, value_page(value, &number),
                          "a whole number of at least 1, or all");
    case KIND_REGION:
        return check_form(option, value, value_region(value, &region),
                          "WIDTHxHEIGHT+LEFT+TOP such as 640x480+100+50");
    case KIND_COLOR:
        return check_form(option, value, value_color(value, color),
                          "white, black, grey, #RRGGBB or R,G,B with numbers from 0 to 255");
    case KIND_PATTERN:
        return check_form(option, value, value_is_pattern(value),
                          "a file name with {stem} and {ext}, such as '{stem}_sharp{ext}', without "
                          "directories and without a dot at its start");
    default:
        return check_form(option, value, value[0] != '\0', "a value");
    }
}

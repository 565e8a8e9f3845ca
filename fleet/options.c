/* The command line: the tables of commands and options, and the values of options. */
#include "options.h"

#include "../src/base/nearest_word.h"
#include "../src/base/word_list.h"
#include "fail.h"
#include "set/message.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The name of the file format that has this name or file name extension; NULL: none. */
static const char *format_word(const char *word)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_FORMATS, i, &entry) == SWATHE_OK; i++)
        if (strcmp(entry.name, word) == 0 || word_listed(entry.syntax, ',', word, strncmp))
            return entry.name;
    return NULL;
}

/* ---- Values of options ------------------------------------------------------------------------
 */

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
static bool fleet_options_read_size(const char *text, int64_t *size)
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
static bool fleet_options_word_at(const struct fleet_option *option, int index,
                                  char word[EDIT_WORD])
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

static int fleet_options_check_word(const struct fleet_option *option, const char *value)
{
    if (option->words[0] == '@' && format_word(value))
        return 0;
    struct nearest nearest;
    char word[EDIT_WORD], list[256] = "one of", advice[128];
    nearest_start(&nearest, value);
    for (int i = 0; fleet_options_word_at(option, i, word); i++) {
        if (strcmp(word, value) == 0)
            return 0;
        nearest_offer(&nearest, word);
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, " %s", word);
    }
    return fleet_complain(SWATHE_ERROR_ARGUMENT, "--%s takes %s, not '%s'%s", option->name, list,
                          value, nearest_hint(&nearest, "", advice, sizeof advice));
}

static int fleet_options_check_count(const struct fleet_option *option, const char *value)
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

/* Checks a value. 0, or the exit code after a message. */
static int check_value(const struct fleet_option *option, const char *value)
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
        return fleet_options_check_word(option, value);
    case KIND_COUNT:
    case KIND_QUALITY:
        return fleet_options_check_count(option, value);
    case KIND_SIZE:
        return fleet_options_read_size(value, &size)
                   ? 0
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
        fleet_options_read_size(text, &value);
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

/* ---- Options ----------------------------------------------------------------------------------
 */

#define COMMAND(id, name, function, ...) int function(const struct fleet_options *options);
#include "commands.def"
#undef COMMAND

static const struct fleet_command commands[] = {
#define COMMAND(id, name, function, arguments, summary, detail, example)                           \
    {name, arguments, summary, detail, example, function},
#include "commands.def"
#undef COMMAND
};

static const struct fleet_option table[] = {
#define IN(command) (1u << COMMAND_##command)
#define EVERY       ((1u << COMMAND_COUNT) - 1)
#define OPTION(id, name, value, kind, words, lowest, highest, in, required, summary)               \
    {name, value, kind, words, lowest, highest, in, required, summary},
#include "options.def"
#undef OPTION
#undef EVERY
#undef IN
};

const struct fleet_command *fleet_command_at(int index)
{
    return index >= 0 && index < COMMAND_COUNT ? &commands[index] : NULL;
}

const struct fleet_option *fleet_option_at(int index)
{
    return index >= 0 && index < OPTION_COUNT ? &table[index] : NULL;
}

bool fleet_option_fits(const struct fleet_option *option, const struct fleet_command *command)
{
    return option->commands >> (command - commands) & 1;
}

static const struct fleet_option *fleet_options_find(const struct fleet_command *command,
                                                     const char *name, size_t length)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (fleet_option_fits(&table[i], command) && strlen(table[i].name) == length &&
            strncmp(table[i].name, name, length) == 0)
            return &table[i];
    return NULL;
}

static int fleet_options_unknown(const struct fleet_command *command, const char *word)
{
    struct nearest nearest;
    char name[EDIT_WORD] = "", advice[128];
    const char *bare = word + strspn(word, "-");
    size_t length = strcspn(bare, "=");
    strncat(name, bare, length < sizeof name - 1 ? length : sizeof name - 1);
    nearest_start(&nearest, name);
    for (int i = 0; i < OPTION_COUNT; i++)
        if (fleet_option_fits(&table[i], command))
            nearest_offer(&nearest, table[i].name);
    nearest_hint(&nearest, "--", advice, sizeof advice);
    return fleet_complain(SWATHE_ERROR_ARGUMENT, "%s: unknown option %s%s", command->name, word,
                          *advice ? advice : "; --help lists them");
}

static int store_value(struct fleet_options *options, const struct fleet_option *option,
                       const char *value)
{
    int code = check_value(option, value);
    if (code != 0)
        return code;
    if (strcmp(option->words, "@formats") == 0)
        value = format_word(value); /* --format jpg is --format jpeg */
    options->values[option - table] = value;
    if (option->kind != KIND_MANY)
        return 0;
    if (options->many_count == OPTIONS_MANY)
        return fleet_complain(SWATHE_ERROR_ARGUMENT, "--%s was given more than %d times",
                              option->name, OPTIONS_MANY);
    options->many[options->many_count++] = value;
    return 0;
}

/* Reads the option at words[*at] and its value. */
static int fleet_options_take_option(struct fleet_options *options, int count, char **words,
                                     int *at)
{
    const char *word = words[*at];
    size_t length = strcspn(word + 2, "=");
    const struct fleet_option *option =
        word[1] == '-' ? fleet_options_find(options->command, word + 2, length) : NULL;
    if (!option)
        return fleet_options_unknown(options->command, word);
    const char *value = word[2 + length] ? word + 2 + length + 1 : NULL;
    if (option->kind == KIND_FLAG && value)
        return fleet_complain(SWATHE_ERROR_ARGUMENT, "--%s takes no value", option->name);
    if (option->kind == KIND_FLAG)
        return store_value(options, option, "");
    if (!value && *at + 1 < count)
        value = words[++*at];
    if (!value)
        return fleet_complain(SWATHE_ERROR_ARGUMENT, "--%s needs a value: --%s %s", option->name,
                              option->name, option->value);
    return store_value(options, option, value);
}

static int fleet_options_check_complete(const struct fleet_options *options)
{
    const struct fleet_command *command = options->command;
    int expected = *command->arguments != '\0';
    if (options->argument_count != expected)
        return fleet_complain(SWATHE_ERROR_ARGUMENT, "%s: use: swathe-fleet %s%s%s [OPTION]...",
                              command->name, command->name, expected ? " " : "",
                              command->arguments);
    for (int i = 0; i < OPTION_COUNT; i++)
        if (table[i].required >> (command - commands) & 1 && !options->values[i])
            return fleet_complain(SWATHE_ERROR_ARGUMENT, "%s: --%s %s is missing", command->name,
                                  table[i].name, table[i].value);
    return 0;
}

int fleet_options_parse(const struct fleet_command *command, int count, char **words,
                        struct fleet_options *options)
{
    *options = (struct fleet_options){.command = command};
    for (int i = 0; i < count; i++) {
        int code = 0;
        if (words[i][0] == '-' && words[i][1])
            code = fleet_options_take_option(options, count, words, &i);
        else if (options->argument_count < OPTIONS_ARGUMENTS)
            options->arguments[options->argument_count++] = words[i];
        if (code != 0)
            return code;
    }
    return fleet_option_given(options, OPTION_HELP) ? 0 : fleet_options_check_complete(options);
}

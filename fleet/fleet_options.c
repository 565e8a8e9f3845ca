#include "fleet_options.h"

#include "../src/base/nearest_word.h"
#include "fleet_fail.h"
#include "format_word.h"

#include <string.h>

#define COMMAND(id, name, function, ...) int function(const struct fleet_options *options);
#include "fleet_command.def"
#undef COMMAND

static const struct fleet_command commands[] = {
#define COMMAND(id, name, function, arguments, summary, detail, example)                           \
    {name, arguments, summary, detail, example, function},
#include "fleet_command.def"
#undef COMMAND
};

static const struct fleet_option table[] = {
#define IN(command) (1u << COMMAND_##command)
#define EVERY       ((1u << COMMAND_COUNT) - 1)
#define OPTION(id, name, value, kind, words, lowest, highest, in, required, summary)               \
    {name, value, kind, words, lowest, highest, in, required, summary},
#include "fleet_option.def"
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

static const struct fleet_option *find(const struct fleet_command *command, const char *name,
                                       size_t length)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (fleet_option_fits(&table[i], command) && strlen(table[i].name) == length &&
            strncmp(table[i].name, name, length) == 0)
            return &table[i];
    return NULL;
}

static int unknown(const struct fleet_command *command, const char *word)
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

static int keep(struct fleet_options *options, const struct fleet_option *option, const char *value)
{
    int code = fleet_value_check(option, value);
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
static int take_option(struct fleet_options *options, int count, char **words, int *at)
{
    const char *word = words[*at];
    size_t length = strcspn(word + 2, "=");
    const struct fleet_option *option =
        word[1] == '-' ? find(options->command, word + 2, length) : NULL;
    if (!option)
        return unknown(options->command, word);
    const char *value = word[2 + length] ? word + 2 + length + 1 : NULL;
    if (option->kind == KIND_FLAG && value)
        return fleet_complain(SWATHE_ERROR_ARGUMENT, "--%s takes no value", option->name);
    if (option->kind == KIND_FLAG)
        return keep(options, option, "");
    if (!value && *at + 1 < count)
        value = words[++*at];
    if (!value)
        return fleet_complain(SWATHE_ERROR_ARGUMENT, "--%s needs a value: --%s %s", option->name,
                              option->name, option->value);
    return keep(options, option, value);
}

static int check_complete(const struct fleet_options *options)
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
            code = take_option(options, count, words, &i);
        else if (options->argument_count < OPTIONS_ARGUMENTS)
            options->arguments[options->argument_count++] = words[i];
        if (code != 0)
            return code;
    }
    return fleet_option_given(options, OPTION_HELP) ? 0 : check_complete(options);
}

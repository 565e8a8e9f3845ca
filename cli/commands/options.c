#include "commands/options.h"

#include "../../src/base/os_path.h"
#include "commands/known_words.h"
#include "commands/value.h"
#include "terminal/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cursor {
    char *const *words;
    int count, at;
};

static const struct option *cli_options_find(const struct command *command, const char *name,
                                             size_t length)
{
    const struct option *option;
    for (int i = 0; (option = option_at(i)); i++)
        if (option_fits(option, command) && strlen(option->name) == length &&
            strncmp(option->name, name, length) == 0)
            return option;
    return NULL;
}

static const struct option *find_letter(const struct command *command, char letter)
{
    const struct option *option;
    for (int i = 0; (option = option_at(i)); i++)
        if (option_fits(option, command) && option->letter == letter)
            return option;
    return NULL;
}

static int cli_options_unknown(const struct command *command, const char *word)
{
    struct nearest nearest;
    char name[WORD_SIZE] = "";
    const char *bare = word + strspn(word, "-");
    strncat(name, bare, strcspn(bare, "=") < WORD_SIZE - 1 ? strcspn(bare, "=") : WORD_SIZE - 1);
    nearest_start(&nearest, name);
    const struct option *option;
    for (int i = 0; (option = option_at(i)); i++)
        if (option_fits(option, command))
            nearest_offer(&nearest, option->name);
    if (nearest_found(&nearest))
        return complain(SWATHE_ERROR_ARGUMENT, "%s: unknown option %s; did you mean --%s?",
                        command->name, word, nearest_found(&nearest));
    return complain(SWATHE_ERROR_ARGUMENT, "%s: unknown option %s; 'swathe help %s' lists them",
                    command->name, word, command->name);
}

static int take_again(struct options *options, const struct option *option, const char *value)
{
    if (options->scan_count == OPTIONS_SCANS)
        return complain(SWATHE_ERROR_ARGUMENT, "--%s was given more than %d times", option->name,
                        OPTIONS_SCANS);
    options->scans[options->scan_count++] = value;
    return 0;
}

static int take_value(struct options *options, const struct option *option,
                      const char *inline_value, struct cursor *cursor)
{
    const char *value = inline_value;
    if (option->kind == KIND_FLAG && value)
        return complain(SWATHE_ERROR_ARGUMENT, "--%s takes no value", option->name);
    if (!value && !option_takes_word(option))
        value = "";
    else if (!value && cursor->at < cursor->count)
        value = cursor->words[cursor->at++];
    if (!value)
        return complain(SWATHE_ERROR_ARGUMENT, "--%s needs a value: --%s %s", option->name,
                        option->name, option->value);
    int code = value_check(option, value);
    if (code == 0 && option->kind == KIND_MANY)
        code = take_again(options, option, value);
    if (code == 0 && strcmp(option->words, "@formats") == 0)
        value = known_words_format(value); /* --format jpg is --format jpeg */
    for (int i = 0; code == 0 && i < OPTION_COUNT; i++)
        if (option_at(i) == option)
            options->values[i] = value;
    return code;
}

static int cli_options_take_option(struct options *options, const char *word, struct cursor *cursor)
{
    const struct option *option = NULL;
    const char *value = NULL;
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        option = cli_options_find(options->command, word + 2, length);
        value = word[2 + length] ? word + 2 + length + 1 : NULL;
    } else if (word[2] == '\0') {
        option = find_letter(options->command, word[1]);
    }
    return option ? take_value(options, option, value, cursor)
                  : cli_options_unknown(options->command, word);
}

/* Writes "swathe apply sharpen IN OUT", or if `given`, with the arguments as files. */
static void chain_example(const struct options *options, bool given, char *text, int size)
{
    const struct argument *argument;
    int at = snprintf(text, (size_t)size, "swathe %s sharpen", options->command->name);
    for (int i = 1; (argument = command_argument(options->command, i)) && at < size; i++)
        at += given && i <= options->argument_count
                  ? snprintf(text + at, (size_t)(size - at), " %s", options->arguments[i - 1])
                  : snprintf(text + at, (size_t)(size - at), " %s%s", argument->name,
                             argument->many ? "..." : "");
}

int options_complain_chain(const struct options *options)
{
    char example[512];
    int count = 0;
    while (command_argument(options->command, count))
        count++;
    bool missing = options->argument_count < count;
    chain_example(options, missing, example, sizeof example);
    if (missing)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "%s: the chain of filters is missing; it comes before the files, as in: "
                        "%s; 'swathe filters' lists the filters",
                        options->command->name, example);
    return complain(SWATHE_ERROR_ARGUMENT,
                    "%s: '%s' is a file; the chain of filters comes first, as in: %s; 'swathe "
                    "filters' lists the filters",
                    options->command->name, options->arguments[0], example);
}

/* True if a file is where the chain should be. The file may not exist yet. */
static bool lacks_chain(const struct options *options)
{
    const struct argument *first = command_argument(options->command, 0);
    if (first->kind != KIND_CHAIN || !first->needed)
        return false;
    const char *word = options->argument_count > 0 ? options->arguments[0] : NULL;
    const char *dot = word ? strrchr(word, '.') : NULL;
    if (word && known_words_filter(word))
        return false; /* even if a file has that name */
    return !word || os_exists(word) ||
           (dot && !strpbrk(word, ":,(") && known_words_format(dot + 1));
}

static int cli_options_check_arguments(const struct options *options)
{
    const struct command *command = options->command;
    const struct argument *argument;
    char synopsis[256];
    command_synopsis(command, synopsis, sizeof synopsis);
    int i;
    for (i = 0; (argument = command_argument(command, i)); i++) {
        if (i >= options->argument_count && argument->needed && lacks_chain(options))
            return options_complain_chain(options);
        if (i >= options->argument_count && argument->needed)
            return complain(SWATHE_ERROR_ARGUMENT, "%s: %s is missing; use: %s", command->name,
                            argument->name, synopsis);
        if (argument->many || i >= options->argument_count)
            return 0;
    }
    if (options->argument_count > i)
        return complain(SWATHE_ERROR_ARGUMENT, "%s: '%s' is one argument too many; use: %s",
                        command->name, options->arguments[i], synopsis);
    return 0;
}

static void cli_options_put(struct options *options, size_t *at, const char *text)
{
    for (; *text && *at < OPTIONS_LINE - 1; text++)
        options->line[(*at)++] = *text;
    options->line[*at] = '\0';
}

/* Quotes the word if a shell would split it. */
static void keep_line(struct options *options, int count, char *const *words)
{
    size_t at = 0;
    cli_options_put(options, &at, "swathe ");
    cli_options_put(options, &at, options->command->name);
    for (int i = 0; i < count; i++) {
        bool plain = *words[i] && !strpbrk(words[i], " \t\n'\"\\$&|;<>()*?[]#~`!{}");
        cli_options_put(options, &at, plain ? " " : " '");
        for (const char *c = words[i]; *c; c++)
            cli_options_put(options, &at, *c == '\'' ? "'\\''" : (char[]){*c, '\0'});
        cli_options_put(options, &at, plain ? "" : "'");
    }
}

int options_parse(const struct command *command, int count, char *const *words,
                  struct options *options)
{
    *options = (struct options){.command = command, .words = words};
    struct cursor cursor = {words, count, 0};
    options->arguments = malloc(((size_t)count + 1) * sizeof *options->arguments);
    if (!options->arguments)
        return complain(SWATHE_ERROR_MEMORY, "no memory for %d words of the command line", count);
    keep_line(options, count, words);
    bool only_arguments = false;
    while (cursor.at < count) {
        char *word = words[cursor.at++];
        if (only_arguments || word[0] != '-' || word[1] == '\0') {
            options->arguments[options->argument_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_arguments = true;
        } else {
            int code = cli_options_take_option(options, word, &cursor);
            if (code != 0)
                return code;
        }
    }
    return options_has(options, OPTION_HELP) ? 0 : cli_options_check_arguments(options);
}

void options_free(struct options *options)
{
    free(options->arguments);
}

int64_t options_count(const struct options *options, enum option_id id)
{
    int64_t count = 0;
    if (options->values[id])
        value_count(options->values[id], &count);
    return count;
}

int64_t options_size(const struct options *options, enum option_id id)
{
    int64_t size = 0;
    if (options->values[id])
        value_size(options->values[id], &size);
    return size;
}

double options_number(const struct options *options, enum option_id id)
{
    double number = 0;
    if (options->values[id])
        value_number(options->values[id], &number);
    return number;
}

bool format_find(const char *name, const char *path, swathe_table_entry *entry)
{
    const char *dot = strrchr(path, '.');
    if (name)
        return known_words_entry(SWATHE_TABLE_FORMATS, name, entry);
    for (int32_t i = 0; dot && swathe_table_get(SWATHE_TABLE_FORMATS, i, entry) == SWATHE_OK; i++)
        if (word_listed(entry->syntax, ',', dot + 1, strncasecmp))
            return true;
    return false;
}

bool format_options_useless(const struct options *options, int index, const char *path)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    const char *name = option_at(index)->name;
    if (format_find(options_text(options, OPTION_FORMAT), path, &entry) &&
        word_listed(entry.detail, ' ', name, strncasecmp))
        return false;
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_FORMATS, i, &entry) == SWATHE_OK; i++)
        if (word_listed(entry.detail, ' ', name, strncasecmp))
            return true;
    return false;
}

bool format_keeps(const swathe_table_entry *format, const char *what)
{
    return word_listed(format->keeps, ' ', what, strncasecmp);
}

struct options format_options_for(const struct options *options, const char *path)
{
    struct options left = *options;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (left.values[i] && format_options_useless(options, i, path))
            left.values[i] = NULL;
    return left;
}

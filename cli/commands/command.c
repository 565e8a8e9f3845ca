#include "commands/command.h"

#include <stdio.h>
#include <string.h>

static const struct command commands[] = {
#define COMMAND(id, name, function, summary, detail, example) {name, summary, detail, example},
#include "commands/command.def"
#undef COMMAND
};

static const struct argument arguments[] = {
#define ARGUMENT(command, name, kind, words, needed, many, summary)                                \
    {COMMAND_##command, name, kind, words, needed, many, summary},
#include "commands/argument.def"
#undef ARGUMENT
};

static const struct option options_table[] = {
#define IN(command) (1u << COMMAND_##command)
#define OPTION(id, name, letter, value, kind, words, lowest, highest, group, in, summary)          \
    {name, letter, value, kind, words, lowest, highest, group, in, summary},
#include "commands/option.def"
#undef OPTION
#undef IN
};

const struct command *command_at(int index)
{
    return index >= 0 && index < COMMAND_COUNT ? &commands[index] : NULL;
}

const struct command *command_named(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

const struct argument *command_argument(const struct command *command, int index)
{
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        if ((int)arguments[i].command == command_index(command) && index-- == 0)
            return &arguments[i];
    return NULL;
}

const struct option *option_at(int index)
{
    return index >= 0 && index < OPTION_COUNT ? &options_table[index] : NULL;
}

int command_index(const struct command *command)
{
    return (int)(command - commands);
}

bool option_takes_word(const struct option *option)
{
    return option->kind != KIND_FLAG && option->kind != KIND_PROGRESS;
}

bool option_fits(const struct option *option, const struct command *command)
{
    return option->commands >> command_index(command) & 1;
}

const char *group_title(enum group group)
{
    static const char *const titles[GROUP_COUNT] = {
        [GROUP_MANY] = "Files",   [GROUP_RESULT] = "Result",   [GROUP_FILE] = "Output file",
        [GROUP_LIMIT] = "Limits", [GROUP_RUN] = "How it runs", [GROUP_OUTPUT] = "Output",
    };
    return titles[group];
}

void command_synopsis(const struct command *command, char *text, int size)
{
    int at = snprintf(text, (size_t)size, "swathe %s", command->name);
    const struct argument *argument;
    for (int i = 0; (argument = command_argument(command, i)) && at < size; i++)
        at += snprintf(text + at, (size_t)(size - at), argument->needed ? " %s%s" : " [%s]%s",
                       argument->name, argument->many ? "..." : "");
    if (at < size)
        snprintf(text + at, (size_t)(size - at), " [OPTION]...");
}

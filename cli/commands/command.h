/* The subcommands, their arguments and options, as tables. */
#ifndef SWATHE_CLI_COMMANDS_COMMAND_H
#define SWATHE_CLI_COMMANDS_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

enum command_id {
#define COMMAND(id, ...) COMMAND_##id,
#include "commands/command.def"
#undef COMMAND
    COMMAND_COUNT
};

enum option_id {
#define OPTION(id, ...) OPTION_##id,
#include "commands/option.def"
#undef OPTION
    OPTION_COUNT
};

/* The form of an option's value. */
enum kind {
    KIND_FLAG,        /* no value */
    KIND_PROGRESS,    /* none, or json[:DESCRIPTOR] after an equals sign */
    KIND_TEXT,        /* anything; the library checks it */
    KIND_MANY,        /* the same, and the option may be repeated */
    KIND_WORD,        /* one of the entry's words */
    KIND_COUNT,       /* whole number, lowest..highest */
    KIND_NUMBER,      /* decimal number, lowest..highest; highest 0: no upper limit */
    KIND_SIZE,        /* bytes or pixels, such as 512M */
    KIND_DURATION,    /* 90s, 10m, 1h */
    KIND_QUALITY,     /* whole number or "lossless" */
    KIND_SUBSAMPLING, /* one of the entry's words, also written as 4:2:2 */
    KIND_VALUES,      /* keep, scale, fit, fit:P%..Q% or fit(LO..HI) */
    KIND_PAGE,        /* whole number of at least 1, or "all" */
    KIND_REGION,      /* WxH+X+Y */
    KIND_COLOR,       /* a word, #rrggbb or r,g,b */
    KIND_PATTERN,     /* a file name with {stem} and {ext} */
    KIND_FILE,
    KIND_CHAIN
};

/* Groups of options, in the order of the help. */
enum group {
    GROUP_MANY,
    GROUP_RESULT,
    GROUP_FILE,
    GROUP_LIMIT,
    GROUP_RUN,
    GROUP_OUTPUT,
    GROUP_COUNT
};

struct command {
    const char *name, *summary, *detail, *example;
};

struct argument {
    enum command_id command;
    const char *name;
    enum kind kind;
    const char *words;
    bool needed, many;
    const char *summary;
};

struct option {
    const char *name;
    char letter; /* 0: none */
    const char *value;
    enum kind kind;
    const char *words;
    int64_t lowest, highest;
    enum group group;
    uint32_t commands; /* a bit for each command_id */
    const char *summary;
};

/* Each returns NULL past the end, or if there is none. */
const struct command *command_at(int index);
const struct command *command_named(const char *name);
const struct argument *command_argument(const struct command *command, int index);
const struct option *option_at(int index);

int command_index(const struct command *command);
/* True if the next word is its value, unless the value follows an equals sign. */
bool option_takes_word(const struct option *option);
bool option_fits(const struct option *option, const struct command *command);
const char *group_title(enum group group);

/* Writes "swathe apply [OPTION]... CHAIN IN OUT", truncated to `size`. */
void command_synopsis(const struct command *command, char *text, int size);

#endif

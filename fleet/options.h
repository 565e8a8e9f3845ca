/* The commands of swathe-fleet and a parsed command line. */
#ifndef FLEET_OPTIONS_H
#define FLEET_OPTIONS_H

#include "swathe/swathe.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum fleet_command_id {
#define COMMAND(id, ...) COMMAND_##id,
#include "commands.def"
#undef COMMAND
    COMMAND_COUNT
};

enum fleet_option_id {
#define OPTION(id, ...) OPTION_##id,
#include "options.def"
#undef OPTION
    OPTION_COUNT
};

/* The form of an option's value. */
enum fleet_kind {
    KIND_FLAG,     /* no value */
    KIND_TEXT,     /* any */
    KIND_MANY,     /* any; the option may be repeated */
    KIND_NAME,     /* of a set or a worker */
    KIND_WORD,     /* one of the entry's words */
    KIND_COUNT,    /* whole number, lowest..highest */
    KIND_SIZE,     /* bytes or pixels, such as 512M */
    KIND_NUMBER,   /* decimal number, at least lowest */
    KIND_SHARE,    /* 0 to 1, or a percentage such as 0.1% */
    KIND_DURATION, /* 500ms, 90s, 10m, 1h */
    KIND_QUALITY   /* 1 to 100, or "lossless" */
};

struct fleet_options;

struct fleet_command {
    const char *name, *arguments; /* `arguments`: as in "CHAIN"; empty: none */
    const char *summary, *detail, *example;
    int (*run)(const struct fleet_options *options); /* returns the exit code */
};

struct fleet_option {
    const char *name, *value; /* `value`: its placeholder in help */
    enum fleet_kind kind;
    const char *words; /* KIND_WORD: separated by spaces */
    int64_t lowest, highest;
    uint32_t commands, required; /* a bit for each command */
    const char *summary;
};

enum { OPTIONS_MANY = 64, OPTIONS_ARGUMENTS = 4 };

struct fleet_options {
    const struct fleet_command *command;
    const char *values[OPTION_COUNT];         /* NULL: not given; flags: "" */
    const char *arguments[OPTIONS_ARGUMENTS]; /* those that are not options */
    int argument_count;
    const char *many[OPTIONS_MANY]; /* values of the option that may be repeated */
    int many_count;
};

/* NULL past the end. */
const struct fleet_command *fleet_command_at(int index);
const struct fleet_option *fleet_option_at(int index);
bool fleet_option_fits(const struct fleet_option *option, const struct fleet_command *command);

/* Parses the words after the command, which the options borrow, and checks every value. 0, or the
 * exit code after a message. */
int fleet_options_parse(const struct fleet_command *command, int count, char **words,
                        struct fleet_options *options);

static inline bool fleet_option_given(const struct fleet_options *options, enum fleet_option_id id)
{
    return options->values[id] != NULL;
}

/* NULL if the option was not given. */
static inline const char *fleet_option_text(const struct fleet_options *options,
                                            enum fleet_option_id id)
{
    return options->values[id];
}

/* KIND_COUNT, KIND_SIZE, and KIND_QUALITY, where "lossless" is 0; `otherwise` if the option was not
 * given. */
int64_t fleet_option_count(const struct fleet_options *options, enum fleet_option_id id,
                           int64_t otherwise);
/* KIND_NUMBER, KIND_SHARE; KIND_DURATION in seconds. */
double fleet_option_number(const struct fleet_options *options, enum fleet_option_id id,
                           double otherwise);

void fleet_help_program(FILE *out);
void fleet_help_command(FILE *out, const struct fleet_command *command);
void fleet_man_program(void);
void fleet_man_command(const struct fleet_command *command);

#endif

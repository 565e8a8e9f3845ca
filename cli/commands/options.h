/* A parsed command line. */
#ifndef SWATHE_CLI_COMMANDS_OPTIONS_H
#define SWATHE_CLI_COMMANDS_OPTIONS_H

#include "commands/command.h"
#include "swathe/unstable.h"

enum { OPTIONS_SCANS = 32, OPTIONS_LINE = 1024 };

struct options {
    const struct command *command;
    const char *values[OPTION_COUNT]; /* NULL: not given; flags: "" */
    char *const *words;               /* as given, after the command's name; NULL after the last */
    const char **arguments;           /* those that are not options */
    int argument_count;
    const char *scans[OPTIONS_SCANS]; /* values of the option that may be repeated */
    int scan_count;
    char line[OPTIONS_LINE]; /* the command as it was given, truncated to this size */
};

/* Parses the words after the command, which the options borrow, and checks every value. 0, or the
 * exit code after a message. The options must be freed in either case. */
int options_parse(const struct command *command, int count, char *const *words,
                  struct options *options);
/* Says that the chain, the first argument, is missing or that a file is in its place, with an
 * example. Returns the exit code. */
int options_complain_chain(const struct options *options);
void options_free(struct options *options);

static inline bool options_has(const struct options *options, enum option_id id)
{
    return options->values[id] != NULL;
}

/* NULL if the option was not given. */
static inline const char *options_text(const struct options *options, enum option_id id)
{
    return options->values[id];
}

/* The value of an option of KIND_COUNT, KIND_SIZE or KIND_NUMBER; 0 if it was not given. */
int64_t options_count(const struct options *options, enum option_id id);
int64_t options_size(const struct options *options, enum option_id id);
double options_number(const struct options *options, enum option_id id);

/* Removes options that only some output formats take, such as --quality, and that of `path` does
 * not. The library's table of formats lists them. */
struct options format_options_for(const struct options *options, const char *path);
/* True if some format takes option `index`, but that of --format or else of `path` does not. */
bool format_options_useless(const struct options *options, int index, const char *path);
/* The format with this name; NULL: that of the extension of `path`. False: there is none. */
bool format_find(const char *name, const char *path, swathe_table_entry *entry);
/* True if the format's entry in that table lists this kind of metadata, such as "exif". */
bool format_keeps(const swathe_table_entry *format, const char *what);

#endif

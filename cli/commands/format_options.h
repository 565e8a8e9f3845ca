/* Options that only some output formats take, such as --quality. The library's table of formats
 * lists them. */
#ifndef SWATHE_CLI_COMMANDS_FORMAT_OPTIONS_H
#define SWATHE_CLI_COMMANDS_FORMAT_OPTIONS_H

#include "commands/options.h"
#include "swathe/swathe.h"

/* Removes options that the format of `path` does not take. */
struct options format_options_for(const struct options *options, const char *path);
/* True if some format takes option `index`, but that of --format or else of `path` does not. */
bool format_options_useless(const struct options *options, int index, const char *path);
/* The format with this name; NULL: that of the extension of `path`. False: there is none. */
bool format_find(const char *name, const char *path, swathe_table_entry *entry);
/* True if the format's entry in that table lists this kind of metadata, such as "exif". */
bool format_keeps(const swathe_table_entry *format, const char *what);

#endif

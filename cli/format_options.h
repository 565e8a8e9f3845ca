/* Options that only some formats take when they are written, such as --quality: those that the
 * library's table of formats names. */
#ifndef SWATHE_CLI_FORMAT_OPTIONS_H
#define SWATHE_CLI_FORMAT_OPTIONS_H

#include "options.h"
#include "swathe/swathe.h"

/* Leaves out what the format of `path` does not take. */
struct options format_options_for(const struct options *options, const char *path);
/* Some format takes option `index`, and that of `path` does not. */
bool format_options_useless(int index, const char *path);
/* Does an entry of that table say that the format holds such metadata, as in "exif"? */
bool format_keeps(const swathe_table_entry *format, const char *what);

#endif

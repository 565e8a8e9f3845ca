/* The first record of a journal: all options that determine the bytes of the results, and the
 * directory of the results if the journal is elsewhere. */
#ifndef SWATHE_CLI_BATCH_JOURNAL_HEADER_H
#define SWATHE_CLI_BATCH_JOURNAL_HEADER_H

#include "batch/record.h"
#include "commands/options.h"

enum { JOURNAL_HEADER_FIELDS = OPTION_COUNT + 4, JOURNAL_HEADER_START = 22 };

/* Writes the record without its end. */
void journal_header_write(const struct options *options, const swathe_chain *chain,
                          struct record *record);
/* Are the first JOURNAL_HEADER_START bytes of a file, a string, those of a header? */
bool journal_header_starts(const char *bytes);
/* Checks that a journal whose header has these `fields` belongs to this command. 0, or the exit
 * code after a message that names the first difference. */
int journal_header_check(const char *path, char *const *fields, int count,
                         const struct options *options, const swathe_chain *chain);

#endif

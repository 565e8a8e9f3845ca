/* What a journal begins with: everything that decides which bytes the results have, and their
 * folder, where the journal is not in it. */
#ifndef SWATHE_CLI_BATCH_HEADING_H
#define SWATHE_CLI_BATCH_HEADING_H

#include "batch/record.h"
#include "options.h"

enum { HEADING_FIELDS = OPTION_COUNT + 4, HEADING_START = 22 };

/* All of the record but its end. */
void heading_write(const struct options *options, const swathe_chain *chain, struct record *record);
/* Are the first HEADING_START bytes of a file, a string, those of a heading? */
bool heading_starts(const char *bytes);
/* Does a journal that begins with `fields` belong to this call? Else the exit code, after a message
 * that names the first difference. */
int heading_check(const char *path, char *const *fields, int count, const struct options *options,
                  const swathe_chain *chain);

#endif

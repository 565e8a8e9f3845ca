/* A line of the journal: the CRC-32 of the rest, the record's type as a word, and fields, separated
 * by tabs. Tabs, line ends and backslashes of a field are written \t, \n and \\. */
#ifndef SWATHE_CLI_BATCH_RECORD_H
#define SWATHE_CLI_BATCH_RECORD_H

#include "commands/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Its memory is reused from one record to the next. */
struct record {
    char *text;
    size_t size, room;
    bool failed; /* an allocation failed */
};

void record_begin(struct record *record, const char *word);
void record_add(struct record *record, const char *field);
void record_add_number(struct record *record, int64_t number);
/* Completes the line in text and size; false: no memory. */
bool record_end(struct record *record);
void record_free(struct record *record);

/* Splits a line of `size` bytes, including its line end, into fields, in place; the type comes
 * first. Returns their number; those past `most` are not stored. 0: the line is damaged. */
int record_read(char *line, size_t size, char **fields, int most);

/* The first record of a journal: all options that determine the bytes of the results, and the
 * directory of the results if the journal is elsewhere. */
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

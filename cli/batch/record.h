/* A line of the journal: the CRC-32 of the rest, the record's type as a word, and fields, separated
 * by tabs. Tabs, line ends and backslashes of a field are written \t, \n and \\. */
#ifndef SWATHE_CLI_BATCH_RECORD_H
#define SWATHE_CLI_BATCH_RECORD_H

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

#endif

/* A line of the journal: a CRC-32 of what follows it, a word that says what it is, and fields, with
 * tabs between. Tabs, line ends and backslashes of a field are written \t, \n and \\. */
#ifndef SWATHE_CLI_BATCH_RECORD_H
#define SWATHE_CLI_BATCH_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The memory is kept from one record to the next. */
struct record {
    char *text;
    size_t size, room;
    bool failed; /* no memory */
};

void record_begin(struct record *record, const char *word);
void record_add(struct record *record, const char *field);
void record_add_number(struct record *record, int64_t number);
/* The line is in text and size; false: no memory. */
bool record_end(struct record *record);
void record_free(struct record *record);

/* Takes the fields of a line of `size` bytes, its line end included, in place; the word comes
 * first. How many there are; those past `most` are left out. 0: it is damaged. */
int record_read(char *line, size_t size, char **fields, int most);

#endif

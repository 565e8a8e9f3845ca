/* Words that name file formats. */
#ifndef FLEET_FORMAT_WORD_H
#define FLEET_FORMAT_WORD_H

#include <stdbool.h>

/* The name of the format that has this name or file name extension; NULL: none. */
const char *format_word(const char *word);
/* True if the word is in a list, such as the extensions of a format. */
bool format_listed(const char *list, char separator, const char *word);

#endif

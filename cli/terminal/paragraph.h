/* Text wrapped into lines. */
#ifndef SWATHE_CLI_TERMINAL_PARAGRAPH_H
#define SWATHE_CLI_TERMINAL_PARAGRAPH_H

#include <stdio.h>

enum { LINE_WIDTH = 80 };

/* Number of columns of a UTF-8 text, one per character. */
int text_columns(const char *text);

/* Prints words from column `column` on, wrapped; further lines are indented by `indent`. A '\n' in
 * the text ends a paragraph, and an empty line follows. The output ends with a newline. */
void paragraph_print(FILE *out, int column, int indent, const char *text);

/* Prints a term in a column of `width`, and its explanation beside it. */
void paragraph_entry(FILE *out, int width, const char *term, const char *text);

#endif

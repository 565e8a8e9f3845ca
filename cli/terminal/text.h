/* Text for people, wrapped into lines, and for manual pages in troff. */
#ifndef SWATHE_CLI_TERMINAL_TEXT_H
#define SWATHE_CLI_TERMINAL_TEXT_H

#include <stdio.h>

enum { LINE_WIDTH = 80 };

/* Number of columns of a UTF-8 text, one per character. */
int text_columns(const char *text);

/* Prints words from column `column` on, wrapped; further lines are indented by `indent`. A '\n' in
 * the text ends a paragraph, and an empty line follows. The output ends with a newline. */
void paragraph_print(FILE *out, int column, int indent, const char *text);

/* Prints a term in a column of `width`, and its explanation beside it. */
void paragraph_entry(FILE *out, int width, const char *term, const char *text);

/* Prints text so that nothing in it is a troff request or escape, and '-' stays '-'. A newline
 * starts a paragraph. */
void man_put(const char *text);
/* The head of a page, with its section NAME. */
void man_title(const char *page, const char *summary);
void man_entry(const char *term, const char *text);
/* A section, a line for each of `lines`. */
void man_examples(const char *lines);
/* A section with the library's codes. `one`: what code 1 means. */
void man_exit_codes(const char *one);

#endif

/* Completion scripts, one function per shell, generated from the tables. */
#ifndef SWATHE_CLI_COMPLETION_COMPLETE_H
#define SWATHE_CLI_COMPLETION_COMPLETE_H

#include "commands/command.h"

void complete_bash(void);
void complete_zsh(void);
void complete_fish(void);

/* Prints every available word, each prefixed with `before`. */
void complete_words(const char *words, const char *before);
/* Prints `before` and an argument that every filter takes, such as border=wrap, for each of them.
 */
void complete_stage(const char *before);
/* For every filter with specific arguments, prints `before`, its name, `between`, the arguments as
 * in " sigma= dense", and `after`. */
void complete_own(const char *before, const char *between, const char *after);
/* Prints `text` for use within single quotes, with a '\' before each character of `special`. */
void complete_quoted(const char *text, const char *special);

#endif

/* Completion scripts, one function per shell, made from the tables. */
#ifndef SWATHE_CLI_COMPLETE_H
#define SWATHE_CLI_COMPLETE_H

#include "command.h"

void complete_bash(void);
void complete_zsh(void);
void complete_fish(void);

/* Every available word, each after `before`. */
void complete_words(const char *words, const char *before);
/* What may follow a filter's ':', such as border=wrap, each after `before`. */
void complete_stage(const char *before);
/* Every filter that has arguments of its own: `before`, its name, `between`, the arguments as in
 * " sigma= dense", `after`. */
void complete_own(const char *before, const char *between, const char *after);
/* `text` for use within single quotes, with a '\' before each of the characters `special`. */
void complete_quoted(const char *text, const char *special);

#endif

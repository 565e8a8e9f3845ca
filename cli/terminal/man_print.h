/* Parts of a manual page in troff. */
#ifndef SWATHE_CLI_TERMINAL_MAN_PRINT_H
#define SWATHE_CLI_TERMINAL_MAN_PRINT_H

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

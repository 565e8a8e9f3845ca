/* Prints texts that the library generates. */
#ifndef SWATHE_CLI_TERMINAL_TEXT_PRINT_H
#define SWATHE_CLI_TERMINAL_TEXT_PRINT_H

#include "swathe/unstable.h"

/* As swathe_tune_text. */
typedef swathe_status text_of(swathe_context *context, swathe_text format, char *text, size_t size,
                              size_t *needed);

/* Prints the text. Returns the exit code. */
int text_print(swathe_context *context, text_of *get, swathe_text format);

#endif

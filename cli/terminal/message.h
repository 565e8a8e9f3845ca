/* Messages to the user on standard error. */
#ifndef SWATHE_CLI_TERMINAL_MESSAGE_H
#define SWATHE_CLI_TERMINAL_MESSAGE_H

#include "commands/command.h"
#include "swathe/unstable.h"

#include <stdbool.h>
#include <stdio.h>

enum { EXIT_DIFFERENT = 1, EXIT_SOME_FAILED = 1, EXIT_SIGNAL = 128 /* plus the signal's number */ };

/* Prints "swathe: " and the text as one line; returns `status`, the exit code. */
int complain(swathe_status status, const char *format, ...)
    __attribute__((format(PRINTF_KIND, 2, 3)));

/* Writes all bytes, in one call if the system accepts them, and continues after a signal. A closed
 * pipe is not a failure. */
void message_write(int fd, const char *text, size_t size);

/* From now on this thread's messages are stored in `text`, without "swathe: ", instead of being
 * printed. NULL: they are printed again. For callers that list failures later. */
void message_keep(char *text, size_t size);

/* From now on messages are lines of JSON, {"event": "message", "text": ...}, for a program that
 * reads standard error. */
void message_json(void);

/* Replaces control characters of file names and chains, which could manipulate a terminal. */
void message_clean(char *text);

/* From now on, messages about errors of the library name options of this command, as in "; raise it
 * with --max-memory 4G". Call it before threads are started. */
void advice_for(const struct command *command);
/* This number of images run at a time and share --max-memory: advice names the total. Call it
 * before threads are started. */
void advice_share(int32_t images);

/* Prints the library's last error and advice. `what`, such as a path, precedes texts that do not
 * contain it. After cancellation by a signal it prints nothing and returns the signal's exit
 * code. */
int complain_library(swathe_status status, const char *what);

/* The same for a failed system call: adds the text of this errno. Returns the exit code of file
 * errors, or for ENOMEM that of memory. */
int complain_system(int error, const char *format, ...) __attribute__((format(PRINTF_KIND, 2, 3)));

/* The errno of this thread's last message; 0: none. */
int message_system(void);

/* Call it after getc returned EOF or getline -1. Returns 0 at the end of the file, otherwise the
 * exit code after a message about `path`. If memory is short, getline fails without setting the
 * stream's error flag. */
int complain_unless_ended(FILE *from, const char *path);

/* The path for messages: "standard input" for "-". */
const char *path_read(const char *path);

/* The share of clamped results in all results, if it is more than one in a thousand; otherwise 0.
 */
double clamped_share(const swathe_clamped *found);
/* "about 12 % of the results were above": the share and where they were. */
const char *clamped_words(const swathe_clamped *found, char *text, size_t size);
/* Does the last filter keep the brightness of flat areas, as sharpening does? Its overshoots are
 * expected to be clamped. */
bool clamped_expected(const swathe_chain *chain);

#endif

/* What the user reads on standard error. */
#ifndef SWATHE_CLI_MESSAGE_H
#define SWATHE_CLI_MESSAGE_H

#include "swathe/swathe.h"

#include <stdio.h>

enum { EXIT_DIFFERENT = 1, EXIT_SOME_FAILED = 1, EXIT_SIGNAL = 128 /* plus the signal's number */ };

/* Prints "swathe: " and the text as one line; returns `status`, the exit code. */
int complain(swathe_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* All of it, in one piece where the system takes it so, also where a signal interrupts: calls are
 * not restarted. A reader that left is not a failure. */
void message_write(int fd, const char *text, size_t size);

/* From now on this thread's complaints go to `text`, without "swathe: ", and are not printed; NULL:
 * they are printed again. For those who list failures later. */
void message_keep(char *text, size_t size);

/* From now on complaints are lines of JSON, {"event": "message", "text": ...}: a program reads
 * standard error. */
void message_json(void);

/* File names and chains are echoed without control characters, which could fool a terminal. */
void message_clean(char *text);

/* Finds what the user can do about a failure of the library, to put after its text. */
typedef void way_out_finder(const swathe_error *error, char *text, size_t size);
void message_ways_out(way_out_finder *find);

/* The library's last failure and the way out; `what` (such as a path) goes before texts that do not
 * name it.
 * What a signal cancelled has the signal's exit code, and no text. */
int complain_library(swathe_status status, const char *what);

/* The same where the system refused with this errno: its words follow the text. Returns the exit
 * code; no memory is not a fault of the file that was being read. */
int complain_system(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The errno of this thread's last complaint; 0: there was none. */
int message_system(void);

/* For where getc returned EOF, or getline -1: 0 at the end of the file, else the exit code after a
 * message about `path`. getline also fails for want of memory, without the stream's error flag. */
int complain_unless_ended(FILE *from, const char *path);

/* A path in words: "standard input" for "-". */
const char *path_read(const char *path);

#endif

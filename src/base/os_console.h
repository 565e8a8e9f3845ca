/* What a command needs of the system that starts it. Programs include this header. */
#ifndef SWATHE_BASE_OS_CONSOLE_H
#define SWATHE_BASE_OS_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

/* Call it first. Replaces the arguments if the system can supply them in UTF-8. Writing to a closed
 * pipe or beyond a limit becomes an error instead of a signal. */
void os_console_start(int *argc, char ***argv);
/* Opens a device that can neither be read (descriptor 0) nor written (others), so that the lowest
 * closed descriptor is in use. */
bool os_occupy_descriptor(int fd);
/* Calls `note` with the number of the first Ctrl-C or request to end. Another one kills, if
 * it comes more than 0.3 s later. */
void os_catch_interrupts(void (*note)(int number));
/* Ends the process as a signal does that is not caught: after an exit code of 130, shells go on
 * with the next command of a loop. Uses the exit code 128 + number where the signal does not end
 * it. Safe in a signal handler. Returns on Windows. */
void os_end_by(int number);
/* Ends the process like that if it still runs after `ms` milliseconds, as soon as no file of it
 * has a temporary name and `may_end` returns true. Safe in a signal handler, as `may_end` must be.
 * Does nothing on Windows. */
void os_end_after(int ms, int number, bool (*may_end)(void));
/* Columns of the terminal at standard error; 0: unknown. */
int os_terminal_width(void);
/* The path of this program; false: unknown. */
bool os_own_path(char *path, size_t size);
/* Runs another program in place of this one. Returns only if that fails, with errno set. */
void os_become(const char *path, char *const *arguments);

#endif

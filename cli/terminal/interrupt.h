/* The first Ctrl-C or SIGTERM ends a run cleanly, the second one kills the process. A write beyond
 * the file size limit fails like a write to a full disk. */
#ifndef SWATHE_CLI_TERMINAL_INTERRUPT_H
#define SWATHE_CLI_TERMINAL_INTERRUPT_H

#include <stdint.h>

void interrupt_catch(void);
/* From now on the first signal ends the process within 0.2 s even if a codec does not return by
 * then. Nothing is left of an output that has no name yet. */
void interrupt_soon(void);
/* Except while there are more calls with 1 than with -1: an upload must be aborted by requests, or
 * a program may read a message late. */
void interrupt_hold(int change);
/* The signal that was caught, or 0. */
int interrupt_caught(void);
/* For the cancel option of files: true if a signal was caught. */
int32_t interrupt_asked(void *unused);

#endif

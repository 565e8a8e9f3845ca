/* Ctrl-C and SIGTERM end a run in good order; the second one kills. A write past the limit on file
 * sizes fails like one to a full disk. */
#ifndef SWATHE_CLI_INTERRUPT_H
#define SWATHE_CLI_INTERRUPT_H

#include <stdint.h>

void interrupt_catch(void);
/* The signal that came, or 0. */
int interrupt_caught(void);
/* For the options of files: whether one came. */
int32_t interrupt_asked(void *unused);

#endif

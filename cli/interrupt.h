/* The first Ctrl-C or SIGTERM ends a run cleanly, the second one kills the process. A write beyond
 * the file size limit fails like a write to a full disk. */
#ifndef SWATHE_CLI_INTERRUPT_H
#define SWATHE_CLI_INTERRUPT_H

#include <stdint.h>

void interrupt_catch(void);
/* The signal that was caught, or 0. */
int interrupt_caught(void);
/* For the cancel option of files: true if a signal was caught. */
int32_t interrupt_asked(void *unused);

#endif

/* Ctrl-C and SIGTERM end a run in good order; the second one kills. */
#ifndef SWATHE_CLI_INTERRUPT_H
#define SWATHE_CLI_INTERRUPT_H

void interrupt_catch(void);
/* The signal that came, or 0. */
int interrupt_caught(void);

#endif

/* Clocks for measurements. */
#ifndef SWATHE_BASE_OS_CLOCK_H
#define SWATHE_BASE_OS_CLOCK_H

/* Seconds since an arbitrary moment. */
double clock_now(void);
/* Seconds of CPU time that this thread has used; time spent by other threads does not count. */
double clock_used(void);

#endif

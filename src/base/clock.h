/* Time, for measuring. */
#ifndef SWATHE_BASE_CLOCK_H
#define SWATHE_BASE_CLOCK_H

/* Seconds since some moment. */
double clock_now(void);
/* Seconds of CPU that this thread has used: what others do on the machine does not count. */
double clock_used(void);

#endif

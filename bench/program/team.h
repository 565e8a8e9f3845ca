/* Runs a function on several threads at the same time, and measures it. */
#ifndef SWATHE_BENCH_TEAM_H
#define SWATHE_BENCH_TEAM_H

#include <stdint.h>

enum { TEAM_MOST = 4096 };

typedef void team_work(void *user, int32_t index);

/* Calls work(user, i) for i in 0..threads-1, each on its own thread. Returns the seconds from the
 * start of the first to the end of the last, without starting the threads. Returns 0 and does
 * nothing if they cannot be started. */
double team_run(int32_t threads, team_work *work, void *user);

#endif

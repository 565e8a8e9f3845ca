/* Threads that do one thing at the same time, and how long that took. */
#ifndef SWATHE_BENCH_TEAM_H
#define SWATHE_BENCH_TEAM_H

#include <stdint.h>

enum { TEAM_MOST = 4096 };

typedef void team_work(void *user, int32_t index);

/* work(user, i) for i in 0..threads-1, each on a thread of its own. Seconds from the start of the
 * first to the end of the last: starting the threads is not in it. 0, and nothing done, where they
 * cannot be started. */
double team_run(int32_t threads, team_work *work, void *user);

#endif

/* Times a function that runs on several threads at once. */
#ifndef SWATHE_BENCH_TEAM_H
#define SWATHE_BENCH_TEAM_H

#include <stdint.h>

enum { TEAM_MOST = 4096 };

typedef void team_work(void *user, int32_t index);

/* Calls work(user, i) for i in 0..threads-1, each on its own thread. Returns the seconds from the
 * start of the first to the end of the last, without the time to start threads. Returns 0 and does
 * nothing if they cannot be started. */
double team_run(int32_t threads, team_work *work, void *user);

/* The shortest time of at least six runs, which take at least `seconds` and alternate between
 * `even` and `odd`. 0 if threads cannot be started. */
double team_best(int32_t threads, team_work *even, team_work *odd, void *user, double seconds);

#endif

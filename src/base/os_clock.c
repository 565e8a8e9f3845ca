#include "base/os_clock.h"

#include <time.h>

static double read_clock(clockid_t id)
{
    struct timespec time = {0, 0};
    clock_gettime(id, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double clock_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double clock_used(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

#include "base/os_thread.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

/* Windows starts a thread of its own for Ctrl-C. */
bool os_thread_start(pthread_t *thread, void *(*run)(void *user), void *user)
{
    return pthread_create(thread, NULL, run, user) == 0;
}

void os_condition_init(pthread_cond_t *condition)
{
    pthread_cond_init(condition, NULL);
}

bool os_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ms % 1000 * 1000000L;
    until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    return pthread_cond_timedwait(condition, mutex, &until) != ETIMEDOUT;
}

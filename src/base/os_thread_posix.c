#define _DARWIN_C_SOURCE /* pthread_cond_timedwait_relative_np */
#include "base/os_thread.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

bool os_thread_start(pthread_t *thread, void *(*run)(void *user), void *user)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(thread, NULL, run, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

#if defined(__APPLE__)
void os_condition_init(pthread_cond_t *condition)
{
    pthread_cond_init(condition, NULL);
}

bool os_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    return pthread_cond_timedwait_relative_np(condition, mutex, &time) != ETIMEDOUT;
}
#else
void os_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &steady);
    pthread_condattr_destroy(&steady);
}

bool os_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += ms % 1000 * 1000000L;
    until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    return pthread_cond_timedwait(condition, mutex, &until) != ETIMEDOUT;
}
#endif

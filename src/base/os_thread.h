/* What threads of POSIX lack on some systems. Programs include this header, too. */
#ifndef SWATHE_BASE_OS_THREAD_H
#define SWATHE_BASE_OS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread that receives no signals, so that others of the program handle them. */
bool os_thread_start(pthread_t *thread, void *(*run)(void *user), void *user);

/* A condition that os_condition_wait may wait for. Setting the clock does not delay it,
 * except on Windows. */
void os_condition_init(pthread_cond_t *condition);
/* False: `ms` milliseconds have passed. The mutex is held. */
bool os_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int ms);

#endif

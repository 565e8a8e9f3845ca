/* The context that all calls of a process share. */
#include "extension.h"

#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static swathe_context *context;
static pid_t process;

/* In a child of fork another thread of the parent may have held the lock. */
static void after_fork(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static swathe_status process_context_create(swathe_context **got)
{
    swathe_context *made = NULL;
    swathe_status status = SWATHE_OK;
    pthread_mutex_lock(&lock);
    if (!context || process != getpid()) {
        if (!process)
            pthread_atfork(NULL, NULL, after_fork);
        status = swathe_context_create(NULL, &made);
        if (status == SWATHE_OK) {
            context = made; /* the parent's one stays, plans that were inherited refer to it */
            process = getpid();
        }
    }
    *got = context;
    pthread_mutex_unlock(&lock);
    return status;
}

swathe_context *context_get(void)
{
    swathe_context *got;
    swathe_status status = process_context_create(&got);
    if (status == SWATHE_OK)
        return got;
    failure_raise(status, NULL);
    return NULL;
}

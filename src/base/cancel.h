/* Cancellation by the caller, checked wherever a computation, a codec or a pipe could take long.
 * Codecs ask who opened their file. Computations ask the caller of their thread. */
#ifndef SWATHE_BASE_CANCEL_H
#define SWATHE_BASE_CANCEL_H

#include "base/os_file.h"
#include "base/status.h"

#include <pthread.h>
#include <stdbool.h>

struct cancel {
    int32_t (*asked)(void *user); /* from any thread; NULL: never */
    void *user;
};

/* Fails with SWATHE_ERROR_CANCELLED if the caller has cancelled. */
swathe_status cancel_check(const struct cancel *cancel);
/* Waits until `fd` can be read or written without blocking, its other end is closed, or the caller
 * cancels. */
swathe_status cancel_wait(const struct cancel *cancel, int fd, enum os_wait what);
/* Waits briefly, for descriptors that cannot be waited for. */
swathe_status cancel_pause(const struct cancel *cancel);

/* ---- The caller of this thread ----------------------------------------------------------------
 */

struct cancel_caller {
    struct cancel cancel;
    double asked_at; /* time of the last question */
    bool wanted;     /* it has cancelled */
};

/* Sets whom the thread's computations ask, until cancel_leave gets what this returned. Callbacks
 * are called without one, because they may use the library. */
struct cancel_caller cancel_enter(struct cancel cancel);
void cancel_leave(struct cancel_caller before);
struct cancel cancel_current(void);

/* Has the caller cancelled? It is asked every 20 ms, so that a call costs no more than reading a
 * clock. To be called every millisecond or so; what is computed after it was true is not used. */
bool cancel_wanted(void);
/* The same as a failure. */
swathe_status cancel_now(void);
/* The same after each 2^18 units of work: multiply-adds, taps or bytes. */
static inline bool cancel_after(int64_t *done, int64_t work)
{
    *done += work;
    if (*done < 1 << 18)
        return false;
    *done = 0;
    return cancel_wanted();
}

/* Waits for a condition of os_condition_init, but not for long, and then asks the caller, without
 * the mutex. */
void cancel_wait_for(pthread_cond_t *condition, pthread_mutex_t *mutex);

#endif

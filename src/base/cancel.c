#include "base/cancel.h"

#include "base/os_clock.h"
#include "base/os_thread.h"

#include <errno.h>

/* The longest wait between two checks, because a signal may be handled by another thread, or just
 * before the wait. */
enum { TICK = 50 }; /* ms */

swathe_status cancel_check(const struct cancel *cancel)
{
    if (cancel->asked && cancel->asked(cancel->user))
        return fail(SWATHE_ERROR_CANCELLED, "cancelled by the caller");
    return SWATHE_OK;
}

swathe_status cancel_wait(const struct cancel *cancel, int fd, enum os_wait what)
{
    for (;;) {
        TRY(cancel_check(cancel));
        int ready = os_wait(fd, what, cancel->asked ? TICK : -1);
        if (ready > 0)
            return SWATHE_OK;
        if (ready < 0 && errno != EINTR)
            return fail_system(errno, "cannot wait for a pipe");
    }
}

swathe_status cancel_pause(const struct cancel *cancel)
{
    os_pause(TICK);
    return cancel_check(cancel);
}

/* ---- The caller of this thread ----------------------------------------------------------------
 */

static const double interval = 0.02; /* s */

static _Thread_local struct cancel_caller caller;

struct cancel_caller cancel_enter(struct cancel cancel)
{
    struct cancel_caller before = caller;
    caller = (struct cancel_caller){cancel, cancel.asked ? clock_now() : 0.0, false};
    return before;
}

struct cancel cancel_current(void)
{
    return caller.cancel;
}

void cancel_leave(struct cancel_caller before)
{
    caller = before;
}

bool cancel_wanted(void)
{
    if (!caller.cancel.asked || caller.wanted)
        return caller.wanted;
    double now = clock_now();
    if (now - caller.asked_at < interval)
        return false;
    struct failure kept = fail_keep(); /* of what is being computed */
    struct cancel_caller own = cancel_enter((struct cancel){NULL, NULL});
    own.wanted = own.cancel.asked(own.cancel.user) != 0;
    own.asked_at = clock_now();
    cancel_leave(own);
    fail_release(&kept, SWATHE_OK);
    return own.wanted;
}

swathe_status cancel_now(void)
{
    return cancel_wanted() ? fail(SWATHE_ERROR_CANCELLED, "cancelled by the caller") : SWATHE_OK;
}

void cancel_wait_for(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    os_condition_wait(condition, mutex, TICK);
    pthread_mutex_unlock(mutex);
    cancel_wanted();
    pthread_mutex_lock(mutex);
}

#include "io/cancel.h"

#include <errno.h>

/* The longest wait between two checks, because a signal may be handled by another thread, or just
 * before the wait. */
enum { TICK = 100 }; /* ms */

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

#include "io/cancel.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

/* The longest wait between two checks, because a signal may be handled by another thread, or just
 * before poll. */
enum { TICK = 100 }; /* ms */

swathe_status cancel_check(const struct cancel *cancel)
{
    if (cancel->asked && cancel->asked(cancel->user))
        return fail(SWATHE_ERROR_CANCELLED, "cancelled by the caller");
    return SWATHE_OK;
}

swathe_status cancel_wait(const struct cancel *cancel, int fd, short events)
{
    struct pollfd wanted = {.fd = fd, .events = events};
    for (;;) {
        TRY(cancel_check(cancel));
        int ready = poll(&wanted, 1, cancel->asked ? TICK : -1);
        if (ready > 0)
            return SWATHE_OK;
        if (ready < 0 && errno != EINTR)
            return fail_system(errno, "cannot wait for a pipe");
    }
}

swathe_status cancel_pause(const struct cancel *cancel)
{
    poll(NULL, 0, TICK);
    return cancel_check(cancel);
}

/* Cancellation by the caller, checked wherever a codec or a pipe could block for long. */
#ifndef SWATHE_IO_CANCEL_H
#define SWATHE_IO_CANCEL_H

#include "base/os_file.h"
#include "base/status.h"

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

#endif

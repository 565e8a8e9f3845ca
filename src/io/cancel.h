/* Whether the caller wants to stop, asked wherever a codec or a pipe could keep it waiting. */
#ifndef SWATHE_IO_CANCEL_H
#define SWATHE_IO_CANCEL_H

#include "base/status.h"

struct cancel {
    int32_t (*asked)(void *user); /* from any thread; NULL: never */
    void *user;
};

/* SWATHE_ERROR_CANCELLED once the caller wants to stop. */
swathe_status cancel_check(const struct cancel *cancel);
/* Until `fd` can be read or written (POLLIN, POLLOUT) without blocking, its other end is gone, or
 * the caller wants to stop. */
swathe_status cancel_wait(const struct cancel *cancel, int fd, short events);
/* A moment, for what cannot be polled. */
swathe_status cancel_pause(const struct cancel *cancel);

#endif

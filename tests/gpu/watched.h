/* Calls of a back end that are counted and can be slowed down: a delay appears in finish, as on a
 * real device. */
#ifndef TESTS_GPU_WATCHED_H
#define TESTS_GPU_WATCHED_H

#include "gpu/drivers/device.h"

#include <stdatomic.h>

enum { WATCHED_ORDER = 64 };
enum watched_part { WATCHED_UPLOAD, WATCHED_KERNELS, WATCHED_DOWNLOAD, WATCHED_PARTS };

struct watched {
    atomic_llong bytes_up, bytes_down, launches, downloads, finishes, hosts;
    atomic_llong mixed;          /* calls of finish that waited for more than one kind of work */
    double delay[WATCHED_PARTS]; /* seconds that finish takes for work of this kind */
    /* Memory of the caller, and the bytes that were copied from and to it. */
    const char *caller[2];
    int64_t caller_bytes;
    atomic_llong direct_up, direct_down;
    /* For runs with one thread: 'u', 'l' and 'd' in the order of uploads, launches and downloads;
     * and the last launch. */
    char order[WATCHED_ORDER];
    int grid[3], group[3];
};

extern struct watched watched;

/* Replaces the back end's calls; false if there is no back end of that name. */
bool watched_install(const char *back_end);
/* Resets all counters and delays. */
void watched_reset(void);

#endif

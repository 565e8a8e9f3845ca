/* Which objects a worker may touch. */
#ifndef FLEET_WORKER_ALLOW_H
#define FLEET_WORKER_ALLOW_H

#include "swathe/swathe.h"

struct worker_allow {
    const char *const *prefixes;
    int count;
};

/* Fails with SWATHE_ERROR_UNSUPPORTED if the URL is not below one of the prefixes, and with
 * SWATHE_ERROR_ARGUMENT if it is malformed. A prefix ends at a '/': "s3://b/in" does not cover
 * "s3://b/input/a". */
swathe_status worker_allow_check(const struct worker_allow *allow, const char *url);

#endif

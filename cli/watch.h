/* A source and a sink that stop when the user asks, and remember whether one of them failed: then
 * the message names its file. */
#ifndef SWATHE_CLI_WATCH_H
#define SWATHE_CLI_WATCH_H

#include "swathe/swathe.h"

#include <stdatomic.h>

struct watch {
    swathe_source source; /* to run with, in place of the two below */
    swathe_sink sink;
    const swathe_source *from;
    const swathe_sink *to;
    atomic_bool failed;
};

/* Neither is owned. */
void watch_start(struct watch *watch, const swathe_source *from, const swathe_sink *to);

#endif

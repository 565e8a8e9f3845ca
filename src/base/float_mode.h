/* Rounding and flushing flags: a run sets those that the contract requires, then restores the
 * caller's. */
#ifndef SWATHE_BASE_FLOAT_MODE_H
#define SWATHE_BASE_FLOAT_MODE_H

#include <stdint.h>

struct float_mode {
    uint64_t saved;
};

/* Sets round to nearest, no flushing of denormals and no traps on this thread. */
struct float_mode float_mode_enter(void);
void float_mode_leave(struct float_mode mode);

#endif

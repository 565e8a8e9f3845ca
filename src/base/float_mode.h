/* Rounding and flushing flags: a run sets the ones that the contract needs and puts the caller's
 * back. */
#ifndef SWATHE_BASE_FLOAT_MODE_H
#define SWATHE_BASE_FLOAT_MODE_H

#include <stdint.h>

struct float_mode {
    uint64_t saved;
};

/* Round to nearest, denormals kept, no traps; on this thread. */
struct float_mode float_mode_enter(void);
void float_mode_leave(struct float_mode mode);

#endif

/* This CPU: its properties, and its modes of rounding. */
#ifndef SWATHE_BASE_CPU_H
#define SWATHE_BASE_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `isa` is one from isa.def; false for instruction sets of other architectures. */
bool cpu_has(const char *isa);

/* Bytes of second-level cache per core; a typical value if unknown. */
int64_t cpu_cache_bytes(void);
/* Bytes of the last cache, which CPUs share; at least a typical value. */
int64_t cpu_last_cache_bytes(void);

/* Writes one line that differs between CPUs of different speed: vendor, model, features, caches. */
void cpu_identity(char *text, size_t size);

/* Rounding and flushing flags: a run sets those that the contract requires, then restores the
 * caller's. */

struct float_mode {
    uint64_t saved;
};

/* Sets round to nearest, no flushing of denormals and no traps on this thread. */
struct float_mode float_mode_enter(void);
void float_mode_leave(struct float_mode mode);

#endif

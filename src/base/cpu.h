/* What this CPU can do. */
#ifndef SWATHE_BASE_CPU_H
#define SWATHE_BASE_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By the names of isa.def; false for names this machine's architecture does not know. */
bool cpu_has(const char *isa);

/* CPUs that this process may use. */
int32_t cpu_count(void);

/* Bytes of second-level cache per core, or a usual value. */
int64_t cpu_cache_bytes(void);

/* One line that differs between CPUs that may differ in speed: vendor, model, features, caches. */
void cpu_identity(char *text, size_t size);

#endif

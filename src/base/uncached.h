/* Copies that do not go through the caches, for results that nobody reads soon. */
#ifndef SWATHE_BASE_UNCACHED_H
#define SWATHE_BASE_UNCACHED_H

#include <stdint.h>

void uncached_copy(void *to, const void *from, int64_t bytes);
/* Makes what was copied visible to other threads, in order. */
void uncached_end(void);

#endif

/* Plain loops that compilers vectorise, once for any x86-64 and once for AVX2. The C library must
 * support the selection at load time, which happens before sanitizers are initialised. */
#ifndef SWATHE_IO_VECTORS_H
#define SWATHE_IO_VECTORS_H

#include "base/sanitizers.h"

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__has_attribute) && !SANITIZED
#if __has_attribute(target_clones)
#define VECTORS __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef VECTORS
#define VECTORS
#endif

#endif

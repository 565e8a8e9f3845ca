/* Declarations that the stand-ins for a driver and its compiler share. The same source is compiled
 * for CUDA and, with STANDIN_HIP, for HIP. */
#ifndef TESTS_GPU_STANDIN_H
#define TESTS_GPU_STANDIN_H

#include <stddef.h>

#if STANDIN_HIP
#define NAMED(cuda, hip) hip
#else
#define NAMED(cuda, hip) cuda
#endif

#define STANDIN_MAGIC "swathe standin 1"

/* Precedes a compiled program. */
struct standin_head {
    char magic[24];
    size_t size;
};

#endif

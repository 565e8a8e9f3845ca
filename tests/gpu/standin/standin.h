/* What the stand-ins of a driver and of its compiler share. One source makes those of CUDA and,
 * with STANDIN_HIP, those of HIP. */
#ifndef TESTS_GPU_STANDIN_H
#define TESTS_GPU_STANDIN_H

#include <stddef.h>

#if STANDIN_HIP
#define NAMED(cuda, hip) hip
#else
#define NAMED(cuda, hip) cuda
#endif

#define STANDIN_MAGIC "swathe standin 1"

/* Before a compiled program. */
struct standin_head {
    char magic[24];
    size_t size;
};

#endif

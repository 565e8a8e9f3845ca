/* The parts of CUDA and HIP that kernels use, for a C++ compiler: the stand-in for the compiler
 * inserts this before their source. This file must not include headers, because -D options precede
 * it.
 *
 * All threads of a work group run in one operating-system thread, one after another up to each
 * barrier (fibers.h), so that a work group shares thread_local variables. */
struct standin_dim {
    unsigned x, y, z;
};
struct uint2 {
    unsigned x, y;
};
struct uint4 {
    unsigned x, y, z, w;
};
struct alignas(16) double2 {
    double x, y;
};

/* Set by the stand-in for the driver. */
extern "C" {
thread_local struct standin_dim standin_dims[4];
thread_local double standin_local[6144]; /* local memory that a launch provides: 48 KiB */
void (*standin_barrier)(void);
}

#define threadIdx standin_dims[0]
#define blockIdx  standin_dims[1]
#define blockDim  standin_dims[2]
#define gridDim   standin_dims[3]
#define __global__
#define __device__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__   static thread_local
#define local_words  ((work_t *)standin_local)
#define DYNAMIC_LOCAL
#define __syncthreads()    standin_barrier()
#define __fmaf_rn(a, b, c) __builtin_fmaf(a, b, c)
#define __fma_rn(a, b, c)  __builtin_fma(a, b, c)
#define fmaf(a, b, c)      __builtin_fmaf(a, b, c)
#define floorf(a)          __builtin_floorf(a)
#define floor(a)           __builtin_floor(a)
#define sqrtf(a)           __builtin_sqrtf(a)
#define sqrt(a)            __builtin_sqrt(a)

static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}

static inline double __hiloint2double(int high, int low)
{
    unsigned long long bits = (unsigned long long)(unsigned)high << 32 | (unsigned)low;
    double b;
    __builtin_memcpy(&b, &bits, sizeof b);
    return b;
}

static inline float __uint_as_float(unsigned a)
{
    float b;
    __builtin_memcpy(&b, &a, sizeof b);
    return b;
}

static inline unsigned __float_as_uint(float a)
{
    unsigned b;
    __builtin_memcpy(&b, &a, sizeof b);
    return b;
}

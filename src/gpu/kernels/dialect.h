/* One source for OpenCL C 1.2, CUDA, HIP, and C++ on the CPU (GPU_SHIM, in tests). */
#ifndef GPU_DIALECT_H
#define GPU_DIALECT_H

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define GPU_OPENCL

#pragma OPENCL FP_CONTRACT OFF
#ifdef RUNTIME
#define KERNEL  __kernel
#define GROUP_X ((int)get_local_size(0))
#define GROUP_Y ((int)get_local_size(1))
#else
#define KERNEL __kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
#endif
#define FUNCTION                   static inline
#define GLOBAL                     __global
#define CONSTANT                   __constant
#define LOCAL                      __local
#define SHARED                     __local
#define ALIGNED16                  __attribute__((aligned(16)))
#define RESTRICT                   restrict
#define BARRIER()                  barrier(CLK_LOCAL_MEM_FENCE)
#define THREAD_X                   ((int)get_local_id(0))
#define THREAD_Y                   ((int)get_local_id(1))
#define BLOCK_X                    ((int)get_group_id(0))
#define BLOCK_Y                    ((int)get_group_id(1))
#define BLOCK_Z                    ((int)get_group_id(2))
#define FUSED(a, b, c)             fma(a, b, c)
#define FUSED_FLOATS(a, b, c)      fma(a, b, c)
#define ROOT(x)                    sqrt(x)
#define APPROXIMATE_ROOT(x)        sqrt(x)
#define HIGH_PRODUCT(a, b)         mul_hi(a, b)
#define FLOAT_OF_WORD(w)           as_float(w)
#define WORD_OF_FLOAT(f)           as_uint(f)
#define DOUBLE_OF_WORDS(low, high) as_double((ulong)(uint)(high) << 32 | (uint)(low))
#define ROUNDING_FLOOR(x)          floor(x)
#ifdef DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
typedef long wide;
typedef ulong unsigned_wide;
typedef uint word;
typedef uint2 word2;
typedef uint4 word4;

#else

#define FUNCTION static __device__ __forceinline__
#define GLOBAL
#define CONSTANT
#define LOCAL
#define RESTRICT __restrict__
#define THREAD_X ((int)threadIdx.x)
#define THREAD_Y ((int)threadIdx.y)
#define BLOCK_X  ((int)blockIdx.x)
#define BLOCK_Y  ((int)blockIdx.y)
#define BLOCK_Z  ((int)blockIdx.z)
typedef long long wide;
typedef unsigned long long unsigned_wide;
typedef unsigned int word;
typedef uint2 word2;
typedef uint4 word4;
#ifdef RUNTIME
#define GROUP_X      ((int)blockDim.x)
#define GROUP_Y      ((int)blockDim.y)
#define THREADS_MOST 1024 /* of a thread block on every card */
#else
#define THREADS_MOST (GROUP_X * GROUP_Y)
#endif
#ifndef DYNAMIC_LOCAL /* tests define it */
#define DYNAMIC_LOCAL extern __shared__ work_t local_words[]
#endif
#ifndef GPU_SHIM /* GPU_SHIM defines these itself */
#define KERNEL                     extern "C" __global__ __launch_bounds__(THREADS_MOST, 1)
#define SHARED                     __shared__
#define ALIGNED16                  __align__(16)
#define BARRIER()                  __syncthreads()
#define FUSED_FLOATS(a, b, c)      __fmaf_rn(a, b, c)
#define ROOT(x)                    sqrt(x) /* of doubles: correctly rounded, also in OpenCL */
#define APPROXIMATE_ROOT(x)        sqrtf(x)
#define HIGH_PRODUCT(a, b)         __umulhi(a, b)
#define FLOAT_OF_WORD(w)           __uint_as_float(w)
#define WORD_OF_FLOAT(f)           __float_as_uint(f)
#define DOUBLE_OF_WORDS(low, high) __hiloint2double((int)(high), (int)(low))
#ifdef DOUBLES
#define FUSED(a, b, c)    __fma_rn(a, b, c)
#define ROUNDING_FLOOR(x) floor(x)
#else
#define FUSED(a, b, c)    __fmaf_rn(a, b, c)
#define ROUNDING_FLOOR(x) floorf(x)
#endif
#endif

#endif

#ifdef DOUBLES
typedef double real_t;
#else
typedef float real_t;
#endif

#define ROUNDING_FUNCTION FUNCTION
#define ROUNDING_REAL     real_t

/* UNROLL is for loops of constant length over registers, ROLLED for loops that would use too many
 * registers. */
#ifndef UNROLL
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
#else
#define ROLLED
#endif

#endif

/* C types by the names that kernels.def uses. */
#ifndef SWATHE_CPU_C_TYPES_H
#define SWATHE_CPU_C_TYPES_H

#include <stdint.h>

typedef uint8_t SAMPLE_u8;
typedef uint16_t SAMPLE_u16;
typedef int16_t SAMPLE_s16;
typedef uint32_t SAMPLE_u32;
typedef int32_t SAMPLE_s32;
typedef float SAMPLE_f32;
typedef double SAMPLE_f64;

#endif

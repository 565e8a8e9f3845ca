/* fma and fmaf, rounded once. The C library of mingw-w64 rounds them twice, so meson.build includes
 * this header in all files for Windows. */
#ifndef SWATHE_BASE_FUSED_H
#define SWATHE_BASE_FUSED_H

double fused_double(double x, double y, double z);
float fused_float(float x, float y, float z);
/* The same without an instruction of the CPU. */
double fused_double_plain(double x, double y, double z);
float fused_float_plain(float x, float y, float z);

#if defined(_WIN32) && !defined(__FMA__) /* compilers replace the calls by an instruction */
#include <math.h>
#define fma(x, y, z)            fused_double(x, y, z)
#define fmaf(x, y, z)           fused_float(x, y, z)
#define __builtin_fma(x, y, z)  fused_double(x, y, z)
#define __builtin_fmaf(x, y, z) fused_float(x, y, z)
#endif

#endif

#include "cpu/fourier.h"

#include "cpu/kernel.h"

#include <string.h>

/* Instruction sets without transforms use those of the next lower set. */
#define TABLE(id, name) extern const struct fourier_kernels fourier_table_##id[2];
#define TABLES                                                                                     \
    TABLE(scalar, "scalar")                                                                        \
    TABLE_SSE41 TABLE_AVX2 TABLE_AVX512 TABLE_NEON

#if SWATHE_BUILD_SSE41
#define TABLE_SSE41 TABLE(sse41, "sse4.1")
#else
#define TABLE_SSE41
#endif
#if SWATHE_BUILD_AVX2
#define TABLE_AVX2 TABLE(avx2, "avx2")
#else
#define TABLE_AVX2
#endif
#if SWATHE_BUILD_AVX512
#define TABLE_AVX512 TABLE(avx512, "avx512")
#else
#define TABLE_AVX512
#endif
#if SWATHE_BUILD_NEON
#define TABLE_NEON TABLE(neon, "neon")
#else
#define TABLE_NEON
#endif

TABLES
#undef TABLE

static const struct {
    const char *name;
    const struct fourier_kernels *kernels;
} tables[] = {
#define TABLE(id, name) {name, fourier_table_##id},
    TABLES
#undef TABLE
};

const struct fourier_kernels *fourier_find(int isa, int wide, int *used)
{
    for (*used = isa; *used > 0; --*used)
        for (size_t i = 0; isa_usable(*used) && i < sizeof tables / sizeof *tables; i++)
            if (strcmp(tables[i].name, isa_at(*used)->name) == 0)
                return &tables[i].kernels[wide];
    return &tables[0].kernels[wide];
}

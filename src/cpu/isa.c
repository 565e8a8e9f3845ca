#include "cpu/kernel.h"

#include "base/cpu.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#include <stdlib.h>
#include <string.h>

#define ISA(id, name, built, summary)                                                              \
    extern kernel *const isa_kernels_##id[KERNEL_COUNT];                                           \
    extern const int isa_rows_##id[KERNEL_HEIGHTS];
#if !SWATHE_BUILD_SSE41
#define isa_kernels_sse41 isa_kernels_scalar
#define isa_rows_sse41    isa_rows_scalar
#endif
#if !SWATHE_BUILD_AVX2
#define isa_kernels_avx2 isa_kernels_scalar
#define isa_rows_avx2    isa_rows_scalar
#endif
#if !SWATHE_BUILD_AVXVNNI
#define isa_kernels_avxvnni isa_kernels_scalar
#define isa_rows_avxvnni    isa_rows_scalar
#endif
#if !SWATHE_BUILD_AVX512
#define isa_kernels_avx512 isa_kernels_scalar
#define isa_rows_avx512    isa_rows_scalar
#endif
#if !SWATHE_BUILD_VNNI
#define isa_kernels_vnni isa_kernels_scalar
#define isa_rows_vnni    isa_rows_scalar
#endif
#if !SWATHE_BUILD_NEON
#define isa_kernels_neon isa_kernels_scalar
#define isa_rows_neon    isa_rows_scalar
#endif
#if !SWATHE_BUILD_DOTPROD
#define isa_kernels_dotprod isa_kernels_scalar
#define isa_rows_dotprod    isa_rows_scalar
#endif
#include "cpu/isa.def"
#undef ISA

/* AMX adds tiles (cpu/tiles.h) and uses the kernels of lower instruction sets. */
kernel *const isa_kernels_amx[KERNEL_COUNT] = {NULL};
const int isa_rows_amx[KERNEL_HEIGHTS] = {0};

static const struct isa isas[] = {
#define ISA(id, name, built, summary) {name, summary, built, isa_kernels_##id, isa_rows_##id},
#include "cpu/isa.def"
#undef ISA
};

static const struct kernel_entry kernels[] = {
#define KERNEL(id, sum, source, result) {#id, KERNEL_##sum, #source, #result},
#include "cpu/kernels.def"
#undef KERNEL
};

enum { ISA_COUNT = sizeof isas / sizeof *isas };

const struct isa *isa_at(int index)
{
    return index >= 0 && index < ISA_COUNT ? &isas[index] : NULL;
}

const struct kernel_entry *kernel_entry(int id)
{
    return id >= 0 && id < KERNEL_COUNT ? &kernels[id] : NULL;
}

int isa_named(const char *name)
{
    for (int i = 0; i < ISA_COUNT; i++)
        if (strcmp(isas[i].name, name) == 0)
            return i;
    return -1;
}

/* In test builds, SWATHE_ISA names the highest instruction set to use. */
static bool isa_masked(int index)
{
#if SWATHE_TESTS
    const char *highest = getenv("SWATHE_ISA");
    return highest && isa_named(highest) >= 0 && index > isa_named(highest);
#else
    (void)index;
    return false;
#endif
}

int isa_usable(int index)
{
    return isa_at(index) && isas[index].built && cpu_has(isas[index].name) && !isa_masked(index);
}

int isa_best(void)
{
    int best = 0;
    for (int i = 0; i < ISA_COUNT; i++)
        if (isa_usable(i))
            best = i;
    return best;
}

kernel *kernel_find(int isa, enum kernel_id id, int *used)
{
    for (int i = isa; i > 0; i--)
        if (isa_usable(i) && isas[i].kernels[id]) {
            *used = i;
            return isas[i].kernels[id];
        }
    *used = 0;
    return isas[0].kernels[id];
}

void kernel_stream_end(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#define _GNU_SOURCE /* syscall */
#include "base/cpu.h"

#include "base/os_machine.h"

#include <stdatomic.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

/* Asks the CPU, because not every compiler's library has __builtin_cpu_supports. */
enum { SSE41 = 1, AVX2 = 2, AVX_VNNI = 4, AVX512 = 8, VNNI = 16, KNOWN = 32 };

/* The registers that the operating system saves. */
static unsigned saved_registers(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static int detect(void)
{
    enum { HAS_FMA = 1 << 12, HAS_SSE41 = 1 << 19, HAS_XGETBV = 1 << 27, HAS_AVX2 = 1 << 5 };
    enum { HAS_VNNI = 1 << 11, HAS_AVX_VNNI = 1 << 4, YMM = 0x6, ZMM = 0xe6 };
    const unsigned has_avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31; /* F, DQ, BW, VL */
    unsigned a, b, c, d, first;
    int found = KNOWN;
    if (!__get_cpuid(1, &a, &b, &first, &d))
        return found;
    found |= first & HAS_SSE41 ? SSE41 : 0;
    unsigned saved = first & HAS_XGETBV ? saved_registers() : 0;
    if ((saved & YMM) != YMM || !(first & HAS_FMA) || !__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return found;
    found |= b & HAS_AVX2 ? AVX2 : 0;
    if ((saved & ZMM) == ZMM && (b & has_avx512) == has_avx512)
        found |= AVX512 | (c & HAS_VNNI ? VNNI : 0);
    if ((found & AVX2) && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & HAS_AVX_VNNI))
        found |= AVX_VNNI;
    return found;
}

static bool supports(int what)
{
    static atomic_int known;
    int found = atomic_load(&known);
    if (!found) { /* a race is harmless: all threads get the same answer */
        found = detect();
        atomic_store(&known, found);
    }
    return found & what;
}
#endif

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>

enum { AMX_TILE_INT8 = 3 << 24, AVX512_VBMI = 1 << 1 };
enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; /* of arch_prctl */

static bool ask_for_tiles(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & AMX_TILE_INT8) == AMX_TILE_INT8 &&
           (c & AVX512_VBMI) && syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

/* Tile registers are large, so Linux requires that a process requests permission once. */
static bool may_use_tiles(void)
{
    enum { UNKNOWN, NO, YES };
    static atomic_int known = UNKNOWN;
    int answer = atomic_load(&known);
    if (answer == UNKNOWN) { /* a race is harmless: all threads get the same answer */
        answer = ask_for_tiles() ? YES : NO;
        atomic_store(&known, answer);
    }
    return answer == YES;
}
#elif defined(__x86_64__) || defined(__i386__)
static bool may_use_tiles(void)
{
    return false;
}
#endif

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

static bool has_dot_products(void)
{
    enum { ASIMDDP = 1 << 20 };
    return getauxval(AT_HWCAP) & ASIMDDP;
}
#elif defined(__aarch64__)
static bool has_dot_products(void)
{
#if defined(__ARM_FEATURE_DOTPROD) || defined(__APPLE__) /* all of Apple's for macOS */
    return true;
#else
    return false;
#endif
}
#endif

bool cpu_has(const char *isa)
{
    if (strcmp(isa, "scalar") == 0)
        return true;
#if defined(__x86_64__) || defined(__i386__)
    if (strcmp(isa, "sse4.1") == 0)
        return supports(SSE41);
    if (strcmp(isa, "avx2") == 0)
        return supports(AVX2);
    if (strcmp(isa, "avxvnni") == 0)
        return supports(AVX_VNNI);
    if (strcmp(isa, "avx512") == 0)
        return supports(AVX512);
    if (strcmp(isa, "vnni") == 0)
        return supports(VNNI);
    if (strcmp(isa, "amx") == 0)
        return supports(VNNI) && may_use_tiles();
#elif defined(__aarch64__)
    if (strcmp(isa, "neon") == 0)
        return true; /* part of every 64-bit Arm */
    if (strcmp(isa, "dotprod") == 0)
        return has_dot_products();
#endif
    return false;
}

int64_t cpu_cache_bytes(void)
{
    int64_t caches[3];
    os_cache_bytes(caches);
    return caches[1] >= 1 << 17 && caches[1] <= 1 << 26 ? caches[1] : 1 << 20;
}

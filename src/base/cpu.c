#define _GNU_SOURCE /* sched_getaffinity, syscall */
#include "base/cpu.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

/* Compilers know this name only in newer versions. */
static bool has_avx_vnni(void)
{
    enum { AVX_VNNI = 1 << 4 };
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & AVX_VNNI);
}
#endif

#if defined(__x86_64__) && defined(__linux__)
#include <stdatomic.h>
#include <sys/syscall.h>

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
#if defined(__ARM_FEATURE_DOTPROD)
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
    __builtin_cpu_init();
    if (strcmp(isa, "sse4.1") == 0)
        return __builtin_cpu_supports("sse4.1");
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(isa, "avx2") == 0)
        return avx2;
    if (strcmp(isa, "avxvnni") == 0)
        return avx2 && has_avx_vnni();
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (strcmp(isa, "avx512") == 0)
        return avx512;
    if (strcmp(isa, "vnni") == 0)
        return avx512 && __builtin_cpu_supports("avx512vnni");
    if (strcmp(isa, "amx") == 0)
        return avx512 && __builtin_cpu_supports("avx512vnni") && may_use_tiles();
#elif defined(__aarch64__)
    if (strcmp(isa, "neon") == 0)
        return true; /* part of every 64-bit Arm */
    if (strcmp(isa, "dotprod") == 0)
        return has_dot_products();
#endif
    return false;
}

int32_t cpu_count(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < 4096 ? (int32_t)count : 1;
}

int64_t cpu_cache_bytes(void)
{
    long bytes = 0;
#if defined(_SC_LEVEL2_CACHE_SIZE)
    bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return bytes >= 1 << 17 && bytes <= 1 << 26 ? bytes : 1 << 20;
}

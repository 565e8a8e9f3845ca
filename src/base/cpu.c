#define _GNU_SOURCE /* syscall */
#include "base/cpu.h"

#include "base/hash.h"
#include "base/os_machine.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- Instruction sets ----------------------------------------------------------------------- */

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

static int cpu_detect(void)
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

static bool cpu_supports(int what)
{
    static atomic_int known;
    int found = atomic_load(&known);
    if (!found) { /* a race is harmless: all threads get the same answer */
        found = cpu_detect();
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
        return cpu_supports(SSE41);
    if (strcmp(isa, "avx2") == 0)
        return cpu_supports(AVX2);
    if (strcmp(isa, "avxvnni") == 0)
        return cpu_supports(AVX_VNNI);
    if (strcmp(isa, "avx512") == 0)
        return cpu_supports(AVX512);
    if (strcmp(isa, "vnni") == 0)
        return cpu_supports(VNNI);
    if (strcmp(isa, "amx") == 0)
        return cpu_supports(VNNI) && may_use_tiles();
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

int64_t cpu_last_cache_bytes(void)
{
    int64_t caches[3], least = 16 * cpu_cache_bytes();
    os_cache_bytes(caches);
    return caches[2] > least ? caches[2] : least;
}

/* ---- Identity ------------------------------------------------------------------------------- */

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

/* Prints the vendor, family-model-stepping as one number, and a hash of the feature words. */
static int print_model(char *text, size_t size)
{
    unsigned a, b, c, d, vendor[3], signature, features = 0;
    uint64_t hash = HASH_START;
    if (!__get_cpuid(0, &a, &vendor[0], &vendor[2], &vendor[1]) ||
        !__get_cpuid(1, &signature, &b, &c, &d))
        return snprintf(text, size, "x86");
    hash = hash_bytes(hash, &c, sizeof c);
    hash = hash_bytes(hash, &d, sizeof d);
    for (unsigned leaf = 0; leaf < 2; leaf++)
        if (__get_cpuid_count(7, leaf, &a, &b, &c, &d)) {
            unsigned words[] = {leaf > 0 ? a : 0, b, c, d};
            hash = hash_bytes(hash, words, sizeof words);
            features++;
        }
    return snprintf(text, size, "%.12s %08x features %u:%016" PRIx64, (const char *)vendor,
                    signature, features, hash);
}
#else
/* Prints a hash of the lines of /proc/cpuinfo that name the model. Other lines change, such as
 * clock rates. */
static int print_model(char *text, size_t size)
{
    static const char *const names[] = {"CPU implementer", "CPU variant", "CPU part",
                                        "CPU revision",    "Features",    "features",
                                        "vendor_id",       "machine"};
    char line[1024];
    uint64_t hash = HASH_START;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strncmp(line, names[i], strlen(names[i])) == 0)
                hash = hash_bytes(hash, line, strlen(line));
    if (file)
        fclose(file);
    return snprintf(text, size, "model %016" PRIx64, hash);
}
#endif

void cpu_identity(char *text, size_t size)
{
    int64_t caches[3];
    os_cache_bytes(caches);
    int at = print_model(text, size);
    if (at > 0 && (size_t)at < size)
        snprintf(text + at, size - (size_t)at, " caches %" PRId64 " %" PRId64 " %" PRId64,
                 caches[0], caches[1], caches[2]);
}

/* ---- Rounding ------------------------------------------------------------------------------- */

#if defined(__x86_64__) || defined(__SSE__)
#include <xmmintrin.h>

struct float_mode float_mode_enter(void)
{
    struct float_mode mode = {_mm_getcsr()};
    _mm_setcsr(0x1f80); /* the power-on value: all exceptions masked, nearest, no flushing */
    return mode;
}

void float_mode_leave(struct float_mode mode)
{
    _mm_setcsr((unsigned)mode.saved);
}

#elif defined(__aarch64__)

struct float_mode float_mode_enter(void)
{
    struct float_mode mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode.saved));
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    return mode;
}

void float_mode_leave(struct float_mode mode)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(mode.saved));
}

#else
#include <fenv.h>

struct float_mode float_mode_enter(void)
{
    struct float_mode mode = {(uint64_t)fegetround()};
    fesetround(FE_TONEAREST);
    return mode;
}

void float_mode_leave(struct float_mode mode)
{
    fesetround((int)mode.saved);
}

#endif

/* Kernels of box on every usable instruction set, compared with plain sums: sums that move down by
 * a row, and means of running sums. Rows end at guard pages. */
#include "cpu/kernel.h"
#include "cpu/reciprocal.h"

#include "../../cli/rng.h"
#include "guarded.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 300, APART = 16, TAPS = 129, COLUMNS = COUNT + APART * TAPS, RUNS = 200 };

static struct guarded rows[2], sums, result;
static int passed, failed;

static void verdict(int good, const char *what, int isa, uint64_t seed)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: kernel %s on %s (seed %llu)\n", what, isa_at(isa)->name,
               (unsigned long long)seed);
}

/* 16-bit sums of u8 in their usual range, 0 to 2^15. */
static void check_slide(int isa, struct rng *rng)
{
    int64_t count = rng_skewed(rng, 0, COUNT);
    const void *source[] = {rows[0].end - count, rows[1].end - count};
    int16_t *to = (int16_t *)(void *)sums.end - count, before[COUNT];
    struct kernel_args args = {.source = source, .result = to, .count = count};
    uint64_t seed = rng->state;
    for (int64_t i = 0; i < count; i++) {
        ((uint8_t *)(uintptr_t)source[0])[i] = (uint8_t)rng_next(rng);
        ((uint8_t *)(uintptr_t)source[1])[i] = (uint8_t)rng_next(rng);
        to[i] = before[i] = (int16_t)rng_between(rng, 255, 32512);
    }
    isa_at(isa)->kernels[KERNEL_slide_u8_s16](&args);
    int good = 1;
    for (int64_t i = 0; i < count; i++)
        good &=
            to[i] == before[i] + ((const uint8_t *)source[0])[i] - ((const uint8_t *)source[1])[i];
    verdict(good, "slide_u8_s16", isa, seed);
}

static uint8_t mean_at(const int16_t *columns, int64_t i, int64_t taps, int64_t apart, int64_t n)
{
    int64_t sum = 0;
    for (int64_t t = 0; t < taps; t++)
        sum += columns[i + t * apart];
    return (uint8_t)((2 * sum + n) / (2 * n));
}

/* Column sums of u8 in 16 bits. */
static void check_running(int isa, struct rng *rng)
{
    int64_t count = rng_skewed(rng, 0, COUNT), apart = rng_between(rng, 1, APART);
    int64_t taps = rng_skewed(rng, 1, TAPS), height = rng_skewed(rng, 1, 128);
    int64_t all = count + (taps - 1) * apart, n = taps * height;
    int16_t *columns = (int16_t *)(void *)sums.end - all;
    const void *source = columns;
    uint64_t seed = rng->state;
    uint8_t *to = result.end - count;
    if (n == 1)
        return;
    struct kernel_args args = {.source = &source,
                               .apart = apart,
                               .tap_count = taps,
                               .mean.divisor = (double)n,
                               .mean.reciprocal = reciprocal_of((uint32_t)n),
                               .add = n / 2,
                               .result = to,
                               .count = count,
                               .low = 0.0,
                               .high = 255.0};
    memset(columns - apart, 0, (size_t)apart * sizeof *columns);
    for (int64_t i = 0; i < all; i++) /* often all white, for the largest means */
        columns[i] =
            (int16_t)(rng_once_in(rng, 2) ? 255 * height : rng_between(rng, 0, 255 * height));
    isa_at(isa)->kernels[KERNEL_running_s16_u8](&args);
    int good = 1;
    for (int64_t i = 0; i < count; i++)
        good &= to[i] == mean_at(columns, i, taps, apart, n);
    verdict(good, "running_s16_u8", isa, seed);
}

/* Sample i of a result. */
static int64_t sample(int id, const void *p, int64_t i)
{
    return id == KERNEL_running_s32_u8    ? ((const uint8_t *)p)[i]
           : id == KERNEL_running_s32_u16 ? ((const uint16_t *)p)[i]
                                          : ((const int16_t *)p)[i];
}

/* Column sums of 16-bit samples, with any bias. */
static void check_running_long(int isa, int id, struct rng *rng)
{
    int64_t count = rng_skewed(rng, 0, COUNT), apart = rng_between(rng, 1, APART);
    int64_t taps = rng_skewed(rng, 1, TAPS), height = rng_skewed(rng, 2, 800);
    int64_t all = count + (taps - 1) * apart, n = taps * height;
    int64_t low = rng_once_in(rng, 2) ? -32768 : 0, bias = rng_between(rng, 0, n - 1);
    int32_t *columns = (int32_t *)(void *)sums.end - all;
    const void *source = columns;
    uint64_t seed = rng->state;
    int small = id == KERNEL_running_s32_u8;
    void *to = result.end - count * (small ? 1 : 2);
    struct kernel_args args = {.source = &source,
                               .apart = apart,
                               .tap_count = taps,
                               .mean.divisor = (double)n,
                               .mean.reciprocal = reciprocal_of((uint32_t)n),
                               .add = n / 2 + bias - low * n,
                               .mean.add_low = (int32_t)(low + rng_between(rng, -70000, 70000)),
                               .result = to,
                               .count = count,
                               .low = id == KERNEL_running_s32_s16 ? -32768.0 : 3.0,
                               .high = small ? 250.0 : 32767.0};
    memset(columns - apart, 0, (size_t)apart * sizeof *columns);
    for (int64_t i = 0; i < all; i++)
        columns[i] = (int32_t)(height * (low + (rng_once_in(rng, 3) ? 65535 : 0)));
    for (int64_t i = 0; i < all; i += 1 + (int64_t)(rng_next(rng) % 3))
        columns[i] = (int32_t)rng_between(rng, height * low, height * (low + 65535));
    isa_at(isa)->kernels[id](&args);
    int good = 1;
    for (int64_t i = 0; i < count; i++) {
        int64_t sum = args.add;
        for (int64_t t = 0; t < taps; t++)
            sum += columns[i + t * apart];
        int64_t mean = sum / n + args.mean.add_low;
        mean = mean < (int64_t)args.low ? (int64_t)args.low : mean;
        mean = mean > (int64_t)args.high ? (int64_t)args.high : mean;
        good &= sample(id, to, i) == mean;
    }
    verdict(good, kernel_entry(id)->name, isa, seed);
}

/* Many divisors, at the boundaries of their quotients. */
static void check_reciprocals(void)
{
    int good = 1;
    for (uint32_t n = 2; n < 1u << 22; n += n < 5000 ? 1 : 997) {
        struct reciprocal by = reciprocal_of(n);
        uint64_t most = INT32_MAX / n, step = most / 300 + 1;
        for (uint64_t q = 0; q <= most; q += q + 2 * step < most ? step : 1)
            for (uint64_t t = q > 0 ? q * n - 1 : 0; t <= q * n; t++)
                good &= (t * by.multiplier >> 32 >> by.shift) == t / n;
    }
    for (uint32_t n = 2; n < 300; n++) {
        struct reciprocal by = reciprocal_short(n, n / 2);
        good &= by.multiplier > 0 ? n <= 256 : n > 185;
        for (uint32_t t = 0; by.multiplier > 0 && t <= 255 * n + n / 2; t++)
            good &= ((t * by.multiplier >> 16) >> by.shift) == t / n;
    }
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: reciprocals\n");
}

int main(void)
{
    struct rng rng = {42};
    rows[0] = guarded_new(COUNT);
    rows[1] = guarded_new(COUNT);
    sums = guarded_new((COLUMNS + APART) * sizeof(int32_t));
    result = guarded_new(2 * COUNT);
    check_reciprocals();
    for (int isa = 0; isa_at(isa); isa++) {
        if (!isa_usable(isa)) {
            printf("skipped: %s (this machine cannot run it)\n", isa_at(isa)->name);
            continue;
        }
        int own = isa_at(isa)->kernels[KERNEL_slide_u8_s16] != NULL; /* otherwise the kernel of a
                                                                      * lower instruction set */
        for (int run = 0; own && run < RUNS; run++) {
            check_slide(isa, &rng);
            check_running(isa, &rng);
            for (int id = KERNEL_running_s32_u8; id <= KERNEL_running_s32_s16; id++)
                check_running_long(isa, id, &rng);
        }
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

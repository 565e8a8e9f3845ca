/* Every kernel of every usable instruction set, found through its table entry, is compared with the
 * definition in kernel.h. Buffers end at guard pages. */
#include "cpu/kernel.h"

#include "../../cli/rng.h"
#include "guarded.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { TAPS = 24, COUNT = 700, RUNS = 60 };

static struct guarded sources[TAPS], result_memory, drain_memory;

static int size_of(const char *type)
{
    static const char *const types[] = {"u8", "u16", "s16", "f32", "s32", "f64"};
    static const int sizes[] = {1, 2, 2, 4, 4, 8};
    int t = 0;
    while (strcmp(type, types[t]) != 0)
        t++;
    return sizes[t];
}

static double get(const void *p, const char *type, int64_t i)
{
    if (strcmp(type, "u8") == 0)
        return ((const uint8_t *)p)[i];
    if (strcmp(type, "u16") == 0)
        return ((const uint16_t *)p)[i];
    if (strcmp(type, "s16") == 0)
        return ((const int16_t *)p)[i];
    if (strcmp(type, "s32") == 0)
        return ((const int32_t *)p)[i];
    return strcmp(type, "f32") == 0 ? (double)((const float *)p)[i] : ((const double *)p)[i];
}

static void set(void *p, const struct kernel_entry *entry, int64_t i, struct rng *rng)
{
    const char *type = entry->source;
    uint64_t bits = rng_next(rng);
    if (entry->sum == KERNEL_FOLDED)
        bits = (bits & 32767) - 16384; /* the sum of two is within 16 bits */
    if (entry->sum == KERNEL_SHORT)
        bits %= 500; /* 24 taps of at most 5: below 2^16 */
    if (strcmp(type, "u8") == 0)
        ((uint8_t *)p)[i] = (uint8_t)bits;
    else if (strcmp(type, "u16") == 0)
        ((uint16_t *)p)[i] = (uint16_t)bits;
    else if (strcmp(type, "s16") == 0)
        ((int16_t *)p)[i] = (int16_t)(uint16_t)bits;
    else if (strcmp(type, "f32") == 0)
        ((float *)p)[i] = bits % 31 == 0   ? NAN
                          : bits % 37 == 0 ? INFINITY
                                           : (float)(rng_unit(rng) * 70000.0);
    else
        ((double *)p)[i] = (double)(int32_t)bits; /* whole numbers, as between passes */
}

/* One problem: taps in the kernel's own form, and as doubles. */
struct problem {
    struct kernel_args args;
    const void *source[TAPS];
    int8_t bytes[TAPS];
    int16_t pairs[TAPS];
    int32_t longs[TAPS];
    float floats[TAPS];
    double doubles[TAPS];
    double before[COUNT]; /* results that SLIDE adds to */
    struct kernel_drain drain;
};

static void set_range(struct problem *p, const char *result, struct rng *rng)
{
    static const double low[] = {0, 0, -32768}, high[] = {255, 65535, 32767};
    int type = strcmp(result, "u8") == 0 ? 0 : strcmp(result, "u16") == 0 ? 1 : 2;
    p->args.low = low[type];
    p->args.high = high[type];
    if (result[0] == 'f') {
        p->args.low = rng_once_in(rng, 2) ? -INFINITY : -100.0;
        p->args.high = rng_once_in(rng, 2) ? INFINITY : 100.0;
    } else if (rng_once_in(rng, 3)) {
        p->args.low += (double)rng_between(rng, 0, 100);
        p->args.high -= (double)rng_between(rng, 0, 100);
    }
}

static const void *taps_for(const struct problem *p, enum kernel_sum sum)
{
    switch (sum) {
    case KERNEL_NARROW:
        return p->bytes;
    case KERNEL_SHORT:
    case KERNEL_PAIR:
    case KERNEL_FOLDED:
        return p->pairs;
    case KERNEL_LONG:
        return p->longs;
    case KERNEL_FLOAT:
    case KERNEL_FAST:
        return p->floats;
    default:
        return p->doubles;
    }
}

static int64_t sources_of(enum kernel_sum sum, struct rng *rng)
{
    if (sum == KERNEL_CONVERT || sum == KERNEL_UNCACHED)
        return 1;
    return sum == KERNEL_SLIDE ? 2 : rng_skewed(rng, 0, TAPS);
}

/* The content of the result before the call. */
static void set_before(struct problem *p, const struct kernel_entry *entry, struct rng *rng)
{
    for (int64_t i = 0; entry->sum == KERNEL_SLIDE && i < p->args.count; i++) {
        p->before[i] = (double)rng_between(rng, -20000, 20000);
        if (size_of(entry->result) == 2)
            ((int16_t *)p->args.result)[i] = (int16_t)p->before[i];
        else if (size_of(entry->result) == 4)
            ((int32_t *)p->args.result)[i] = (int32_t)p->before[i];
        else
            ((double *)p->args.result)[i] = p->before[i];
    }
}

static void make(struct problem *p, const struct kernel_entry *entry, struct rng *rng)
{
    memset(p, 0, sizeof *p);
    p->args.count = rng_once_in(rng, 3) ? rng_between(rng, 0, COUNT) : rng_skewed(rng, 0, COUNT);
    p->args.tap_count = sources_of(entry->sum, rng);
    bool small = entry->sum == KERNEL_NARROW || entry->sum == KERNEL_SHORT;
    bool symmetric = rng_once_in(rng, 2);
    if (entry->sum == KERNEL_PAIR || entry->sum == KERNEL_NARROW)
        p->args.tap_count &= ~INT64_C(1);
    if (entry->sum == KERNEL_FOLDED)
        p->args.tap_count = p->args.tap_count > 3 ? (p->args.tap_count - 1) | 1 : 3;
    for (int64_t t = 0; t < p->args.tap_count; t++) {
        /* PAIR sums stay below 2^31: 24 × 2^11 × 2^15. */
        int32_t w = (int32_t)rng_between(rng, -2047, 2047);
        if (small) /* 24 × 5 × 255 below 2^15 */
            w = (int32_t)rng_between(rng, entry->sum == KERNEL_SHORT ? 0 : -5, 5);
        if (entry->sum == KERNEL_SHORT && symmetric && 2 * t >= p->args.tap_count)
            w = p->longs[p->args.tap_count - 1 - t];
        if (entry->sum == KERNEL_FOLDED && 2 * t >= p->args.tap_count)
            w = p->longs[p->args.tap_count - 1 - t];
        p->bytes[t] = (int8_t)w;
        p->pairs[t] = (int16_t)w;
        p->longs[t] = w;
        p->floats[t] = (float)rng_unit(rng);
        p->doubles[t] = w;
        p->source[t] = sources[t].end - p->args.count * size_of(entry->source);
        for (int64_t i = 0; i < p->args.count; i++)
            set((void *)(uintptr_t)p->source[t], entry, i, rng);
    }
    set_range(p, entry->result, rng);
    p->args.source = p->source;
    p->args.shift = (int32_t)rng_between(rng, 0, 20);
    p->args.add = rng_between(rng, -100000, 100000);
    if (small)
        p->args.add = rng_between(rng, 0, 1000);
    p->args.add_wide = entry->sum == KERNEL_RAW ? 0.0 : (double)p->args.add;
    p->args.divisor = (double)rng_between(rng, 1, 1000);
    p->args.bias = (float)rng_unit(rng);
    p->args.taps = taps_for(p, entry->sum);
    p->args.result = result_memory.end - p->args.count * size_of(entry->result);
    set_before(p, entry, rng);
    int64_t bytes = p->args.count * size_of(entry->result);
    uint8_t *to = drain_memory.end - bytes;
    int64_t first = (int64_t)(-(uintptr_t)to % 64);
    first = first < bytes ? first : bytes;
    p->drain = (struct kernel_drain){to, first, first};
    p->args.drain = rng_once_in(rng, 2) ? &p->drain : NULL;
}

/* Sample i of the result, which the kernel may have streamed. */
static double made(const struct problem *p, const char *type, int64_t i)
{
    int64_t at = i * size_of(type);
    bool streamed = p->args.drain && at >= p->drain.first && at < p->drain.last;
    return get(streamed ? p->drain.to : p->args.result, type, i);
}

static double clamp(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

/* The expected value of sample i. Integer sums are exact in double here. */
static double expected(const struct problem *p, const struct kernel_entry *entry, int64_t i,
                       double *slack)
{
    const struct kernel_args *a = &p->args;
    double sum = 0.0, size = 0.0;
    float exact = 0.0f;
    *slack = 0.0;
    if (entry->sum == KERNEL_SLIDE)
        return p->before[i] + get(p->source[0], entry->source, i) -
               get(p->source[1], entry->source, i);
    if (entry->sum == KERNEL_UNCACHED)
        return get(p->source[0], entry->source, i);
    if (entry->sum == KERNEL_CONVERT) {
        double v = get(p->source[0], entry->source, i);
        if (entry->result[0] == 'f')
            return v;
        return clamp(isnan(v) ? 0.0 : floor(v + 0.5), a->low, a->high);
    }
    for (int64_t t = 0; t < a->tap_count; t++) {
        double v = get(p->source[t], entry->source, i);
        sum += p->doubles[t] * v;
        exact = fmaf(p->floats[t], (float)v, exact);
        size += fabs((double)p->floats[t] * v);
    }
    if (entry->sum == KERNEL_RAW)
        return sum;
    if (entry->sum == KERNEL_FLOAT || entry->sum == KERNEL_FAST) {
        *slack = entry->sum == KERNEL_FAST ? 2.0 * (TAPS + 2) * 0x1p-24 * (size + 1.0) : 0.0;
        exact += a->bias; /* stored, because some machines compute floats as doubles */
        return clamp((double)exact, (double)(float)a->low, (double)(float)a->high);
    }
    double by = entry->sum == KERNEL_MEAN ? a->divisor : ldexp(1.0, a->shift);
    return clamp(floor((sum + (double)a->add) / by), a->low, a->high);
}

static bool same(double got, double want, double slack)
{
    return got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= slack;
}

static int check(int isa, int id, struct rng *rng)
{
    const struct kernel_entry *entry = kernel_entry(id);
    kernel *run = isa_at(isa)->kernels[id];
    for (int n = 0; n < RUNS; n++) {
        uint64_t seed = rng->state;
        static struct problem p;
        make(&p, entry, rng);
        run(&p.args);
        kernel_uncached_end();
        for (int64_t i = 0; i < p.args.count; i++) {
            double slack, want = expected(&p, entry, i, &slack);
            double got = made(&p, entry->result, i);
            if (same(got, want, slack))
                continue;
            printf("FAILED: kernel %s on %s: sample %d of %d is %.9g, must be %.9g (seed %llu)\n",
                   entry->name, isa_at(isa)->name, (int)i, (int)p.args.count, got, want,
                   (unsigned long long)seed);
            return 1;
        }
    }
    return 0;
}

/* ACROSS applies taps along rows and computes several rows. */
static int check_across(int isa, int id, struct rng *rng)
{
    static _Alignas(64) float scratch[KERNEL_ACROSS_ROWS * (COUNT + 4 * TAPS + 15)];
    static struct guarded made[KERNEL_ACROSS_ROWS];
    float taps[TAPS];
    const void *source[KERNEL_ACROSS_ROWS];
    void *results[KERNEL_ACROSS_ROWS];
    for (int y = 0; y < KERNEL_ACROSS_ROWS && !made[y].end; y++)
        made[y] = guarded_new(COUNT * 4);
    for (int n = 0; n < RUNS; n++) {
        int64_t count = rng_skewed(rng, 0, COUNT / 2), step = rng_between(rng, 1, 4);
        struct kernel_args args = {.source = source,
                                   .taps = taps,
                                   .tap_count = rng_between(rng, KERNEL_ACROSS_TAPS, TAPS),
                                   .scratch = scratch,
                                   .count = count,
                                   .bias = (float)rng_unit(rng),
                                   .low = -INFINITY,
                                   .high = rng_once_in(rng, 2) ? INFINITY : 100.0,
                                   .results = results,
                                   .apart = step,
                                   .height = (int32_t)rng_between(rng, 1, KERNEL_ACROSS_ROWS)};
        int64_t wide = count + (args.tap_count - 1) * step;
        for (int64_t t = 0; t < args.tap_count; t++)
            taps[t] = (float)rng_unit(rng);
        for (int y = 0; y < args.height; y++) {
            source[y] = sources[y].end - wide * 4;
            results[y] = made[y].end - count * 4;
            for (int64_t i = 0; i < wide; i++)
                set((void *)(uintptr_t)source[y], kernel_entry(id), i, rng);
        }
        isa_at(isa)->kernels[id](&args);
        for (int y = 0; y < args.height; y++)
            for (int64_t i = 0; i < count; i++) {
                float sum = 0.0f, got = ((const float *)results[y])[i];
                for (int64_t t = 0; t < args.tap_count; t++)
                    sum = fmaf(taps[t], ((const float *)source[y])[i + t * step], sum);
                sum += args.bias;
                if (same((double)got, clamp((double)sum, args.low, args.high), 0.0))
                    continue;
                printf("FAILED: kernel %s on %s: sample %d of row %d is %.9g, must be %.9g\n",
                       kernel_entry(id)->name, isa_at(isa)->name, (int)i, y, (double)got,
                       (double)sum);
                return 1;
            }
    }
    return 0;
}

/* Tested in sums.c, multirow_kernels.c and passes_kernels.c. */
static bool is_elsewhere(enum kernel_sum sum)
{
    return sum == KERNEL_RUNNING || sum == KERNEL_SHORT_MEAN || sum >= KERNEL_NARROW_MULTIROW;
}

int main(void)
{
    struct rng rng = {42};
    int passed = 0, failed = 0, skipped = 0;
    for (int t = 0; t < TAPS; t++)
        sources[t] = guarded_new(COUNT * 8);
    result_memory = guarded_new(COUNT * 8);
    drain_memory = guarded_new(COUNT * 8);
    for (int isa = 0; isa_at(isa); isa++)
        for (int id = 0; id < KERNEL_COUNT; id++) {
            if (is_elsewhere(kernel_entry(id)->sum))
                continue;
            if (!isa_usable(isa) || !isa_at(isa)->kernels[id]) {
                skipped++;
                continue;
            }
            bool across = kernel_entry(id)->sum == KERNEL_ACROSS;
            int bad = across ? check_across(isa, id, &rng) : check(isa, id, &rng);
            failed += bad;
            passed += !bad;
        }
    for (int isa = 0; isa_at(isa); isa++)
        if (!isa_usable(isa))
            printf("skipped: %s (this machine cannot run it)\n", isa_at(isa)->name);
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed > 0;
}

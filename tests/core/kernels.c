/* Every kernel of every usable instruction set, found through its table entry, is compared with the
 * definition in kernel.h. Buffers end at guard pages. */
#include "cpu/kernel.h"

#include "../../cli/rng.h"
#include "each_kernel.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { TAPS = 24, COUNT = 700, RUNS = 60 };

static struct guarded sources[TAPS], result_memory;

static int size_of(const char *type)
{
    static const char *const types[] = {"u8", "u16", "s16", "f32", "s32", "u32", "f64"};
    static const int sizes[] = {1, 2, 2, 4, 4, 4, 8};
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
    if (strcmp(type, "u32") == 0)
        return ((const uint32_t *)p)[i];
    return strcmp(type, "f32") == 0 ? (double)((const float *)p)[i] : ((const double *)p)[i];
}

static bool is_real(const struct kernel_entry *entry)
{
    return entry->sum == KERNEL_FLOAT || entry->sum == KERNEL_FAST;
}

static void set(void *p, const struct kernel_entry *entry, int64_t i, struct rng *rng)
{
    const char *type = entry->source;
    uint64_t bits = rng_next(rng);
    if (entry->sum == KERNEL_HYPOT && bits % 3 == 0) /* small ones, and the largest */
        bits = bits % 2 ? bits / 6 % 300 : 32768;
    if (entry->sum == KERNEL_QUOTIENT) /* small numbers, so that some are equal */
        bits = bits % 3 ? bits % 7 : bits;
    if (entry->sum == KERNEL_SHORT)
        bits %= 500; /* 24 taps of at most 5: below 2^16 */
    if (strcmp(type, "u8") == 0)
        ((uint8_t *)p)[i] = (uint8_t)bits;
    else if (strcmp(type, "u16") == 0)
        ((uint16_t *)p)[i] = (uint16_t)bits;
    else if (strcmp(type, "s16") == 0)
        ((int16_t *)p)[i] = (int16_t)(uint16_t)bits;
    else if (strcmp(type, "f32") == 0)
        ((float *)p)[i] =
            bits % 31 == 0   ? NAN
            : bits % 37 == 0 ? INFINITY
            : bits % 41 == 0 ? 0x1.fffffep-2f /* v + 0.5 is not exact */
            : bits % 43 == 0 ? (float)(int16_t)bits + 0.5f
                             : (float)(rng_unit(rng) * (entry->sum == KERNEL_STEP ? 1.5 : 70000.0));
    else if (strcmp(type, "u32") == 0 || strcmp(type, "s32") == 0)
        ((uint32_t *)p)[i] = (uint32_t)bits;
    else if (entry->sum == KERNEL_CONVERT || is_real(entry))
        ((double *)p)[i] = bits % 31 == 0   ? NAN
                           : bits % 37 == 0 ? INFINITY
                           : bits % 41 == 0 ? 0x1.fffffffffffffp-2 /* v + 0.5 is not exact */
                                            : rng_unit(rng) * 70000.0;
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
    double doubles[TAPS]; /* whole numbers */
    double reals[TAPS];
    double before[COUNT]; /* results that SLIDE adds to */
    struct kernel_quotient quotient;
    struct kernel_steps steps;
    float table[256];
    const void *ahead; /* only prefetched, so that any address will do */
    struct kernel_alpha alpha;
};

static void set_range(struct problem *p, const char *result, struct rng *rng)
{
    static const double low[] = {0, 0, -32768, 0, -0x1p31};
    static const double high[] = {255, 65535, 32767, 0x1p32 - 1, 0x1p31 - 1};
    static const char *const names[] = {"u8", "u16", "s16", "u32", "s32"};
    int type = 0;
    while (result[0] != 'f' && strcmp(result, names[type]) != 0)
        type++;
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

static void set_quotient(struct problem *p, struct rng *rng)
{
    struct kernel_quotient *q = &p->quotient;
    q->all = (double)rng_between(rng, 1, 6);
    q->unit = (double)rng_between(rng, 1, 1000);
    q->least = rng_once_in(rng, 2) ? 0x1p-1074 : 2.5;
    q->none = rng_once_in(rng, 4) ? NAN : (double)rng_between(rng, -1, 2);
    q->beside = q->none + (rng_once_in(rng, 2) ? 1.0 : 0.0);
    q->is_integer = rng_once_in(rng, 2);
    q->is_f32 = rng_once_in(rng, 2);
}

/* Sums of few taps, so that some results are close to halves. */
static void set_alpha(struct problem *p, struct rng *rng)
{
    struct kernel_alpha *q = &p->alpha;
    double taps = (float)(rng_once_in(rng, 2) ? 1.0 : 0.5 + fabs(rng_unit(rng)));
    *q = (struct kernel_alpha){(float)(taps * 255.0), 255.0, (float)(taps * 255.0) / 255.0, 0.0, 0};
    q->least = 0.5 * q->share;
    q->least_float = (float)q->least;
    if ((double)q->least_float < q->least)
        q->least_float = nextafterf(q->least_float, INFINITY);
    p->args.apart = rng_once_in(rng, 2) ? 2 : 4;
    p->args.count -= p->args.count % p->args.apart;
}

/* Sums of a pixel: those of the colours are at most 255 times that of alpha. */
static void set_alpha_sums(struct problem *p, struct rng *rng)
{
    float *sums = (float *)(uintptr_t)p->source[0];
    for (int64_t i = p->args.count - 1; i >= 0; i--) {
        bool is_alpha = i % p->args.apart == p->args.apart - 1;
        double d = is_alpha
                       ? p->alpha.all
                       : sums[i - i % p->args.apart + p->args.apart - 1] / p->alpha.all * 255.0;
        double halves = (double)rng_between(rng, 0, is_alpha ? 255 : 510) / 2.0;
        double v = is_alpha && rng_once_in(rng, 3) ? 255.0 : fabs(rng_unit(rng)) * 255.0;
        sums[i] = (float)(is_alpha ? d * (rng_once_in(rng, 2) ? floor(v) : v) / 255.0
                                   : d * p->alpha.share * (rng_once_in(rng, 2) ? halves : v));
    }
}

/* Any buckets do: from the smallest power of two to 1. */
static void set_steps(struct problem *p, struct rng *rng)
{
    static uint32_t buckets[(0x3f800000 >> 16) + 1];
    for (size_t i = 0; i < sizeof buckets / sizeof *buckets; i++)
        buckets[i] = (uint32_t)rng_between(rng, 0, (255 << 16) - 1);
    p->steps = (struct kernel_steps){0x1p-126f, 1.0f, 0x00800000, buckets};
}

static const void *taps_for(const struct problem *p, const struct kernel_entry *entry)
{
    switch (entry->sum) {
    case KERNEL_NARROW:
        return p->bytes;
    case KERNEL_SHORT:
    case KERNEL_PAIR:
        return p->pairs;
    case KERNEL_LONG:
        return p->longs;
    case KERNEL_QUOTIENT:
        return &p->quotient;
    case KERNEL_STEP:
        return &p->steps;
    case KERNEL_LOOK_UP:
        return p->table;
    case KERNEL_ALPHA_DIVIDE:
        return &p->alpha;
    case KERNEL_FLOAT:
    case KERNEL_FAST:
        return size_of(entry->source) == 8 ? (const void *)p->reals : p->floats;
    default:
        return p->doubles;
    }
}

static int64_t sources_of(enum kernel_sum sum, struct rng *rng)
{
    if (sum == KERNEL_CONVERT || sum == KERNEL_STEP || sum == KERNEL_LOOK_UP ||
        sum == KERNEL_ALPHA_MULTIPLY || sum == KERNEL_ALPHA_DIVIDE)
        return 1;
    if (sum == KERNEL_QUOTIENT)
        return 3;
    return sum == KERNEL_SLIDE || sum == KERNEL_HYPOT ? 2 : rng_skewed(rng, 0, TAPS);
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
    if (entry->sum == KERNEL_ALPHA_MULTIPLY || entry->sum == KERNEL_ALPHA_DIVIDE)
        set_alpha(p, rng);
    bool small = entry->sum == KERNEL_NARROW || entry->sum == KERNEL_SHORT;
    bool symmetric = rng_once_in(rng, 2);
    if (entry->sum == KERNEL_PAIR || entry->sum == KERNEL_NARROW)
        p->args.tap_count &= ~INT64_C(1);
    for (int64_t t = 0; t < p->args.tap_count; t++) {
        /* PAIR sums stay below 2^31: 24 × 2^11 × 2^15. */
        int32_t w = (int32_t)rng_between(rng, -2047, 2047);
        if (small) /* 24 × 5 × 255 below 2^15 */
            w = (int32_t)rng_between(rng, entry->sum == KERNEL_SHORT ? 0 : -5, 5);
        if (entry->sum == KERNEL_SHORT && symmetric && 2 * t >= p->args.tap_count)
            w = p->longs[p->args.tap_count - 1 - t];
        p->bytes[t] = (int8_t)w;
        p->pairs[t] = (int16_t)w;
        p->longs[t] = w;
        p->reals[t] = rng_unit(rng);
        p->floats[t] = (float)p->reals[t];
        p->doubles[t] = w;
        p->source[t] = sources[t].end - p->args.count * size_of(entry->source);
        for (int64_t i = 0; i < p->args.count; i++)
            set((void *)(uintptr_t)p->source[t], entry, i, rng);
    }
    set_range(p, entry->result, rng);
    set_quotient(p, rng);
    if (entry->sum == KERNEL_STEP)
        set_steps(p, rng);
    for (int32_t i = 0; entry->sum == KERNEL_LOOK_UP && i < 256; i++)
        p->table[i] = (float)rng_unit(rng);
    p->ahead = p->source[0];
    p->args.ahead = entry->sum == KERNEL_LOOK_UP && rng_once_in(rng, 2) ? &p->ahead : NULL;
    if (entry->sum == KERNEL_ALPHA_DIVIDE)
        set_alpha_sums(p, rng);
    p->args.source = p->source;
    p->args.shift = (int32_t)rng_between(rng, 0, 20);
    p->args.add = rng_between(rng, -100000, 100000);
    if (small)
        p->args.add = rng_between(rng, 0, 1000);
    p->args.add_wide = entry->sum == KERNEL_RAW ? 0.0 : (double)p->args.add;
    p->args.mean.divisor = (double)rng_between(rng, 1, 1000);
    p->args.bias = (float)rng_unit(rng);
    p->args.taps = taps_for(p, entry);
    p->args.result = each_kernel_row(&result_memory, p->args.count, size_of(entry->result), rng);
    set_before(p, entry, rng);
    p->args.stream = rng_once_in(rng, 2);
}

static double clamp(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

static double expected_quotient(const struct problem *p, int64_t i)
{
    const struct kernel_quotient *q = &p->quotient;
    double n = get(p->source[0], "f64", i), d = get(p->source[1], "f64", i);
    if (fabs(d) < q->least || get(p->source[2], "f64", i) == 0.0)
        return q->none;
    double v = d == q->all ? n / q->unit : n / d * (q->all / q->unit);
    v += p->args.bias;
    double whole = floor(v);
    if (q->is_integer)
        v = isnan(v) ? 0.0 : v - whole >= 0.5 ? whole + 1.0 : whole;
    else if (q->is_f32)
        v = (float)v;
    v = clamp(v, p->args.low, p->args.high);
    return v == q->none && q->beside != q->none ? q->beside : v;
}

static double expected_step(const struct problem *p, int64_t i)
{
    double v = get(p->source[0], "f32", i);
    float light = (float)(isnan(v) || v < 0x1p-126 ? 0x1p-126 : v > 1.0 ? 1.0 : v);
    uint32_t bits;
    memcpy(&bits, &light, sizeof bits);
    bits -= p->steps.first;
    return (p->steps.buckets[bits / 65536] + bits % 65536) / 65536;
}

static double expected_alpha(const struct problem *p, const struct kernel_entry *entry, int64_t i)
{
    const struct kernel_alpha *q = &p->alpha;
    int64_t last = i - i % p->args.apart + p->args.apart - 1;
    double n = get(p->source[0], entry->source, i), d = get(p->source[0], entry->source, last);
    if (entry->sum == KERNEL_ALPHA_MULTIPLY)
        return i == last ? d : n * d;
    double v = i == last ? d / q->share : d == q->all ? n / q->unit : n / d * (q->all / q->unit);
    double whole = floor(v);
    return d < q->least ? 0.0 : fmin(v - whole >= 0.5 ? whole + 1.0 : whole, 255.0);
}

/* The expected value of sample i. Integer sums are exact in double here. */
static double expected(const struct problem *p, const struct kernel_entry *entry, int64_t i,
                       double *slack)
{
    const struct kernel_args *a = &p->args;
    double sum = 0.0, size = 0.0;
    double exact = 0.0;
    bool is_f64 = size_of(entry->source) == 8;
    *slack = 0.0;
    if (entry->sum == KERNEL_SLIDE)
        return p->before[i] + get(p->source[0], entry->source, i) -
               get(p->source[1], entry->source, i);
    if (entry->sum == KERNEL_HYPOT) {
        double x = get(p->source[0], entry->source, i), y = get(p->source[1], entry->source, i);
        if (strcmp(entry->source, "f32") == 0)
            return clamp((double)(float)(sqrtf(fmaf((float)y, (float)y, (float)x * (float)x)) +
                                         (float)a->bias),
                         a->low, a->high);
        if (is_f64)
            return clamp(sqrt(fma(y, y, x * x)) + a->bias, a->low, a->high);
        return clamp(floor(sqrt(x * x + y * y) + 0.5), a->low, a->high);
    }
    if (entry->sum == KERNEL_QUOTIENT)
        return expected_quotient(p, i);
    if (entry->sum == KERNEL_STEP)
        return expected_step(p, i);
    if (entry->sum == KERNEL_LOOK_UP)
        return p->table[(int)get(p->source[0], entry->source, i)];
    if (entry->sum == KERNEL_ALPHA_MULTIPLY || entry->sum == KERNEL_ALPHA_DIVIDE)
        return expected_alpha(p, entry, i);
    if (entry->sum == KERNEL_CONVERT) {
        double v = get(p->source[0], entry->source, i);
        if (is_f64 && entry->result[0] == 'f')
            return clamp((double)(float)v, (double)(float)a->low, (double)(float)a->high);
        if (entry->result[0] == 'f')
            return v;
        double whole = floor(v);
        return clamp(isnan(v) ? 0.0 : v - whole >= 0.5 ? whole + 1.0 : whole, a->low, a->high);
    }
    for (int64_t t = 0; t < a->tap_count; t++) {
        double v = get(p->source[t], entry->source, i);
        sum += p->doubles[t] * v;
        exact = is_f64 ? fma(p->reals[t], v, exact)
                       : (double)fmaf(p->floats[t], (float)v, (float)exact);
        size += fabs(p->reals[t] * v);
    }
    if (entry->sum == KERNEL_RAW)
        return sum;
    if (is_real(entry)) {
        double unit = is_f64 ? 0x1p-53 : 0x1p-24;
        *slack = entry->sum == KERNEL_FAST ? 2.0 * (TAPS + 2) * unit * (size + 1.0) : 0.0;
        exact = is_f64 ? exact + a->bias : (double)(float)((float)exact + (float)a->bias);
        return clamp(exact, a->low, a->high); /* both are floats */
    }
    double by = entry->sum == KERNEL_MEAN ? a->mean.divisor : ldexp(1.0, a->shift);
    return clamp(floor((sum + (double)a->add) / by), a->low, a->high);
}

static bool same(double got, double want, double slack)
{
    return got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= slack;
}

static int check(int isa, int id, struct rng *rng)
{
    const struct kernel_entry *entry = kernel_entry(id);
    for (int n = 0; n < RUNS; n++) {
        uint64_t seed = rng->state;
        static struct problem p;
        make(&p, entry, rng);
        if (!each_kernel_run(isa, id, &p.args))
            return 1;
        for (int64_t i = 0; i < p.args.count; i++) {
            double slack, want = expected(&p, entry, i, &slack);
            double got = get(p.args.result, entry->result, i);
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
                                   .rows.scratch = scratch,
                                   .count = count,
                                   .bias = (float)rng_unit(rng),
                                   .low = -INFINITY,
                                   .high = rng_once_in(rng, 2) ? INFINITY : 100.0,
                                   .rows.results = results,
                                   .apart = step,
                                   .rows.height = (int32_t)rng_between(rng, 1, KERNEL_ACROSS_ROWS)};
        int64_t wide = count + (args.tap_count - 1) * step;
        for (int64_t t = 0; t < args.tap_count; t++)
            taps[t] = (float)rng_unit(rng);
        for (int y = 0; y < args.rows.height; y++) {
            source[y] = sources[y].end - wide * 4;
            results[y] = made[y].end - count * 4;
            for (int64_t i = 0; i < wide; i++)
                set((void *)(uintptr_t)source[y], kernel_entry(id), i, rng);
        }
        isa_at(isa)->kernels[id](&args);
        for (int y = 0; y < args.rows.height; y++)
            for (int64_t i = 0; i < count; i++) {
                float sum = 0.0f, got = ((const float *)results[y])[i];
                for (int64_t t = 0; t < args.tap_count; t++)
                    sum = fmaf(taps[t], ((const float *)source[y])[i + t * step], sum);
                sum += (float)args.bias;
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

/* Tested in sums.c, multirow_kernels.c, passes_kernels.c, byte_kernels.c and weighted_kernels.c.
 * Any other sum is tested here, where a new one fails until it has its own test. */
static bool is_elsewhere(enum kernel_sum sum)
{
    return sum == KERNEL_RUNNING ||
           (sum >= KERNEL_NARROW_MULTIROW && sum <= KERNEL_SPLIT_MULTIROW) ||
           (sum >= KERNEL_FLOAT_PASSES && sum <= KERNEL_FAST_PASSES) ||
           (sum >= KERNEL_SHORT_PASSES && sum <= KERNEL_FOLDED_PASSES) ||
           sum == KERNEL_WEIGHTED_PASSES;
}

int main(void)
{
    struct rng rng = {42};
    int passed = 0, failed = 0, skipped = 0;
    for (int t = 0; t < TAPS; t++)
        sources[t] = guarded_new(COUNT * 8);
    result_memory = each_kernel_memory(COUNT * 8);
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

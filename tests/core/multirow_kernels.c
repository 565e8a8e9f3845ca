/* Every kernel that computes several rows at once, on every usable instruction set, is compared
 * with the definition in kernel.h. Sources and scratch end at guard pages, and so do many results.
 */
#include "each_kernel.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 9, COLUMNS = 5, REACH = 40, COUNT = 1100, HEIGHT = 8, SOURCES = 32, RUNS = 120 };

static struct guarded sources[SOURCES], results[HEIGHT], scratch;

/* One problem: taps by row and column, and in the kernel's form. */
struct problem {
    struct kernel_args args;
    const void *source[SOURCES];
    void *result[HEIGHT];
    int64_t columns[COLUMNS];
    int32_t taps[ROWS][COLUMNS];
    float floats[ROWS * COLUMNS];
    double doubles[ROWS * COLUMNS];
    int32_t bytes[2 * (ROWS / 2 + 1) * COLUMNS];
    int32_t shorts[2 * (ROWS / 2 + 1) * COLUMNS];
    int32_t low_taps[ROWS][COLUMNS]; /* SPLIT */
    int32_t both[4 * (ROWS / 2 + 1) * COLUMNS];
};

static int64_t size_of(const char *type)
{
    return strcmp(type, "u8") == 0    ? 1
           : strcmp(type, "f32") == 0 ? 4
           : strcmp(type, "f64") == 0 ? 8
                                      : 2;
}

static bool is_float(const struct kernel_entry *entry)
{
    return entry->sum == KERNEL_FLOAT_MULTIROW || entry->sum == KERNEL_FAST_MULTIROW;
}

static int32_t tap_at(int32_t taps[ROWS][COLUMNS], int32_t row, int64_t column)
{
    return row < 0 ? 0 : taps[row][column];
}

static void lay_out_taps(struct problem *p)
{
    int32_t rows = p->args.rows.mask_rows, pairs = kernel_multirow_pairs(rows);
    int64_t n = 0;
    for (int32_t pair = 0; pair < pairs; pair++)
        for (int64_t c = 0; c < p->args.mask.column_count; c++)
            for (int32_t odd = 0; odd < 2; odd++, n++) {
                int32_t upper = kernel_multirow_row(odd, pair, 0, rows);
                int32_t lower = kernel_multirow_row(odd, pair, 1, rows);
                int32_t first = tap_at(p->taps, upper, c), second = tap_at(p->taps, lower, c);
                p->bytes[n] = kernel_join_bytes(first, second);
                p->shorts[n] = p->both[2 * n] = kernel_join_shorts(first, second);
                p->both[2 * n + 1] = kernel_join_shorts(tap_at(p->low_taps, upper, c),
                                                        tap_at(p->low_taps, lower, c));
            }
}

static void make_taps(struct problem *p, const struct kernel_entry *entry, struct rng *rng)
{
    /* NARROW: 45 taps of at most 2 stay below 2^15; PAIR: 45 × 2^15 × 255 below 2^31; SPLIT: 45 ×
     * 2^10 × 2^15. */
    int32_t most = entry->sum == KERNEL_NARROW_MULTIROW  ? 2
                   : entry->sum == KERNEL_SPLIT_MULTIROW ? 1023
                                                         : 32639;
    for (int32_t j = 0; j < p->args.rows.mask_rows; j++)
        for (int64_t c = 0; c < p->args.mask.column_count; c++) {
            p->taps[j][c] = (int32_t)rng_between(rng, -most, most);
            p->low_taps[j][c] = (int32_t)rng_between(rng, -1023, 1023);
            int64_t t = c * p->args.rows.mask_rows + j;
            p->doubles[t] = rng_unit(rng);
            p->floats[t] = (float)p->doubles[t];
        }
    lay_out_taps(p);
    p->args.taps = entry->sum == KERNEL_NARROW_MULTIROW  ? (void *)p->bytes
                   : entry->sum == KERNEL_PAIR_MULTIROW  ? (void *)p->shorts
                   : entry->sum == KERNEL_SPLIT_MULTIROW ? (void *)p->both
                   : size_of(entry->source) == 8         ? (void *)p->doubles
                                                         : (void *)p->floats;
}

static void make_rows(struct problem *p, const struct kernel_entry *entry, int isa, struct rng *rng)
{
    int64_t samples = p->args.count + REACH, size = size_of(entry->source);
    int64_t out = size_of(entry->result);
    int32_t last = p->args.rows.mask_rows + p->args.rows.height - 2;
    for (int64_t r = 0; r < kernel_multirow_sources(isa, entry->sum, p->args.rows.mask_rows); r++) {
        uint8_t *at = sources[r <= last ? r : last].end - samples * size;
        p->source[r] = at;
        for (int64_t i = 0; r <= last && i < samples; i++)
            if (size == 8)
                ((double *)(void *)at)[i] = rng_once_in(rng, 99) ? NAN : rng_unit(rng) * 9.0;
            else if (is_float(entry))
                ((float *)(void *)at)[i] =
                    rng_once_in(rng, 99) ? NAN : (float)(rng_unit(rng) * 9.0);
            else if (size == 2)
                ((uint16_t *)(void *)at)[i] = (uint16_t)rng_next(rng);
            else
                at[i] = (uint8_t)rng_next(rng);
    }
    for (int y = 0; y < p->args.rows.height; y++)
        p->result[y] = each_kernel_row(&results[y], p->args.count, out, rng);
}

/* Exactly as many bytes as the kernel may use. */
static void make_scratch(struct problem *p, const struct kernel_entry *entry)
{
    int64_t last = 0;
    for (int64_t c = 0; c < p->args.mask.column_count; c++)
        last = p->columns[c] > last ? p->columns[c] : last;
    if (kernel_sum_is_paired(entry->sum))
        p->args.rows.scratch = scratch.end - kernel_paired_bytes(entry->sum, p->args.rows.mask_rows,
                                                                 p->args.mask.column_count, last);
}

static void make(struct problem *p, const struct kernel_entry *entry, int isa, struct rng *rng)
{
    memset(p, 0, sizeof *p);
    p->args.count = rng_once_in(rng, 3) ? rng_between(rng, 0, COUNT) : rng_skewed(rng, 0, COUNT);
    p->args.rows.mask_rows = (int32_t)rng_between(rng, 1, ROWS);
    p->args.rows.height = (int32_t)rng_between(rng, 1, kernel_multirow_height(isa, entry->sum));
    p->args.mask.column_count = rng_between(rng, 1, COLUMNS);
    if (rng_once_in(rng, 3))
        p->args.mask.column_count = p->args.rows.mask_rows = 3;
    p->args.stream = rng_once_in(rng, 2);
    for (int64_t c = 0; c < p->args.mask.column_count; c++)
        p->columns[c] = rng_between(rng, 0, REACH);
    p->args.mask.columns = p->columns;
    make_taps(p, entry, rng);
    make_rows(p, entry, isa, rng);
    make_scratch(p, entry);
    p->args.source = p->source;
    p->args.rows.results = p->result;
    p->args.shift = (int32_t)rng_between(rng, 0, entry->sum == KERNEL_NARROW_MULTIROW ? 4 : 20);
    p->args.add = rng_between(rng, 0, 1000);
    p->args.mask.split = (int32_t)rng_between(rng, 0, 15);
    p->args.mask.add_low = (int32_t)rng_between(rng, 0, 1000);
    p->args.bias = (float)rng_unit(rng);
    bool is_short = strcmp(entry->result, "s16") == 0, whole = rng_once_in(rng, 2);
    p->args.low = is_float(entry) ? -100.0 : is_short ? -32768.0 : 0.0;
    p->args.high = is_float(entry)           ? 100.0
                   : is_short                ? 32767.0
                   : entry->result[1] == '8' ? 255.0
                                             : 65535.0;
    p->args.low += whole ? 0.0 : 20.0;
    p->args.high -= whole ? 0.0 : 30.0;
}

static double clamp(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

/* A sample as the kernel multiplies it. */
static int64_t sample_at(const struct kernel_entry *entry, const void *from, int64_t i)
{
    if (strcmp(entry->source, "u8") == 0)
        return ((const uint8_t *)from)[i];
    return strcmp(entry->source, "s16") == 0 ? ((const int16_t *)from)[i]
                                             : ((const uint16_t *)from)[i] - 32768;
}

/* The expected value of sample i of row y, and the allowed difference. */
static double expected(const struct problem *p, const struct kernel_entry *entry, int y, int64_t i,
                       double *slack)
{
    const struct kernel_args *a = &p->args;
    int64_t sum = a->add, low = a->mask.add_low;
    double exact = 0.0;
    for (int32_t j = 0; j < a->rows.mask_rows; j++)
        for (int64_t c = 0; c < a->mask.column_count; c++) {
            int64_t x = i + p->columns[c];
            int64_t t = c * a->rows.mask_rows + j;
            if (size_of(entry->source) == 8)
                exact = fma(p->doubles[t], ((const double *)p->source[y + j])[x], exact);
            else if (is_float(entry))
                exact =
                    (double)fmaf(p->floats[t], ((const float *)p->source[y + j])[x], (float)exact);
            else {
                int64_t sample = sample_at(entry, p->source[y + j], x);
                sum += p->taps[j][c] * sample;
                low += p->low_taps[j][c] * sample;
            }
        }
    if (entry->sum == KERNEL_SPLIT_MULTIROW)
        sum += low >> a->mask.split;
    *slack = entry->sum == KERNEL_FAST_MULTIROW ? 60.0 * 45.0 * 9.0 * 0x1p-24 : 0.0;
    if (!is_float(entry))
        return clamp((double)(sum >> a->shift), a->low, a->high);
    exact = size_of(entry->source) == 8 ? exact + a->bias
                                        : (double)(float)((float)exact + (float)a->bias);
    return clamp(exact, a->low, a->high);
}

static double got_at(const struct problem *p, const struct kernel_entry *entry, int y, int64_t i)
{
    const void *at = p->result[y];
    if (size_of(entry->result) == 8)
        return ((const double *)at)[i];
    if (is_float(entry))
        return (double)((const float *)at)[i];
    if (strcmp(entry->result, "u8") == 0)
        return ((const uint8_t *)at)[i];
    return strcmp(entry->result, "u16") == 0 ? ((const uint16_t *)at)[i] : ((const int16_t *)at)[i];
}

static int compare(const struct problem *p, const struct kernel_entry *entry, int isa,
                   uint64_t seed)
{
    for (int y = 0; y < p->args.rows.height; y++)
        for (int64_t i = 0; i < p->args.count; i++) {
            double slack, want = expected(p, entry, y, i, &slack), got = got_at(p, entry, y, i);
            if (got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= slack)
                continue;
            printf("FAILED: kernel %s on %s: sample %d of %d in row %d is %.9g, must be %.9g "
                   "(seed %llu)\n",
                   entry->name, isa_at(isa)->name, (int)i, (int)p->args.count, y, got, want,
                   (unsigned long long)seed);
            return 1;
        }
    return 0;
}

static int check(int isa, int id, struct rng *rng)
{
    static struct problem p;
    for (int n = 0; n < RUNS; n++) {
        uint64_t seed = rng->state;
        make(&p, kernel_entry(id), isa, rng);
        if (!each_kernel_run(isa, id, &p.args))
            return 1;
        if (compare(&p, kernel_entry(id), isa, seed))
            return 1;
    }
    return 0;
}

int main(void)
{
    for (int r = 0; r < SOURCES; r++)
        sources[r] = guarded_new((COUNT + REACH) * 8);
    scratch = guarded_new((size_t)kernel_paired_bytes(KERNEL_SPLIT_MULTIROW, ROWS, COLUMNS, REACH));
    for (int y = 0; y < HEIGHT; y++)
        results[y] = each_kernel_memory(COUNT * 8);
    return each_kernel(KERNEL_NARROW_MULTIROW, KERNEL_SPLIT_MULTIROW, check);
}

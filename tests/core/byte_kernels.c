/* The kernels that apply both passes to u8, on every usable instruction set, are compared with the
 * definition in kernel.h. Rows end at guard pages. */
#include "each_kernel.h"
#include "guarded.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { FEW = 1800, STRIPS = 13, COUNT = STRIPS * KERNEL_BYTE_STRIP + KERNEL_BYTE_BLOCK };
enum { HEIGHT = KERNEL_BYTE_ROWS, TAPS = KERNEL_BYTE_TAPS, RUNS = 300 };
enum { SOURCES = TAPS + HEIGHT, SUM = 1 << 15 };

static struct guarded sources[SOURCES], results[HEIGHT], scratch;

struct problem {
    struct kernel_args args;
    const void *source[SOURCES];
    void *result[HEIGHT];
    int32_t down[TAPS], across[TAPS], joined[TAPS];
};

static void make_rows(struct problem *p, struct rng *rng)
{
    int64_t samples = p->args.count + (p->args.tap_count - 1) * p->args.apart;
    int32_t last = p->args.rows.mask_rows + p->args.rows.height - 2;
    int kind = (int)rng_between(rng, 0, 3);
    for (int32_t r = 0; r < p->args.rows.mask_rows + HEIGHT - 1; r++) {
        uint8_t *at = sources[r <= last ? r : last].end - samples;
        p->source[r] = at;
        for (int64_t i = 0; r <= last && i < samples; i++)
            at[i] = (uint8_t)(kind == 0   ? 255
                              : kind == 1 ? rng_once_in(rng, 2) * 255
                                          : (int)rng_next(rng));
    }
    for (int y = 0; y < p->args.rows.height; y++)
        p->result[y] = results[y].end - p->args.count;
    /* The end of the scratch must not be exceeded either. */
    p->args.rows.scratch = scratch.end - (kernel_byte_bytes(p->args.rows.mask_rows) + 63) / 64 * 64;
}

/* Symmetric taps with a sum of 2^15, as of gaussians. */
static void make_symmetric(int32_t *taps, int32_t count, struct rng *rng)
{
    int32_t rest = SUM;
    for (int32_t i = 0; i < count / 2; i++) {
        taps[i] = taps[count - 1 - i] = (int32_t)rng_between(rng, 0, rest / count);
        rest -= 2 * taps[i];
    }
    if (rest == SUM) { /* a tap has 16 bits with its sign */
        taps[0] = taps[count - 1] = 1;
        rest -= 2;
    }
    taps[count / 2] = rest;
}

static void make_folded(struct problem *p, struct rng *rng)
{
    int32_t rows = 2 * (int32_t)rng_skewed(rng, 1, TAPS / 2) + 1, *joined = p->joined;
    p->args.rows.mask_rows = rows;
    p->args.tap_count = 2 * rng_skewed(rng, 1, TAPS / 2) + 1;
    p->args.apart = rng_between(rng, 1, KERNEL_BYTE_HALO / (p->args.tap_count - 1));
    p->args.apart = p->args.apart < 7 ? p->args.apart : rng_between(rng, 1, 7);
    make_symmetric(p->down, rows, rng);
    make_symmetric(p->across, (int32_t)p->args.tap_count, rng);
    p->args.add = KERNEL_FOLD_UNIT * rng_between(rng, 32600, 32767);
    p->args.rows.offset = (int32_t)(rng_once_in(rng, 2) ? 128 : rng_between(rng, -300, 300));
    joined += kernel_fold(p->down, rows / 2, (int32_t)p->args.add, joined);
    kernel_fold(p->across, (int32_t)p->args.tap_count / 2, 0, joined);
    p->args.taps = p->joined;
}

static void make_short(struct problem *p, struct rng *rng)
{
    static const int32_t taps[2][5] = {{1, 2, 1}, {1, 4, 6, 4, 1}};
    bool ones = rng_once_in(rng, 2);
    int32_t rows, columns, n = 1;
    do {
        rows = (int32_t)(ones ? rng_between(rng, 1, 16) : rng_between(rng, 1, 2) * 2 + 1);
        columns = (int32_t)(ones ? rng_between(rng, 1, 16) : rng_between(rng, 1, 2) * 2 + 1);
        n = ones ? rows * columns : 1 << (rows + columns - 2);
    } while (!reciprocal_short((uint32_t)n, (uint32_t)n / 2).multiplier);
    for (int32_t i = 0; i < rows; i++)
        p->down[i] = ones ? 1 : taps[rows / 4][i];
    for (int32_t i = 0; i < columns; i++)
        p->across[i] = ones ? 1 : taps[columns / 4][i];
    p->args.rows.mask_rows = rows;
    p->args.tap_count = columns;
    p->args.apart = rng_between(rng, 1, 7);
    p->args.add = n / 2;
    p->args.mean.divisor = n;
    p->args.mean.reciprocal = reciprocal_short((uint32_t)n, (uint32_t)n / 2);
    p->args.taps = ones ? NULL : p->joined;
}

/* Sometimes so many that after whole strips fewer remain than a block: a strip is a multiple of 64
 * samples, so this takes eleven strips. */
static int64_t draw_count(struct rng *rng)
{
    if (!rng_once_in(rng, 30))
        return rng_skewed(rng, 1, FEW);
    return rng_between(rng, 11, STRIPS) * KERNEL_BYTE_STRIP + rng_skewed(rng, 1, KERNEL_BYTE_BLOCK);
}

static void make(struct problem *p, const struct kernel_entry *entry, struct rng *rng)
{
    memset(p, 0, sizeof *p);
    p->args = (struct kernel_args){.source = p->source,
                                   .rows.results = p->result,
                                   .count = draw_count(rng),
                                   .rows.height = (int32_t)rng_between(rng, 1, HEIGHT),
                                   .high = 255.0};
    if (rng_once_in(rng, 3)) {
        p->args.low = (double)rng_between(rng, 0, 100);
        p->args.high = (double)rng_between(rng, 100, 255);
    }
    if (entry->sum == KERNEL_FOLDED_PASSES)
        make_folded(p, rng);
    else
        make_short(p, rng);
    make_rows(p, rng);
}

static int64_t expected(const struct problem *p, bool folded, int y, int64_t i)
{
    const struct kernel_args *a = &p->args;
    int64_t sum = folded ? 0 : a->add;
    for (int64_t t = 0; t < a->tap_count; t++) {
        int64_t middle = folded ? a->add : 0;
        for (int32_t j = 0; j < a->rows.mask_rows; j++)
            middle += p->down[j] * ((const uint8_t *)p->source[y + j])[i + t * a->apart];
        sum += p->across[t] * (folded ? middle >> KERNEL_FOLD_DOWN_BITS : middle);
    }
    sum =
        folded ? (sum >> KERNEL_FOLD_ACROSS_BITS) + a->rows.offset : sum / (int64_t)a->mean.divisor;
    return sum < (int64_t)a->low    ? (int64_t)a->low
           : sum > (int64_t)a->high ? (int64_t)a->high
                                    : sum;
}

static int check(int isa, int id, struct rng *rng)
{
    static struct problem p;
    for (int n = 0; n < RUNS; n++) {
        make(&p, kernel_entry(id), rng);
        isa_at(isa)->kernels[id](&p.args);
        for (int y = 0; y < p.args.rows.height; y++)
            for (int64_t i = 0; i < p.args.count; i++) {
                int64_t want = expected(&p, kernel_entry(id)->sum == KERNEL_FOLDED_PASSES, y, i);
                int got = ((const uint8_t *)p.result[y])[i];
                if (got == want)
                    continue;
                printf(
                    "FAILED: kernel %s on %s: sample %d of %d in row %d, %d x %d taps, %d apart, "
                    "is %d, must be %d\n",
                    kernel_entry(id)->name, isa_at(isa)->name, (int)i, (int)p.args.count, y,
                    (int)p.args.tap_count, p.args.rows.mask_rows, (int)p.args.apart, got,
                    (int)want);
                return 1;
            }
    }
    return 0;
}

int main(void)
{
    for (int r = 0; r < SOURCES; r++)
        sources[r] = guarded_new(COUNT + KERNEL_BYTE_HALO);
    for (int y = 0; y < HEIGHT; y++)
        results[y] = guarded_new(COUNT);
    scratch = guarded_new(kernel_byte_bytes(TAPS) + 64);
    return each_kernel(KERNEL_SHORT_PASSES, KERNEL_FOLDED_PASSES, check);
}

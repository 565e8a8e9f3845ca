/* Jobs of the banded algorithm, compared with the definition of a gaussian. All of their memory
 * ends, or starts, at a guard page. Jobs follow each other, skip rows, and end at any row, as those
 * of cells do. */
#include "algorithm/algorithm.h"
#include "base/memory.h"
#include "cpu/kernel.h"
#include "cpu/tiles.h"

#include "../../cli/rng.h"
#include "guarded.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 2300, SPAN = 241, ROWS = 400, PLANES = 4, GROUP = 64, RUNS = 400 };
enum { ROW_BYTES = PLANES * (COLUMNS + SPAN) };

static struct guarded rows[ROWS], results[GROUP], kept, scratch;
static int32_t middle[ROW_BYTES];
static int passed, failed;

struct problem {
    struct op op;
    struct op_term term;
    int32_t down[SPAN], across[SPAN];
    struct plan_stage stage;
    struct row_task task;
    const uint8_t *at[ROWS];
    void *to[GROUP];
    int64_t height; /* of the image */
};

/* Taps of two bytes that add up to 2^15: any are good, also none at the ends. */
static void make_taps(int32_t size, struct rng *rng, int32_t *taps)
{
    int32_t left = 1 << 15, most = rng_once_in(rng, 3) ? 255 : 2 * left / size + 2;
    for (int32_t i = 0; i < size; i++) {
        taps[i] = (int32_t)rng_between(rng, 0, most < left ? most : left);
        left -= taps[i];
    }
    taps[rng_between(rng, 0, size - 1)] += left;
}

/* Taps of two bytes that add up to more: equal ones, of which each passes some on to another. */
static void make_large_taps(int32_t size, int32_t bits, struct rng *rng, int32_t *taps)
{
    enum { MOST = 32639 };
    for (int32_t i = 0; i < size; i++)
        taps[i] = (1 << bits) / size + (i < (1 << bits) % size);
    for (int32_t i = 0; i < size; i++) {
        int32_t *to = &taps[rng_between(rng, 0, size - 1)];
        int32_t most = taps[i] < MOST - *to ? taps[i] : MOST - *to;
        int32_t moved = (int32_t)rng_between(rng, 0, most);
        taps[i] -= moved;
        *to += moved;
    }
}

/* Most bits of the sum of such taps. */
static int32_t bits_for(int32_t size, int32_t limit)
{
    enum { EACH = 30000 };
    int32_t bits = 0;
    while (bits < limit && 2 << bits <= size * EACH)
        bits++;
    return bits;
}

/* A scale for each pass, with few or many fraction bits between. */
static void make_scales(struct problem *p, struct rng *rng)
{
    struct op_taps *down = &p->term.down, *across = &p->term.across;
    int32_t between = (int32_t)rng_between(rng, 1, 7), first = bits_for(down->height, 22),
            second = bits_for(across->width, 23 - between);
    first = (int32_t)rng_between(rng, between + 8, first);
    second = (int32_t)rng_between(rng, 8, second);
    make_large_taps(down->height, first, rng, p->down);
    make_large_taps(across->width, second, rng, p->across);
    down->shift = first - between;
    across->shift = second + between;
    down->add = 1 << (down->shift - 1);
    across->add = 1 << (across->shift - 1);
}

static void make_op(struct problem *p, struct rng *rng)
{
    struct op *op = &p->op;
    int32_t wide = (int32_t)rng_skewed(rng, 1, SPAN), tall = (int32_t)rng_skewed(rng, 1, SPAN);
    make_taps(tall, rng, p->down);
    make_taps(wide, rng, p->across);
    *op = (struct op){.rule = STAGE_TWO_PASS,
                      .integer = true,
                      .in = SWATHE_U8,
                      .out = SWATHE_U8,
                      .channels = (int32_t)rng_between(rng, 1, PLANES),
                      .terms = &p->term,
                      .term_count = 1,
                      .high = 255.0,
                      .dilate_x = 1,
                      .dilate_y = 1};
    p->term.down =
        (struct op_taps){.width = 1, .height = tall, .w = p->down, .shift = 8, .add = 128};
    p->term.across =
        (struct op_taps){.width = wide, .height = 1, .w = p->across, .shift = 22, .add = 1 << 21};
    op->above = p->term.down.anchor_y = (int32_t)rng_between(rng, 0, tall - 1);
    op->left = p->term.across.anchor_x = (int32_t)rng_between(rng, 0, wide - 1);
    op->below = tall - 1 - op->above;
    op->right = wide - 1 - op->left;
    enum { CHUNKS = 50 }; /* so many taps need more than one chunk */
    if (tall >= CHUNKS && rng_once_in(rng, 2))
        make_scales(p, rng);
}

static void make_rows(struct problem *p, struct rng *rng)
{
    int64_t reach = p->op.left + p->op.right;
    int64_t bytes = p->task.count + reach * p->task.step;
    bool flat = rng_once_in(rng, 4);
    for (int64_t y = 0; y < p->height + p->op.above + p->op.below; y++) {
        uint8_t *to = rng_once_in(rng, 2) ? rows[y].start : rows[y].end - bytes;
        p->at[y] = to;
        for (int64_t i = 0; i < bytes; i++)
            to[i] = flat ? 255 : (uint8_t)rng_next(rng);
    }
}

/* The definition: columns first, then rows. */
static bool row_is_right(const struct problem *p, int64_t y, const uint8_t *made)
{
    const struct op *op = &p->op;
    int32_t step = p->task.step;
    for (int64_t i = 0; i < p->task.count + (int64_t)(op->left + op->right) * step; i++) {
        middle[i] = p->term.down.add;
        for (int32_t t = 0; t < p->term.down.height; t++)
            middle[i] += p->down[t] * p->at[y + t][i];
        middle[i] >>= p->term.down.shift;
    }
    for (int64_t i = 0; i < p->task.count; i++) {
        int32_t sum = p->term.across.add;
        for (int32_t t = 0; t < p->term.across.width; t++)
            sum += p->across[t] * middle[i + (int64_t)t * step];
        if (made[i] != sum >> p->term.across.shift)
            return false;
    }
    return true;
}

static bool job_is_right(struct problem *p, int64_t y, int64_t first, int32_t height)
{
    struct row_task *task = &p->task;
    bool good = true;
    task->y = y;
    task->first = first;
    task->height = height;
    task->rows = p->at + y;
    for (int32_t r = 0; r < height; r++)
        p->to[r] = results[r].end - task->count;
    algorithm_banded.run(task);
    for (int32_t r = 0; r < height; r += r < 3 || r + 4 > height ? 1 : 7)
        good &= row_is_right(p, y + r, p->to[r]);
    return good;
}

static bool jobs_are_right(struct problem *p, struct rng *rng)
{
    for (int64_t y = 0, first = 0; y < p->height;) {
        int64_t height = rng_once_in(rng, 4) ? rng_between(rng, 1, GROUP) : GROUP;
        height = height < p->height - y ? height : p->height - y;
        if (!job_is_right(p, y, first, (int32_t)height))
            return false;
        y += height;
        if (rng_once_in(rng, 6)) /* the next task is of another part */
            first = y = y + rng_between(rng, 0, 20);
    }
    return true;
}

static void check(int isa, struct rng *rng)
{
    static struct problem p;
    struct arena arena = {.memory = &memory_default};
    uint64_t seed = rng->state;
    memset(&p, 0, sizeof p);
    make_op(&p, rng);
    p.height = rng_skewed(rng, 1, ROWS - SPAN);
    p.stage = (struct plan_stage){.op = &p.op, .isa = isa, .row_type = SWATHE_U8};
    p.task = (struct row_task){.stage = &p.stage, .step = p.op.channels, .results = p.to};
    p.task.count = rng_skewed(rng, 1, COLUMNS) * p.task.step;
    make_rows(&p, rng);
    struct algorithm_case at = {.op = &p.op, .isa = isa};
    bool good = algorithm_banded.applies(&at) &&
                algorithm_banded.make(&arena, &p.op, isa, true, &p.stage) == SWATHE_OK;
    p.task.kept = kept.end - algorithm_banded.kept_bytes(&p.stage, p.task.count, p.task.step);
    p.task.scratch =
        scratch.end - algorithm_banded.scratch_bytes(&p.stage, p.task.count, p.task.step);
    good = good && jobs_are_right(&p, rng);
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: banded on %s (seed %llu): %d x %d taps, %d channels\n", isa_at(isa)->name,
               (unsigned long long)seed, p.term.across.width, p.term.down.height, p.op.channels);
    arena_free(&arena);
}

int main(void)
{
    struct rng rng = {1};
    int isa = isa_named("amx");
    if (!tiles_find(isa)) {
        puts("skipped: amx (this machine cannot run it)");
        return 0;
    }
    for (int r = 0; r < ROWS; r++)
        rows[r] = guarded_new(ROW_BYTES);
    for (int r = 0; r < GROUP; r++)
        results[r] = guarded_new(PLANES * COLUMNS);
    kept = guarded_new(8 << 20);
    scratch = guarded_new(8 << 20);
    for (int run = 0; run < RUNS; run++)
        check(isa, &rng);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

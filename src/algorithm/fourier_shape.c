/* Sizes of transforms: which exist, their costs and their factors. */
#include "algorithm/fourier_plan.h"

#include "base/checked.h"
#include "base/cpu.h"

#include <math.h>

/* Limit for the spectra in scratch, and for the rows that wait for them. */
#define BYTES_MOST ((int64_t)128 << 20)

enum { LANES_MOST = 16, GROUP_MOST = 512, POINTS_USUAL = 2048 };

/* Measured costs in multiply-adds of "direct". WAY_COST: per point, for both transforms and for
 * loading and storing samples. PRODUCT_COST: per point and row of the mask. */
#define WAY_COST     250.0
#define PRODUCT_COST 4.8
/* The same in doubles, relative to the cost of "direct" for u8 and for 16-bit samples. */
#define U8_COST   3.2
#define WIDE_COST 1.8
/* What computing a result again costs per tap: it is a single sample. */
#define AGAIN_COST 16.0

/* True for sizes 2^a·3^b·5^c that are multiples of the widest vector and have few factors 3 and 5,
 * which are slower and less accurate. */
static bool is_size(int32_t points)
{
    int32_t threes = 0, fives = 0;
    if (points % LANES_MOST != 0)
        return false;
    for (; points % 3 == 0; points /= 3)
        threes++;
    for (; points % 5 == 0; points /= 5)
        fives++;
    while (points % 2 == 0)
        points /= 2;
    return points == 1 && threes + 2 * fives <= 2;
}

static int64_t mask_columns(const struct op *op)
{
    return (int64_t)op->left + op->right + 1;
}

static int64_t fourier_shape_mask_rows(const struct op *op)
{
    return (int64_t)op->above + op->below + 1;
}

/* Bytes of the spectra of all rows of a task, for all channels. */
static int64_t bins_bytes(const struct op *op, int32_t points, int64_t group)
{
    int64_t sample = fourier_wide(op) ? sizeof(double) : sizeof(float);
    return 2 * sample * points * (group + fourier_shape_mask_rows(op)) * op->channels;
}

/* The share of pixels that are computed again: those near a boundary, twice the margin of the
 * results of each channel, and those between two that are no more than FOURIER_GAP apart. */
static double share_again(const struct op *op, double margin)
{
    double near = 1.0 - pow(1.0 - fmin(2.0 * margin, 1.0), op->channels);
    return 1.0 - pow(1.0 - near, FOURIER_GAP + 1) * (1.0 + FOURIER_GAP * near);
}

static double shape_cost(const struct op *op, const struct fourier_sums *sums,
                         const struct fourier_shape *shape)
{
    double again =
        fourier_repairs(op) ? share_again(op, fourier_margin(op, sums, shape->points)) : 0.0;
    double pairs = (double)ceil_div(op->out_width, 2 * shape->columns);
    double groups = (double)ceil_div(op->out_height, shape->group);
    double rows = groups * (double)(shape->group + fourier_shape_mask_rows(op));
    double made = groups * (double)round_up(shape->group, LANES_MOST);
    double points = pairs * shape->points / ((double)op->out_width * (double)op->out_height);
    double cost =
        WAY_COST * (rows + made) / 2.0 + PRODUCT_COST * made * (double)fourier_shape_mask_rows(op);
    if (op->integer)
        cost *= op->in == SWATHE_U8 ? U8_COST : WIDE_COST;
    return points * cost + again * AGAIN_COST * (double)op->tap_count;
}

/* Rows that a ring buffer may hold: with border wrap, rows are as wide as the image. */
static int64_t rows_allowed(const struct op *op)
{
    int64_t columns =
        op_wraps_columns(op) ? op->in_width : min64(op->in_width, 2 * FOURIER_POINTS_MAX);
    int64_t sample = op->integer ? (int64_t)sizeof(float) : sample_size(op->real);
    return BYTES_MOST / (columns * op->channels * sample);
}

/* Chooses groups so high that spectra stay cached, and that divide the image evenly. */
static int32_t choose_group(const struct op *op, int32_t points)
{
    int64_t row = bins_bytes(op, points, 1) / (1 + fourier_shape_mask_rows(op));
    int64_t most = 2 * cpu_cache_bytes() / row - fourier_shape_mask_rows(op);
    most = min64(max64(most, fourier_shape_mask_rows(op)), min64(GROUP_MOST, rows_allowed(op)));
    most = max64(most, LANES_MOST);
    return (int32_t)ceil_div(op->out_height, ceil_div(op->out_height, most));
}

struct fourier_shape fourier_choose(const struct op *op, const struct fourier_sums *sums)
{
    struct fourier_shape best = {.cost = INFINITY};
    if (mask_columns(op) > FOURIER_POINTS_MAX / 2 ||
        fourier_shape_mask_rows(op) > FOURIER_POINTS_MAX || op->channels > LANES_MOST ||
        op->tap_count == 0)
        return best;
    /* Longer transforms do not fit the first-level cache, but wide masks need them. */
    int64_t most = min64(max64(POINTS_USUAL, 4 * mask_columns(op)), FOURIER_POINTS_MAX);
    for (int32_t points = LANES_MOST; points <= most; points += LANES_MOST) {
        struct fourier_shape shape = {.points = points, .columns = points - mask_columns(op) + 1};
        if (shape.columns < 1 || !is_size(points))
            continue;
        shape.group = choose_group(op, points);
        if (bins_bytes(op, points, shape.group) > BYTES_MOST)
            break; /* longer ones take more memory */
        shape.cost = shape_cost(op, sums, &shape);
        if (shape.cost < best.cost)
            best = shape;
        if (2 * shape.columns >= op->out_width)
            break; /* one pair of sections covers the width: longer transforms only cost more */
    }
    return best;
}

/* Factors of 8 come first, so that the parts left by the first pass fit the first-level cache.
 * There are at least two factors. */
void fourier_factor(int32_t points, struct fourier_size *size)
{
    static const int32_t radices[] = {8, 4, 2, 3, 5};
    *size = (struct fourier_size){.points = points};
    int32_t rest = points;
    for (int i = 0; i < 5; i++)
        while (rest % radices[i] == 0) {
            rest /= radices[i];
            size->pass[size->pass_count++] = (struct fourier_pass){radices[i], rest, NULL};
        }
}

/* cos and −sin of 2π·part/whole */
static void set_twiddle(void *twiddles, int64_t i, bool wide, int64_t part, int64_t whole)
{
    long double angle = 6.283185307179586476925286766559L * (long double)part / (long double)whole;
    long double c = cosl(angle), s = -sinl(angle);
    if (wide) {
        ((double *)twiddles)[2 * i] = (double)c;
        ((double *)twiddles)[2 * i + 1] = (double)s;
    } else {
        ((float *)twiddles)[2 * i] = (float)c;
        ((float *)twiddles)[2 * i + 1] = (float)s;
    }
}

swathe_status fourier_twiddles(struct arena *arena, struct fourier_size *size, bool wide)
{
    for (int32_t p = 0; p < size->pass_count; p++) {
        struct fourier_pass *pass = &size->pass[p];
        int64_t others = pass->radix - 1;
        void *twiddles;
        TRY(arena_new(arena, pass->rest * others, 2 * sizeof(double), "a transform", &twiddles));
        for (int64_t i = 0; i < pass->rest * others; i++)
            set_twiddle(twiddles, i, wide, i / others * (i % others + 1),
                        (int64_t)pass->radix * pass->rest);
        pass->twiddles = twiddles;
    }
    return SWATHE_OK;
}

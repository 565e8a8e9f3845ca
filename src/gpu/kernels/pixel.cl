/* Stages that compute a pixel from the samples of the same pixel: functions of one sample, mixes,
 * joins, weights. One thread per pixel, which computes all channels of the result. A new rule of this kind is
 * one more pixel_result(). Options besides those of types.h:
 *
 * COPIED_TO, COPIED_PLANE    the channel of the result that this plane is copied to, or -1
 * PARAMETERS_AT    where tables or parameters start in `taps`, in bytes; before them are integers for
 *             each channel of the result, such as the number of its function
 * POINT_table, POINT_abs, POINT_range, POINT_encode    how a function of one sample is computed
 * FUNCTIONS, CURVE_SIZE    of POINT_encode: how many, and the length of the curve of each
 * JOIN_hypot, JOIN_max, JOIN_sum, JOINED    the join, and of how many planes
 * JOIN_FLOATS, JOIN_MISSING    it is computed in floats even if DOUBLES are defined; samples may be
 *             missing
 * WEIGHT_alpha, WEIGHT_mask, WEIGHT_missing    where weights come from
 * CENTRED, PARTS    of the division: weights.h; the last part is alpha */
#include "gpu/kernels/one_sample.h"

#ifdef KERNEL_pixel

#ifndef COPIED_PLANE
#define COPIED_PLANE 0
#endif
#define COLOURS (CHANNELS - (COPIED >= 0)) /* planes that are not copied */

/* The number of a channel of the result, without the one that is copied. */
FUNCTION int colour_number(int c)
{
    return c - (COPIED_TO >= 0 && c > COPIED_TO);
}

/* The n-th plane of the input that is not copied. */
FUNCTION int colour_plane(int n)
{
    return n + (COPIED >= 0 && n >= COPIED);
}

/* Tables or parameters, and the integers before them. */
#define PARAMETERS(taps, type) ((GLOBAL const type *)((GLOBAL const char *)(taps) + PARAMETERS_AT))
#define INTEGERS(taps)         ((GLOBAL const int *)(taps))

#ifdef DOUBLES
/* In the order of stage_pixel.c: samples with this value are missing, and NaN if `nans`; the value
 * of results that are missing, and what takes its place in others. */
struct missing {
    double value, nans, none, forbidden, instead;
};

FUNCTION int is_missing(const struct missing *missing, double sample)
{
    return sample == missing->value || (missing->nans != 0 && sample != sample);
}

FUNCTION result_t present(const struct missing *missing, result_t value)
{
    return (double)value == missing->forbidden ? (result_t)missing->instead : value;
}
#endif

#if RULE == RULE_POINT

#if defined(POINT_table)

#if IN == TYPE_U8
#define TABLE_SIZE 256
#define TABLE_BASE 0
#else
#define TABLE_SIZE 65536
#define TABLE_BASE (IN == TYPE_S16 ? 32768 : 0)
#endif

FUNCTION result_t pixel_result(const struct source *from, const struct gpu_task *task,
                               GLOBAL const tap_t *taps, int x, int y, int c)
{
    int sample = (int)sample_at(from, task, x, y, c) + TABLE_BASE;
    return PARAMETERS(taps, out_t)[INTEGERS(taps)[c] * TABLE_SIZE + sample];
}

#elif !defined(DOUBLES)

/* |sample| without a bias; 0 - 0 is +0 for both zeros. */
FUNCTION result_t pixel_result(const struct source *from, const struct gpu_task *task,
                               GLOBAL const tap_t *taps, int x, int y, int c)
{
    work_t sample = sample_at(from, task, x, y, c);
    (void)taps;
    return limit_real(task, sample > 0 ? sample : 0 - sample);
}

#else

/* In the order of stage_pixel.c. */
struct function {
    double bias, from_low, from_high, to_low, to_high, exact, encodes;
    struct missing missing;
};

#ifdef POINT_abs

FUNCTION double apply_function(const struct function *function, double sample)
{
    (void)function;
    return sample > 0 ? sample : 0 - sample;
}

#elif defined(POINT_range) || defined(POINT_encode)

/* floor((n*m + floor(r/2)) / r) as in point.c: below 2^64 before the division */
FUNCTION double map_integers(const struct function *range, double sample)
{
    unsigned_wide n = (unsigned_wide)(sample - range->from_low);
    unsigned_wide r = (unsigned_wide)(range->from_high - range->from_low);
    unsigned_wide m = (unsigned_wide)(range->to_high - range->to_low);
    return range->to_low + (double)((n * m + r / 2) / r);
}

FUNCTION double apply_function(const struct function *range, double sample)
{
    if (sample <= range->from_low)
        return range->to_low;
    if (sample >= range->from_high)
        return range->to_high;
    if (range->exact != 0)
        return map_integers(range, sample);
    double share = (sample - range->from_low) / (range->from_high - range->from_low);
#if OUT == TYPE_F32 || OUT == TYPE_F64
    return share;
#else
    if (share != share)
        return share;
    return range->to_low + rounding_half_up(share * (range->to_high - range->to_low));
#endif
}

#else
#error "no such function"
#endif

#ifdef POINT_encode
/* As in curve.c: the last entry that is not above the sample. */
FUNCTION double encode(GLOBAL const tap_t *taps, int number, double sample)
{
    GLOBAL const struct function *functions = PARAMETERS(taps, struct function);
    GLOBAL const float *curve =
        (GLOBAL const float *)(functions + FUNCTIONS) + number * CURVE_SIZE;
    int low = 0, high = CURVE_SIZE - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (sample >= curve[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}
#endif

FUNCTION result_t pixel_result(const struct source *from, const struct gpu_task *task,
                               GLOBAL const tap_t *taps, int x, int y, int c)
{
    struct function function = PARAMETERS(taps, struct function)[INTEGERS(taps)[c]];
    double sample = sample_at(from, task, x, y, c);
    if (is_missing(&function.missing, sample))
        return (result_t)function.missing.none;
#ifdef POINT_encode
    if (function.encodes != 0) /* colours; alpha has a range */
        return (result_t)limit_real(task, encode(taps, INTEGERS(taps)[c], sample));
#endif
    return present(&function.missing,
                   limit_real(task, apply_function(&function, sample) + function.bias));
}

#endif

#elif RULE == RULE_MIX

/* A sum over the planes that are not copied, with a row of taps for each channel of the result. */
FUNCTION result_t pixel_result(const struct source *from, const struct gpu_task *task,
                               GLOBAL const tap_t *taps, int x, int y, int c)
{
    taps_t header = taps + colour_number(c) * HEADER;
    taps_t row = taps + HEADER_FIELD(HEADER_OFFSET);
    sum_t sum = 0;
    for (int i = 0; i < COLOURS; i++)
        sum = add_tap(row[i], sample_at(from, task, x, y, colour_plane(i)), sum);
#if INTEGER
    return finish_by_header(task, header, sum);
#else
    return finish_sum(task, sum);
#endif
}

#elif RULE == RULE_JOIN

#if defined(DOUBLES) && !defined(JOIN_FLOATS)
typedef double join_t;
#define JOIN_ROOT(x) ROOT(x)
#define JOIN_FUSED   FUSED
#else
typedef float join_t;
#define JOIN_ROOT(x) float_root(x)
#define JOIN_FUSED   FUSED_FLOATS

/* The square root, correctly rounded; that of OpenCL may be wrong in the last bits. With a
 * significand of 24 bits, shifted so that the exponent is even, square = m*2^25 or m*2^26. `root`
 * is the floor of its root, 25 bits; a half in the last one is never exact, because the square of an
 * odd number is odd. */
FUNCTION float float_root(float x)
{
    float unit = 1.0f;
    if (!(x > 0.0f) || WORD_OF_FLOAT(x) >= 0x7f800000u)
        return x; /* 0, infinity, NaN; sums of squares are never negative */
    if (WORD_OF_FLOAT(x) < 0x00800000u) {
        x *= 16777216.0f;
        unit = 1.0f / 4096.0f;
    }
    int exponent = (int)(WORD_OF_FLOAT(x) >> 23) - 150, shift = exponent & 1 ? 25 : 26;
    unsigned_wide square = (unsigned_wide)((WORD_OF_FLOAT(x) & 0x7fffffu) | 0x800000u) << shift;
    unsigned_wide root = (unsigned_wide)APPROXIMATE_ROOT((float)square);
    while (root * root > square)
        root--;
    while ((root + 1) * (root + 1) <= square)
        root++;
    unit *= FLOAT_OF_WORD((word)((exponent - shift) / 2 + 1 + 127) << 23);
    return (float)(int)((root + 1) >> 1) * unit;
}
#endif

FUNCTION join_t join_next(join_t sum, join_t sample)
{
    join_t v = sample > 0 ? sample : 0 - sample;
#if defined(JOIN_max)
    return v != v || v > sum ? v : sum;
#elif defined(JOIN_sum)
    return sum + v;
#elif defined(JOIN_hypot)
    return JOIN_FUSED(v, v, sum);
#else
#error "no such join"
#endif
}

/* The results of one mask after those of another: COLOURS / JOINED planes each. */
FUNCTION result_t pixel_result(const struct source *from, const struct gpu_task *task,
                               GLOBAL const tap_t *taps, int x, int y, int c)
{
    int first = colour_plane(colour_number(c));
    join_t sum = 0;
#ifdef JOIN_MISSING
    struct missing missing = *PARAMETERS(taps, struct missing);
#endif
    for (int i = 0; i < JOINED; i++) {
        work_t sample = sample_at(from, task, x, y, first + i * (COLOURS / JOINED));
#ifdef JOIN_MISSING
        if (is_missing(&missing, sample))
            return (result_t)missing.none;
#endif
        sum = join_next(sum, (join_t)sample);
    }
#ifdef JOIN_hypot
    sum = JOIN_ROOT(sum);
#endif
    (void)taps;
#ifdef JOIN_MISSING
    return present(&missing, limit_real(task, sum + (join_t)bias_of(task)));
#else
    return limit_real(task, sum + (join_t)bias_of(task));
#endif
}

#elif RULE == RULE_WEIGH

/* In the order of stage_pixel.c. */
struct weighing {
    double most;
    struct missing missing;
};

#define WEIGH_FIELDS  3
#define WEIGH_PRODUCT 0 /* OP_PRODUCT and OP_WEIGHT of op.h */
#define WEIGH_WEIGHT  1

FUNCTION double weight_of(const struct weighing *weighing, double sample)
{
#if defined(WEIGHT_alpha)
    return !(sample > 0) ? 0 : sample < weighing->most ? sample : weighing->most;
#elif defined(WEIGHT_mask)
    (void)weighing;
    return sample > 0 || sample < 0;
#else
    return !is_missing(&weighing->missing, sample);
#endif
}

/* A sample times its weight, its weight, or the sample. */
FUNCTION result_t pixel_result(const struct source *from, const struct gpu_task *task,
                               GLOBAL const tap_t *taps, int x, int y, int c)
{
    struct weighing weighing = *PARAMETERS(taps, struct weighing);
    GLOBAL const int *fields = INTEGERS(taps) + c * WEIGH_FIELDS;
    double sample = sample_at(from, task, x, y, fields[0]);
    double weight = weight_of(&weighing, sample_at(from, task, x, y, fields[1]));
    if (fields[2] == WEIGH_WEIGHT)
        return weight;
    if (fields[2] == WEIGH_PRODUCT)
        return weight == 0 ? 0 : sample * weight;
    return sample;
}

#elif RULE == RULE_DIVIDE

/* In the order of stage_pixel.c. */
struct division {
    double bias, least, top, highest;
    struct missing missing;
};
struct part {
    double sum, weight, centre, sample, is_weight;
    double all, unit, gain, share;
};

/* A pixel of the sums. */
struct sums {
    const struct source *from;
    const struct gpu_task *task;
    int x, y;
};

FUNCTION double sum_at(const struct sums *sums, double plane)
{
    return sample_at(sums->from, sums->task, sums->x, sums->y, (int)plane);
}

FUNCTION double absolute(double value)
{
    return value > 0 ? value : 0 - value;
}

/* As in weights.c: is there a result? */
FUNCTION int is_present(const struct division *division, const struct part *part,
                        const struct sums *sums)
{
    if (part->centre >= 0 && sum_at(sums, part->centre) == 0)
        return 0;
#ifdef CENTRED
    (void)division;
    return 1;
#else
    double weight = sum_at(sums, part->weight);
    return weight != 0 && absolute(weight) >= division->least * absolute(part->all);
#endif
}

FUNCTION double round_result(double value, double low, double high)
{
#if OUT == TYPE_F32 || OUT == TYPE_F64
    value = (out_t)value;
#else
    value = rounding_half_up(value);
#endif
    return ROUNDING_CLAMP(value, low, high);
}

FUNCTION double divide_weight(const struct division *division, const struct part *part,
                              const struct sums *sums)
{
#if defined(WEIGHT_mask)
    double value = is_present(division, part, sums) ? division->top : 0;
#elif defined(CENTRED)
    double value = sum_at(sums, part->centre);
#else
    double value = part->share == 0 ? 0 : sum_at(sums, part->weight) / part->share;
#endif
    return round_result(value, 0, division->highest);
}

FUNCTION double divide_sum(const struct part *part, const struct sums *sums)
{
    double sum = sum_at(sums, part->sum), weight = sum_at(sums, part->weight);
    if (weight == part->all) /* as without weights, even if a sample is infinite */
        return sum / part->unit;
#ifdef CENTRED
    return FUSED(part->all - weight, sum_at(sums, part->sample), sum) / part->unit;
#else
    return sum / weight * part->gain;
#endif
}

FUNCTION result_t pixel_result(const struct source *from, const struct gpu_task *task,
                               GLOBAL const tap_t *taps, int x, int y, int c)
{
    GLOBAL const struct division *parameters = PARAMETERS(taps, struct division);
    GLOBAL const struct part *parts = (GLOBAL const struct part *)(parameters + 1);
    struct division division = *parameters;
    struct part part = parts[INTEGERS(taps)[c]], alpha = parts[PARTS - 1];
    struct sums sums;
    sums.from = from;
    sums.task = task;
    sums.x = x;
    sums.y = y;
    if (part.is_weight != 0)
        return (result_t)divide_weight(&division, &part, &sums);
    if (!is_present(&division, &part, &sums))
        return (result_t)division.missing.none;
#ifdef WEIGHT_alpha
    if (divide_weight(&division, &alpha, &sums) == 0)
        return (result_t)division.missing.none;
#endif
    (void)alpha;
    return present(&division.missing, limit_real(task, divide_sum(&part, &sums) + division.bias));
}

#endif

KERNEL void pixel(ARGUMENTS)
{
    int x = BLOCK_X * GROUP_X + THREAD_X, y = task.first_y + BLOCK_Y * GROUP_Y + THREAD_Y;
    struct source from = source_of(in, rows, columns, 1);
    if (x >= task.width || y >= task.last_y)
        return;
    for (int c = 0; c < OUT_CHANNELS; c++) {
        result_t value = COPIED_TO >= 0 && c == COPIED_TO
                             ? copied_sample(&from, &task, x, y, COPIED_PLANE)
                             : pixel_result(&from, &task, taps, x, y, c);
        store(out, &task, x, y, c, value);
    }
}

#endif

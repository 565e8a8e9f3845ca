#include "algorithm/algorithm.h"

#include "base/checked.h"
#include "filter/quantise.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct algorithm algorithms[] = {
#define ALGORITHM(id, name, summary) {name, summary, &algorithm_##id},
#include "algorithm/algorithm.def"
#undef ALGORITHM
};

const struct algorithm *algorithm_at(int index)
{
    return index >= 0 && index < (int)(sizeof algorithms / sizeof *algorithms) ? &algorithms[index]
                                                                               : NULL;
}

const struct algorithm *algorithm_named(const char *name)
{
    for (int i = 0; algorithm_at(i); i++)
        if (strcmp(algorithms[i].name, name) == 0)
            return &algorithms[i];
    return NULL;
}

int algorithm_index(const struct algorithm *algorithm)
{
    return (int)(algorithm - algorithms);
}

enum kernel_id algorithm_kernel(enum kernel_sum sum, const char *source, const char *result)
{
    for (int id = 0; id < KERNEL_COUNT; id++) {
        const struct kernel_entry *entry = kernel_entry(id);
        if (entry->sum == sum && strcmp(entry->source, source) == 0 &&
            strcmp(entry->result, result) == 0)
            return (enum kernel_id)id;
    }
    assert(!"no such kernel");
    return KERNEL_COUNT;
}

kernel *algorithm_find(enum kernel_sum sum, const char *source, const char *result, int isa,
                       struct plan_stage *stage)
{
    int used;
    kernel *found = kernel_find(isa, algorithm_kernel(sum, source, result), &used);
    stage->isa = used < stage->isa ? used : stage->isa;
    return found;
}

int32_t algorithm_common_bits(const struct op_taps *taps)
{
    int32_t bits = 0;
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++)
        bits |= taps->w[i];
    int32_t common = 0;
    while (common < taps->shift && !(bits >> common & 1))
        common++;
    return common;
}

/* 16-bit samples are summed in doubles if every partial sum is an integer below 2^53. */
static bool fits_double(const struct op *op)
{
    for (int32_t m = 0; m < op->mask_count; m++) {
        const struct op_taps *taps = &op->masks[m];
        int64_t sum = quantise_sum(taps->w, (int64_t)taps->width * taps->height);
        if ((double)sum * (double)quantise_sample_max(op->in) + fabs((double)taps->add) >= 0x1p53)
            return false;
    }
    return true;
}

/* u8 samples are summed in 16 bits if taps are small integers, as in most named filters. There is
 * no such kernel for results of u16. */
static bool fits_narrow(const struct op *op)
{
    for (int32_t m = 0; m < op->mask_count; m++) {
        const struct op_taps *taps = &op->masks[m];
        int32_t common = algorithm_common_bits(taps);
        int64_t sum = 0;
        for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++) {
            int64_t tap = llabs(taps->w[i] >> common);
            if (tap > INT8_MAX)
                return false;
            sum += tap;
        }
        if (sum * UINT8_MAX + llabs(taps->add >> common) > INT16_MAX)
            return false;
    }
    return true;
}

enum kernel_sum algorithm_sum(const struct op *op, bool exact)
{
    if (!op->integer)
        return exact ? KERNEL_FLOAT : KERNEL_FAST;
    if (op->in == SWATHE_U8)
        return op->out != SWATHE_U16 && fits_narrow(op) ? KERNEL_NARROW : KERNEL_PAIR;
    return fits_double(op) ? KERNEL_WIDE : KERNEL_LONG;
}

static void pack_real(const struct op_taps *taps, int64_t i, struct packed_taps *packed)
{
    if (taps->d)
        ((double *)packed->taps)[packed->count] = taps->d[i];
    else
        ((float *)packed->taps)[packed->count] = taps->f[i];
}

static void pack_integer(int32_t tap, enum kernel_sum sum, struct packed_taps *packed)
{
    if (sum == KERNEL_NARROW)
        ((int8_t *)packed->taps)[packed->count] = (int8_t)tap;
    else if (sum == KERNEL_PAIR || sum == KERNEL_SHORT)
        ((int16_t *)packed->taps)[packed->count] = (int16_t)tap;
    else if (sum == KERNEL_LONG)
        ((int32_t *)packed->taps)[packed->count] = tap;
    else
        ((double *)packed->taps)[packed->count] = tap;
}

swathe_status algorithm_pack(struct arena *arena, const struct op *op, const struct op_taps *taps,
                             enum kernel_sum sum, struct packed_taps *packed)
{
    int64_t all = (int64_t)taps->width * taps->height;
    TRY(cancel_now()); /* packing a large mask takes long */
    int32_t common = taps->w ? algorithm_common_bits(taps) : 0;
    /* floor((2^c·X + add) / 2^s) = floor((X + floor(add / 2^c)) / 2^(s−c)) for integer X */
    *packed = (struct packed_taps){.shift = taps->shift - common, .add = taps->add >> common};
    TRY(arena_new_raw(arena, all + 1, sizeof(double), "taps", &packed->taps));
    TRY(arena_new_raw(arena, all + 1, sizeof *packed->row, "taps", &packed->row));
    TRY(arena_new_raw(arena, all + 1, sizeof *packed->column, "taps", &packed->column));
    for (int64_t i = 0; i < all; i++) {
        if (op_tap_is_zero(taps, i))
            continue;
        int32_t x = (int32_t)(i % taps->width), y = (int32_t)(i / taps->width);
        if (taps->w)
            pack_integer(taps->w[i] >> common, sum, packed);
        else
            pack_real(taps, i, packed);
        packed->row[packed->count] = (y - taps->anchor_y) * op->dilate_y + op->above;
        packed->column[packed->count] = (x - taps->anchor_x) * op->dilate_x + op->left;
        packed->count++;
    }
    if ((sum == KERNEL_PAIR || sum == KERNEL_NARROW) && packed->count % 2 == 1) {
        /* Completes the pair with a tap of 0 that reads the same samples as its neighbour. */
        pack_integer(0, sum, packed);
        packed->row[packed->count] = packed->row[packed->count - 1];
        packed->column[packed->count] = packed->column[packed->count - 1];
        packed->count++;
    }
    return SWATHE_OK;
}

int64_t algorithm_chunk(const struct op *op)
{
    enum { ROW_BYTES = 12288 };
    return max64(ROW_BYTES / (op->channels * sample_size(op->integer ? op->in : op->real)),
                 8 * ((int64_t)op->left + op->right));
}

void algorithm_finish(const struct op *op, const struct packed_taps *packed,
                      struct kernel_args *args)
{
    args->add = packed->add;
    args->add_wide = (double)packed->add;
    args->shift = packed->shift;
    args->bias = op->bias;
    args->low = op->low;
    args->high = op->high;
}

/* The samples of a row, of `count` that are left, that a kernel computes at once. */
static int64_t algorithm_piece_of(int64_t work, int64_t count)
{
    enum { MOST = 1 << 25, LEAST = 64 };
    return min64(max64(MOST / LEAST / (work + 1), 1) * LEAST, count);
}

/* Neither streaming nor prefetching matters for such a mask. */
static void run_pieces(kernel *run, const struct kernel_args *args, int64_t work,
                       const struct algorithm_rows *rows)
{
    struct kernel_args part = *args;
    void *results[KERNEL_ACROSS_ROWS];
    int32_t height = args->rows.results ? args->rows.height : 0;
    for (int32_t r = 0; r < height; r++)
        results[r] = args->rows.results[r];
    part.rows.results = results;
    part.stream = false;
    part.ahead = NULL;
    for (int64_t at = 0; at < args->count && !cancel_wanted(); at += part.count) {
        part.count = algorithm_piece_of(work, args->count - at);
        run(&part);
        for (int64_t s = 0; s < rows->sources; s++)
            rows->source[s] = (const uint8_t *)rows->source[s] + part.count * rows->source_size;
        for (int32_t r = 0; r < height; r++)
            results[r] = (uint8_t *)results[r] + part.count * rows->result_size;
        if (height == 0)
            part.result = (uint8_t *)part.result + part.count * rows->result_size;
    }
}

void algorithm_run(kernel *run, const struct kernel_args *args, int64_t work,
                   const struct algorithm_rows *rows)
{
    if (algorithm_piece_of(work, args->count) < args->count)
        run_pieces(run, args, work, rows);
    else if (!algorithm_ends(work * args->count))
        run(args);
}

void algorithm_store(const struct row_task *task, const void *from, void *result)
{
    const struct op *op = task->stage->op;
    const void *source = from;
    struct kernel_args args = {.source = &source,
                               .result = result,
                               .count = task->count,
                               .low = op->low,
                               .high = op->high};
    task->stage->to_result(&args);
}

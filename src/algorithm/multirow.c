#include "algorithm/multirow.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

static bool column_is_zero(const struct op_taps *taps, int32_t x)
{
    for (int32_t y = 0; y < taps->height; y++)
        if (!op_tap_is_zero(taps, (int64_t)y * taps->width + x))
            return false;
    return true;
}

/* Are the pairs of rows that kernels join few enough for a cache? Beyond, places of taps would not
 * fit 32 bits either. */
static bool joined_rows_fit(const struct op *op, const struct op_taps *taps)
{
    enum { SAMPLES_MOST = 1 << 22 };
    int64_t reach = (int64_t)(taps->width - 1) * op->dilate_x * op->channels;
    return !taps->w || kernel_paired_sources(taps->height, KERNEL_PAIRED_ROWS) <=
                           SAMPLES_MOST / kernel_paired_pitch(reach);
}

/* A multirow kernel multiplies by zero taps too, which costs time, and with floats can produce a
 * NaN. */
bool multirow_suits(const struct op *op, const struct op_taps *taps)
{
    bool columns[MASK_SIDE_MAX] = {false}; /* columns with a non-zero tap */
    int64_t used = 0, all = 0;
    for (int32_t y = 0; y < taps->height; y++)
        for (int32_t x = 0; x < taps->width; x++) {
            bool is_used = !op_tap_is_zero(taps, (int64_t)y * taps->width + x);
            columns[x] |= is_used;
            used += is_used;
        }
    for (int32_t x = 0; x < taps->width; x++)
        all += columns[x] ? taps->height : 0;
    return op->dilate_y == 1 && used > 0 && joined_rows_fit(op, taps) &&
           (taps->w ? 4 * used >= 3 * all : used == all);
}

/* The part of a tap that a kernel multiplies by: all of it, or the bits above or below a split. */
enum part { WHOLE, HIGH, LOW };

static int32_t multirow_part_of(int32_t tap, enum part part, int32_t split)
{
    int32_t high = (int32_t)(((int64_t)tap + ((int64_t)1 << split) / 2) >> split);
    return part == WHOLE  ? tap
           : part == HIGH ? high
                          : (int32_t)(tap - high * ((int64_t)1 << split));
}

/* 16-bit samples: taps are split in two parts, so that the sums of each fit 31 bits. */
struct split {
    int32_t bits; /* in the low part; -1: no split fits */
    int64_t add;
    int32_t add_low;
};

static bool split_fits(const struct op *op, const struct op_taps *taps, int32_t common,
                       struct split *split)
{
    int64_t high = 0, low = 0, sum = 0, most = 0;
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++) {
        int32_t tap = taps->w[i] >> common;
        int64_t parts[] = {llabs(multirow_part_of(tap, HIGH, split->bits)),
                           llabs(multirow_part_of(tap, LOW, split->bits))};
        high += parts[0];
        low += parts[1];
        most = max64(most, max64(parts[0], parts[1]));
        sum += tap;
        if (most > INT16_MAX || low > INT32_MAX >> 15 || high > INT32_MAX >> 15)
            return false; /* returns early for large masks */
    }
    int64_t add = taps->add >> common; /* including the offset of u16 samples */
    add += op->in == SWATHE_U16 ? sum * 32768 : 0;
    split->add = add >> split->bits;
    split->add_low = (int32_t)(add - split->add * ((int64_t)1 << split->bits));
    return most <= INT16_MAX && (low << 15) + split->add_low <= INT32_MAX &&
           (high << 15) + llabs(split->add) + ((low << 15) >> split->bits) < INT32_MAX;
}

static struct split split_taps(const struct op *op, const struct op_taps *taps)
{
    int32_t common = algorithm_common_bits(taps);
    struct split split = {.bits = taps->shift - common};
    split.bits = split.bits < 15 ? split.bits : 15;
    while (split.bits >= 0 && !split_fits(op, taps, common, &split))
        split.bits--;
    return split;
}

bool multirow_splits(const struct op *op, const struct op_taps *taps)
{
    return split_taps(op, taps).bits >= 0;
}

static enum kernel_sum multirow_sum(enum kernel_sum sum)
{
    return sum == KERNEL_NARROW  ? KERNEL_NARROW_MULTIROW
           : sum == KERNEL_PAIR  ? KERNEL_PAIR_MULTIROW
           : sum == KERNEL_WIDE  ? KERNEL_SPLIT_MULTIROW
           : sum == KERNEL_FLOAT ? KERNEL_FLOAT_MULTIROW
                                 : KERNEL_FAST_MULTIROW;
}

static int32_t multirow_tap_at(const struct op_taps *taps, int32_t x, int32_t y, int32_t common)
{
    return y < 0 ? 0 : taps->w[(int64_t)y * taps->width + x] >> common;
}

/* Packs taps in pairs, as kernel.h specifies: part `first` and those after it up to `last`. */
static void pack_pairs(const struct op_taps *taps, bool narrow, enum part first, enum part last,
                       const struct multirow *multirow, int32_t *packed)
{
    int32_t pairs = kernel_multirow_pairs(taps->height), common = algorithm_common_bits(taps);
    int64_t columns = multirow->args.mask.column_count;
    for (int64_t t = 0; t < 2 * pairs * columns; t++)
        for (int part = first; part <= (int)last; part++) {
            int32_t tap[2];
            for (int half = 0; half < 2; half++) {
                int32_t y = kernel_multirow_row((int32_t)(t % 2), (int32_t)(t / (2 * columns)),
                                                half, taps->height);
                tap[half] = multirow_part_of(
                    multirow_tap_at(taps, multirow->columns[t / 2 % columns], y, common),
                    (enum part)part, multirow->args.mask.split);
            }
            *packed++ =
                narrow ? kernel_join_bytes(tap[0], tap[1]) : kernel_join_shorts(tap[0], tap[1]);
        }
}

static swathe_status pack_integers(struct arena *arena, const struct op *op,
                                   const struct op_taps *taps, enum kernel_sum sum,
                                   struct multirow *multirow)
{
    int32_t common = algorithm_common_bits(taps);
    int64_t size =
        2 * (int64_t)kernel_multirow_pairs(taps->height) * multirow->args.mask.column_count;
    int32_t *packed;
    struct kernel_args *args = &multirow->args;
    TRY(arena_new_raw(arena, sum == KERNEL_WIDE ? 2 * size : size, sizeof *packed, "taps",
                      &packed));
    args->taps = packed;
    args->shift = taps->shift - common;
    args->add = taps->add >> common;
    if (sum != KERNEL_WIDE) {
        pack_pairs(taps, sum == KERNEL_NARROW, WHOLE, WHOLE, multirow, packed);
        return SWATHE_OK;
    }
    struct split split = split_taps(op, taps);
    args->mask.split = split.bits;
    args->shift -= split.bits;
    args->add = split.add;
    args->mask.add_low = split.add_low;
    pack_pairs(taps, false, HIGH, LOW, multirow, packed);
    return SWATHE_OK;
}

static swathe_status pack_reals(struct arena *arena, const struct op_taps *taps,
                                const int32_t *columns, struct multirow *multirow)
{
    int64_t n = multirow->args.mask.column_count,
            size = taps->d ? sizeof *taps->d : sizeof *taps->f;
    uint8_t *packed;
    TRY(arena_new_raw(arena, taps->height * n, size, "taps", &packed));
    const uint8_t *from = taps->d ? (const uint8_t *)taps->d : (const uint8_t *)taps->f;
    for (int32_t y = 0; y < taps->height; y++)
        for (int64_t c = 0; c < n; c++)
            memcpy(packed + (c * taps->height + y) * size,
                   from + ((int64_t)y * taps->width + columns[c]) * size, (size_t)size);
    multirow->args.taps = packed;
    return SWATHE_OK;
}

swathe_status multirow_make(struct arena *arena, const struct op *op, const struct op_taps *taps,
                            enum kernel_sum sum, const char *result, int isa,
                            struct plan_stage *stage, struct multirow *multirow)
{
    *multirow = (struct multirow){.first_row = op->above - taps->anchor_y,
                                  .sum = multirow_sum(sum),
                                  .source_size = sample_size(stage->row_type),
                                  .result_size = sample_entry_named(result)->size};
    enum kernel_id id =
        algorithm_kernel(multirow->sum, sample_entry(stage->row_type)->name, result);
    multirow->kernel = kernel_find(isa, id, &multirow->isa);
    stage->isa = multirow->isa < stage->isa ? multirow->isa : stage->isa;
    TRY(arena_new(arena, taps->width, sizeof *multirow->columns, "taps", &multirow->columns));
    struct kernel_args *args = &multirow->args;
    for (int32_t x = 0; x < taps->width; x++)
        if (!column_is_zero(taps, x))
            multirow->columns[args->mask.column_count++] = x;
    if (taps->w)
        TRY(pack_integers(arena, op, taps, sum, multirow));
    else
        TRY(pack_reals(arena, taps, multirow->columns, multirow));
    for (int64_t c = 0; c < args->mask.column_count; c++)
        multirow->columns[c] = (multirow->columns[c] - taps->anchor_x) * op->dilate_x + op->left;
    args->rows.mask_rows = taps->height;
    args->bias = op->bias;
    args->low = op->low;
    args->high = op->high;
    multirow->taps = taps->height * args->mask.column_count;
    return SWATHE_OK;
}

/* Bytes of a pointer per row … */
static int64_t multirow_pointer_bytes(const struct multirow *multirow)
{
    return kernel_multirow_sources(multirow->isa, multirow->sum, multirow->args.rows.mask_rows) *
           (int64_t)sizeof(void *);
}

/* … and an offset per column. */
static int64_t multirow_table_bytes(const struct multirow *multirow)
{
    return round_up(multirow_pointer_bytes(multirow) +
                        multirow->args.mask.column_count * (int64_t)sizeof(int64_t),
                    MEMORY_ALIGN);
}

int64_t multirow_scratch_bytes(const struct multirow *multirow, int32_t step)
{
    const struct kernel_mask *mask = &multirow->args.mask;
    int64_t bytes = multirow_table_bytes(multirow);
    if (kernel_sum_is_paired(multirow->sum))
        bytes += round_up(
            kernel_paired_bytes(multirow->sum, multirow->args.rows.mask_rows, mask->column_count,
                                (int64_t)multirow->columns[mask->column_count - 1] * step),
            MEMORY_ALIGN);
    return bytes;
}

/* Samples of each row that are read for all rows of a task before the next ones, so that those of a
 * tall pass stay in the second-level cache. Of more rows the processor does not know the pages. */
static int64_t block_of(const struct multirow *multirow, const struct row_task *task, int64_t count)
{
    enum { CACHE = 512 << 10, LEAST = 128, ROWS_MOST = 1024 };
    int64_t rows = multirow->args.rows.mask_rows + task->height,
            bytes = rows * multirow->source_size;
    if (multirow->args.mask.column_count > 1 || rows > ROWS_MOST || bytes * count <= 4 * CACHE)
        return count;
    return min64(max64(CACHE / bytes / LEAST, 1) * LEAST, count);
}

static void run_block(const struct multirow *multirow, const struct row_task *task, int64_t count,
                      void *const *results, void *scratch, int64_t at, bool stream)
{
    struct kernel_args args = multirow->args;
    const void **source = scratch;
    int64_t *columns = (int64_t *)((uint8_t *)scratch + multirow_pointer_bytes(multirow));
    int32_t last = multirow->first_row + args.rows.mask_rows + task->height - 2, made;
    for (int64_t c = 0; c < args.mask.column_count; c++)
        columns[c] = (int64_t)multirow->columns[c] * task->step;
    int64_t sources = kernel_multirow_sources(multirow->isa, multirow->sum, args.rows.mask_rows);
    struct algorithm_rows rows = {source, sources, multirow->source_size, multirow->result_size};
    args.source = source;
    args.mask.columns = columns;
    args.rows.scratch = (uint8_t *)scratch + multirow_table_bytes(multirow);
    args.count = count;
    args.stream = stream;
    for (int32_t y = 0; y < task->height; y += made) {
        int32_t most = kernel_multirow_height(multirow->isa, multirow->sum);
        made = task->height - y < most ? task->height - y : most;
        for (int64_t r = 0; r < sources; r++)
            source[r] = (const uint8_t *)task->rows[min64(multirow->first_row + y + r, last)] +
                        at * multirow->source_size;
        args.rows.results = results + y;
        args.ahead = task->ahead && at == 0 ? (const void *const *)task->ahead + y : NULL;
        args.rows.height = made;
        algorithm_run(multirow->kernel, &args, multirow->taps * made, &rows);
    }
}

void multirow_run(const struct multirow *multirow, const struct row_task *task, int64_t count,
                  void *const *results, void *scratch)
{
    void *part[MULTIROW_ROWS];
    int64_t block = block_of(multirow, task, count);
    for (int64_t at = 0; at < count; at += block) {
        for (int32_t r = 0; r < task->height; r++)
            part[r] = (uint8_t *)results[r] + at * multirow->result_size;
        run_block(multirow, task, min64(block, count - at), part, scratch, at,
                  task->stream && results == task->results);
    }
}

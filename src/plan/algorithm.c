#include "plan/algorithm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const struct algorithm algorithms[] = {
#define ALGORITHM(id, name, summary) {name, summary, &algorithm_##id},
#include "plan/algorithm.def"
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

enum kernel_id algorithm_kernel(enum kernel_sum sum, const char *source, const char *result)
{
    for (int id = 0; id < KERNEL_COUNT; id++) {
        const struct kernel_row *row = kernel_row(id);
        if (row->sum == sum && strcmp(row->source, source) == 0 && strcmp(row->result, result) == 0)
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

static bool is_zero(const struct op_taps *taps, int64_t i)
{
    return taps->w ? taps->w[i] == 0 : taps->f[i] == 0.0f;
}

static void pack_tap(const struct op_taps *taps, int64_t i, enum kernel_sum sum,
                     struct packed_taps *packed)
{
    if (sum == KERNEL_PAIR)
        ((int16_t *)packed->taps)[packed->count] = (int16_t)taps->w[i];
    else if (sum == KERNEL_LONG)
        ((int32_t *)packed->taps)[packed->count] = taps->w[i];
    else if (sum == KERNEL_FLOAT || sum == KERNEL_FAST)
        ((float *)packed->taps)[packed->count] = taps->f[i];
    else
        ((double *)packed->taps)[packed->count] = taps->w[i];
}

swathe_status algorithm_pack(struct arena *arena, const struct op *op, const struct op_taps *taps,
                             enum kernel_sum sum, struct packed_taps *packed)
{
    int64_t all = (int64_t)taps->width * taps->height;
    *packed = (struct packed_taps){0};
    TRY(arena_new(arena, all + 1, sizeof(double), "taps", &packed->taps));
    TRY(arena_new(arena, all + 1, sizeof *packed->row, "taps", &packed->row));
    TRY(arena_new(arena, all + 1, sizeof *packed->column, "taps", &packed->column));
    for (int64_t i = 0; i < all; i++) {
        if (is_zero(taps, i))
            continue;
        int32_t x = (int32_t)(i % taps->width), y = (int32_t)(i / taps->width);
        pack_tap(taps, i, sum, packed);
        packed->row[packed->count] = y - taps->anchor_y + op->above / op->dilate_y;
        packed->column[packed->count] = (x - taps->anchor_x) * op->dilate_x + op->left;
        packed->count++;
    }
    if (sum == KERNEL_PAIR && packed->count % 2 == 1) {
        /* A partner of weight 0 that reads what its neighbour reads. */
        packed->row[packed->count] = packed->row[packed->count - 1];
        packed->column[packed->count] = packed->column[packed->count - 1];
        packed->count++;
    }
    return SWATHE_OK;
}

void algorithm_finish(const struct op *op, const struct op_taps *taps, struct kernel_args *args)
{
    args->add = taps->add;
    args->add_wide = (double)taps->add;
    args->shift = taps->shift;
    args->bias = op->bias;
    args->low = op->low;
    args->high = op->high;
}

void algorithm_store(const struct row_job *job, const float *from)
{
    const struct op *op = job->stage->op;
    const void *source = from;
    struct kernel_args args = {.source = &source,
                               .result = job->result,
                               .count = job->count,
                               .low = op->low,
                               .high = op->high};
    job->stage->to_result(&args);
}

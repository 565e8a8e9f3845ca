#include "gpu/stages/stage_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct stage_box stage_box(const struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    return (struct stage_box){(op->left + op->right) / op->dilate_x + 1,
                              (op->above + op->below) / op->dilate_y + 1, op->left + op->right,
                              op->above + op->below, stage->planar ? 1 : op->channels};
}

static swathe_status stage_options_add_text(struct arena *arena, struct gpu_stage *stage,
                                            const char *text)
{
    char *copy;
    if (stage->option_count == GPU_OPTIONS_MAX)
        return fail(SWATHE_ERROR_LIMIT, "a GPU program has more than %d options", GPU_OPTIONS_MAX);
    TRY(arena_copy(arena, text, strlen(text), &copy));
    stage->options[stage->option_count++] = copy;
    return SWATHE_OK;
}

swathe_status stage_option(struct arena *arena, struct gpu_stage *stage, const char *name,
                           int64_t value)
{
    char text[64];
    snprintf(text, sizeof text, "-D%s=%" PRId64, name, value);
    return stage_options_add_text(arena, stage, text);
}

swathe_status stage_kernel(struct arena *arena, struct gpu_stage *stage, const char *kernel)
{
    char name[32];
    snprintf(name, sizeof name, "KERNEL_%s", kernel);
    stage->kernel = kernel;
    return stage_option(arena, stage, name, 1);
}

int32_t stage_real_size(const struct op *op)
{
    return gpu_stage_needs(op).doubles ? 8 : 4;
}

bool stage_is_integer(const struct op *op)
{
    return op->integer && (op->rule == STAGE_MIX || !stage_is_pixel(op));
}

bool stage_is_mapped(const struct op *op)
{
    return op->outside != NULL;
}

/* TYPE_ in kernels/types.h */
static int64_t type_code(swathe_type type)
{
    switch (type) {
    case SWATHE_U8:
        return 0;
    case SWATHE_U16:
        return 1;
    case SWATHE_S16:
        return 2;
    case SWATHE_F32:
        return 3;
    case SWATHE_U32:
        return 4;
    case SWATHE_S32:
        return 5;
    default:
        return 6; /* f64 */
    }
}

/* RULE_ in kernels/types.h */
static int64_t rule_code(enum stage_rule rule)
{
    static const int64_t codes[] = {
        [STAGE_DENSE] = 0, [STAGE_TWO_PASS] = 1, [STAGE_MEAN] = 2,  [STAGE_POINT] = 3,
        [STAGE_MIX] = 4,   [STAGE_JOIN] = 5,     [STAGE_WEIGH] = 6, [STAGE_DIVIDE] = 7,
    };
    return codes[rule];
}

static bool has_zeros(const struct op_taps *taps)
{
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++)
        if (op_tap_is_zero(taps, i))
            return true;
    return false;
}

/* True if a kernel would multiply by a tap of 0, including the padding of the box. */
static bool meets_zeros(const struct op *op)
{
    bool zeros = op->mask_count > 1;
    for (int32_t t = 0; t < op->term_count; t++)
        zeros |= has_zeros(&op->terms[t].down) || has_zeros(&op->terms[t].across);
    for (int32_t i = 0; i < op->mask_count; i++)
        zeros |= has_zeros(&op->masks[i]);
    return zeros;
}

/* True if sums take 64 bits, by the bounds of quantise.h or, for a mean, by the bound below. */
static bool is_wide(const struct op *op, const struct gpu_task *task)
{
    if (!stage_is_integer(op))
        return false;
    return op->rule == STAGE_MEAN ? task->shift < 0 : op->in != SWATHE_U8;
}

swathe_status stage_describe(struct arena *arena, struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    struct stage_box box = stage_box(stage);
    const struct {
        const char *name;
        int64_t value;
    } options[] = {{"IN", type_code(op->in)},
                   {"OUT", type_code(op->out)},
                   {"INTEGER", stage_is_integer(op)},
                   {"WIDE", is_wide(op, &stage->task)},
                   {"RULE", rule_code(op->rule)},
                   {"CHANNELS", op->channels},
                   {"OUT_CHANNELS", op->out_channels},
                   {"PLANAR", stage->planar},
                   {"COPIED", op->copied},
                   {"MASKS", op->rule == STAGE_DENSE ? op->mask_count : 1},
                   {"DILATE_X", op->dilate_x},
                   {"DILATE_Y", op->dilate_y},
                   {"MASK_W", box.width},
                   {"MASK_H", box.height},
                   {"LEFT", op->left},
                   {"ABOVE", op->above}};
    size_t count = sizeof options / sizeof *options - (stage->runtime ? 4 : 0);
    for (size_t i = 0; i < count; i++)
        TRY(stage_option(arena, stage, options[i].name, options[i].value));
    if (stage->runtime)
        TRY(stage_option(arena, stage, "RUNTIME", 1));
    if (op->arithmetic == ARITHMETIC_report_001)
        TRY(stage_option(arena, stage, "TRUNCATED", 1));
    if (stage_real_size(op) == 8)
        TRY(stage_option(arena, stage, "DOUBLES", 1));
    if (op->rule == STAGE_TWO_PASS)
        TRY(stage_option(arena, stage, "TERMS", op->term_count));
    if (stage_is_mapped(op))
        TRY(stage_option(arena, stage, "MAPPED", 1));
    else if (!stage_is_pixel(op) && op->channels != op->out_channels)
        TRY(stage_option(arena, stage, "STACKED", 1));
    if (!stage_is_integer(op) && op->arithmetic == ARITHMETIC_contract && meets_zeros(op))
        TRY(stage_option(arena, stage, "HAS_ZEROS", 1));
    if (isfinite(op->low) || isfinite(op->high))
        TRY(stage_option(arena, stage, "CLAMPED", 1));
    return SWATHE_OK;
}

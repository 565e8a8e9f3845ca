#include "plan/plan.h"

#include "base/checked.h"
#include "base/cpu.h"
#include "base/nearest_word.h"
#include "base/text.h"
#include "filter/op.h"
#include "filter/plan_option.h"
#include "filter/problem.h"
#include "image/view.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLAN_NOTE_SIZE = 5000 }; /* bytes: for two paths and a reason */

static swathe_status unknown_isa(const char *name)
{
    char all[256];
    struct text list;
    text_init(&list, all, sizeof all);
    for (int i = 0; isa_at(i); i++)
        text_add(&list, "%s%s", i ? ", " : "", isa_at(i)->name);
    return fail(SWATHE_ERROR_ARGUMENT, "unknown instruction set '%s' (known: %s)", name, all);
}

/* Does it name a device other than the CPU? */
static bool on_device(const swathe_plan_options *o)
{
    return o->device && strcmp(o->device, "cpu") != 0;
}

static bool is_auto(const swathe_plan_options *o)
{
    return o->device && strcmp(o->device, "auto") == 0;
}

static swathe_status check_type(const char *option, swathe_type type)
{
    if (type == SWATHE_TYPE_DEFAULT || sample_entry(type))
        return SWATHE_OK;
    return fail_about(SWATHE_ERROR_ARGUMENT, option, "%s %d is not a sample type", option,
                      (int)type);
}

/* Algorithms other than the definition add as the contract does. */
static swathe_status plan_check_arithmetic(const swathe_plan_options *o)
{
    enum op_arithmetic arithmetic;
    TRY(op_arithmetic_named(o->arithmetic, &arithmetic));
    if (arithmetic == ARITHMETIC_contract || o->strategy ||
        (o->algorithm && strcmp(o->algorithm, "reference") == 0))
        return SWATHE_OK;
    return fail_about(SWATHE_ERROR_UNSUPPORTED, "arithmetic",
                      "arithmetic %s is computed only by strategies of a GPU, and by algorithm "
                      "reference",
                      o->arithmetic);
}

/* Checks the names in the options before anything is allocated. */
static swathe_status plan_check_options(const swathe_plan_options *o)
{
    if (!on_device(o) && o->strategy)
        return fail_about(SWATHE_ERROR_ARGUMENT, "device",
                          "strategy '%s' is for GPUs; name a device", o->strategy);
    if (is_auto(o) && o->strategy)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "strategy '%s' requires a named device, because auto may choose the CPU",
                    o->strategy);
    if (on_device(o) && o->algorithm)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "algorithm '%s' is for the CPU; device '%s' has strategies instead",
                    o->algorithm, o->device);
    TRY(plan_check_arithmetic(o));
    TRY(plan_option_check(o));
    if (o->isa && isa_named(o->isa) < 0)
        return unknown_isa(o->isa);
    if (o->isa && !isa_usable(isa_named(o->isa)))
        return fail(SWATHE_ERROR_UNSUPPORTED, "this machine does not support %s", o->isa);
    if (o->algorithm && !algorithm_named(o->algorithm))
        return fail(SWATHE_ERROR_ARGUMENT, "no algorithm '%s'", o->algorithm);
    TRY(check_type("type", o->type));
    TRY(check_type("intermediate", o->intermediate));
    if (!(o->accuracy >= 0.0) || o->max_memory < 0 || o->device_memory < 0)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "accuracy, max_memory and device_memory must not be negative");
    return SWATHE_OK;
}

/* Shares the algorithm of an earlier, equal stage; the bounds are those of this stage. */
static void share_stage(struct plan *plan, int32_t i)
{
    const struct op *op = &plan->ops[i];
    struct candidates *candidates = &plan->candidates[i];
    *candidates = plan->candidates[op->first];
    for (int32_t c = 0; c < candidates->count; c++)
        candidate_bound(op, &candidates->list[c]);
    plan->stages[i] = plan->stages[op->first];
    plan->stages[i].op = op;
}

/* What does not depend on an algorithm. */
static struct plan_stage new_stage(const struct op *op, int isa)
{
    return (struct plan_stage){.op = op,
                               .isa = isa,
                               .row_type = op->integer ? op->in : op->real,
                               .group = 1,
                               .grid_x = 1,
                               .grid_y = 1};
}

swathe_status plan_prepare_stage(struct arena *arena, const struct op *op,
                                 const struct candidate_rule *rule,
                                 const struct candidates *candidates, struct plan_stage *stage)
{
    const struct candidate *chosen = candidates_chosen(candidates);
    int isa = rule->isa;
    *stage = new_stage(op, isa);
    stage->sample_ns =
        candidate_ns(chosen) / ((double)op->out_width * (double)op->out_height * op->out_channels);
    stage->algorithm = chosen->algorithm;
    stage->analysis = chosen->analysis;
    if (op->in != stage->row_type)
        stage->to_row = algorithm_find(KERNEL_CONVERT, sample_entry(op->in)->name,
                                       sample_entry(stage->row_type)->name, isa, stage);
    if (algorithm_result(op) != op->out)
        stage->to_result = algorithm_find(KERNEL_CONVERT, sample_entry(op->real)->name,
                                          sample_entry(op->out)->name, isa, stage);
    return stage->algorithm->calls->make(arena, op, isa, rule->exact || op->ordered, stage);
}

static swathe_status make_own_stage(struct plan *plan, const struct candidate_rule *rule, int32_t i)
{
    const struct op *op = &plan->ops[i];
    struct candidates *candidates = &plan->candidates[i];
    if (plan->by_reference || op->arithmetic != ARITHMETIC_contract) {
        plan->stages[i] = new_stage(op, 0);
        plan->stages[i].algorithm = algorithm_named("reference");
        return SWATHE_OK;
    }
    TRY(candidates_find(&plan->arena, op, rule, candidates));
    return plan_prepare_stage(&plan->arena, op, rule, candidates, &plan->stages[i]);
}

static swathe_status plan_make_stage(struct plan *plan, const struct candidate_rule *rule,
                                     int32_t i)
{
    const struct op *op = &plan->ops[i];
    struct plan_stage *stage = &plan->stages[i];
    if (op->first == i)
        TRY(make_own_stage(plan, rule, i));
    else
        share_stage(plan, i);
    const struct algorithm_calls *calls = stage->algorithm->calls;
    struct algorithm_case at = {.op = op, .isa = stage->isa, .analysis = stage->analysis};
    stage->error_bound =
        calls->error_bound && !op->integer ? calls->error_bound(&at) : op->error_bound;
    return SWATHE_OK;
}

int64_t plan_halo_rows(const struct plan *plan)
{
    int64_t rows = 0;
    for (int32_t i = 0; i < plan->count; i++)
        rows += (int64_t)plan->ops[i].above + plan->ops[i].below;
    return rows;
}

int64_t plan_window_rows(const struct plan_stage *stage)
{
    return (int64_t)stage->op->above + stage->op->below + stage->group;
}

/* The window, and the rows that the previous stage computes ahead. */
int64_t plan_ring_rows(const struct plan *plan, int32_t i)
{
    int64_t ahead = i > 0 ? plan->stages[i - 1].group - 1 : 0;
    return min64(plan_window_rows(&plan->stages[i]) + ahead, plan->ops[i].in_height);
}

struct interval plan_need(const struct plan *plan, int32_t i, enum interval_axis axis,
                          struct interval wanted)
{
    return interval_need(&plan->ops[i], axis, plan_made(plan, i, axis, wanted));
}

struct interval plan_made(const struct plan *plan, int32_t i, enum interval_axis axis,
                          struct interval wanted)
{
    bool across = axis == INTERVAL_COLUMNS;
    int64_t pitch = across ? plan->stages[i].grid_x : plan->stages[i].grid_y;
    int64_t extent = across ? plan->ops[i].out_width : plan->ops[i].out_height;
    return (struct interval){wanted.first / pitch * pitch,
                             min64(next_multiple(wanted.last, pitch), extent)};
}

static void add_bounds(struct plan *plan)
{
    double error = 0.0, copied = 0.0;
    bool integers = true, inexact = false; /* alpha, of which any error matters where it is small */
    for (int32_t i = 0; i < plan->count; i++) {
        const struct op *op = &plan->ops[i];
        if (op_divides_by_alpha(op)) {
            error = inexact ? INFINITY : error;
            inexact |= !op->weights->quotient.centred;
        }
        inexact |= op_copied_bound(op) > 0.0;
        error = (isinf(error) || error == 0.0 ? error : error * op->gain) + op->error_bound;
        if (op->rule == STAGE_POINT && copied > 0.0)
            copied = copied * op->gain + op->error_bound;
        copied += op_copied_bound(op); /* a small gain does not reduce this error */
        if (!plan->by_reference)
            plan->predicted_ns += candidate_ns(candidates_chosen(&plan->candidates[i]));
        integers &= op->integer || op->ordered;
    }
    plan->exact |= integers;
    plan->error_bound = fmax(error, copied);
}

/* A plane for each channel if channels have different masks, alpha differs from colours, or the
 * number of channels changes, except between a stack and its join. */
static int32_t choose_step(const struct plan *plan)
{
    int32_t all = plan->source.channels;
    for (int32_t i = 0; i < plan->count; i++)
        if (!op_is_grouped(&plan->ops[i], all))
            return 1;
    return plan->result.channels == all ? all : 1;
}

/* Copies texts and arrays, because the chain may be destroyed before the plan. */
static swathe_status keep_text(struct plan *plan, struct op *op)
{
    const struct stage_array *from = op->array;
    struct stage_array *to;
    TRY(arena_copy(&plan->arena, op->text, strlen(op->text), (char **)&op->text));
    if (!from)
        return SWATHE_OK;
    TRY(arena_new(&plan->arena, 1, sizeof *to, "masks", &to));
    op->array = to;
    return stage_copy_array(&plan->arena, from, to);
}

/* Applies the rule for the values between the chain and `type`: if it needs a stage, the last one
 * of the chain keeps its own type. */
static swathe_status apply_values(struct plan *plan, const swathe_plan_options *o,
                                  const struct chain **chain, struct op_options *options)
{
    struct chain *extended;
    struct op_options own = *options;
    own.type = SWATHE_TYPE_DEFAULT;
    swathe_type from = op_result_type(*chain, &plan->source, &own);
    swathe_type to = o->type ? o->type : from;
    struct values values = values_choose(o, from, to);
    plan->own = plan->count = (*chain)->count;
    plan->values = values.rule;
    plan->values_matter = values.asked || from != to;
    TRY(values_note(&plan->arena, &values, from, to, &plan->values_note));
    if (!values_needs_stage(&values, from, to))
        return SWATHE_OK;
    TRY(values_append(&plan->arena, *chain, &values, to, &extended));
    options->type = SWATHE_TYPE_DEFAULT;
    *chain = extended;
    plan->count = extended->count;
    return SWATHE_OK;
}

static swathe_status append_fit(struct plan *plan, const struct values *values, swathe_type to,
                                const struct chain **chain)
{
    struct chain *extended;
    TRY(values_append(&plan->arena, *chain, values, to, &extended));
    *chain = extended;
    return SWATHE_OK;
}

/* Puts the chain between stages that convert samples to linear light and back. They are converted
 * back to the plan's type at once, which scales them, or before they are fitted. */
static swathe_status apply_light(struct plan *plan, const swathe_plan_options *o,
                                 const struct chain **chain, struct op_options *options)
{
    struct chain *wrapped;
    swathe_type from = plan->source.type, to = light_result(*chain, &plan->source, o->type);
    bool floats = sample_is_float(to);
    struct values values = values_choose(o, from, to);
    bool fits = values.rule == SWATHE_VALUES_FIT;
    if (values.rule == SWATHE_VALUES_KEEP && values.asked && from != to && !floats)
        return fail_about(SWATHE_ERROR_ARGUMENT, "values",
                          "values keep: linear light is converted to the whole range of %s; use "
                          "values scale",
                          sample_entry(to)->name);
    plan->light.encoded = fits ? from : floats ? SWATHE_TYPE_DEFAULT : to;
    TRY(light_wrap(&plan->arena, &plan->light, &plan->source, *chain, to, options, &wrapped));
    *chain = wrapped;
    plan->first = 1;
    plan->own = options->own;
    plan->values = values.rule;
    plan->values_matter = values.asked || (from != to && !floats);
    TRY(values_note(&plan->arena, &values, from, to, &plan->values_note));
    if (fits)
        TRY(append_fit(plan, &values, to, chain));
    plan->count = (*chain)->count;
    return SWATHE_OK;
}

/* Which channel of the result is alpha, and what the others are. */
static void set_meaning(struct plan *plan, const struct op *last)
{
    swathe_shape *result = &plan->result;
    int32_t before = plan->source.channels - (plan->source.alpha > 0);
    result->alpha = last->alpha + 1;
    int32_t colours = result->channels - (result->alpha > 0);
    if (colours != before)
        result->color = colours == 1 ? SWATHE_COLOR_GREY : SWATHE_COLOR_UNKNOWN;
}

/* Alpha is a weight unless something else is asked for, or samples have other weights. */
static swathe_status choose_weights(const struct plan *plan, const swathe_plan_options *o,
                                    struct weights_rule *rule)
{
    bool premultiply = o->alpha <= SWATHE_ALPHA_PREMULTIPLY;
    *rule = (struct weights_rule){.kind = WEIGHTS_NONE};
    if (o->nodata && o->nodata[0] != '\0')
        TRY(weights_parse(o->nodata, rule));
    if (rule->kind != WEIGHTS_NONE && o->alpha && premultiply)
        return fail_about(SWATHE_ERROR_ARGUMENT, "nodata",
                          "alpha premultiply and nodata exclude each other; use alpha keep");
    if (rule->kind == WEIGHTS_MASK && plan->source.alpha == 0)
        return fail(SWATHE_ERROR_ARGUMENT, "nodata mask: the image has no alpha channel");
    if (rule->kind == WEIGHTS_NAN && !sample_is_float(plan->source.type))
        return fail(SWATHE_ERROR_ARGUMENT, "nodata nan: samples of type %s are never NaN",
                    sample_entry(plan->source.type)->name);
    if (rule->kind == WEIGHTS_VALUE &&
        (plan->source.type == SWATHE_F32
             ? !(fabs(rule->none) <= (double)FLT_MAX)
             : weights_value_in(rule->none, plan->source.type) != rule->none))
        return fail(SWATHE_ERROR_ARGUMENT, "nodata %.17g is not a value of type %s", rule->none,
                    sample_entry(plan->source.type)->name);
    if (rule->kind == WEIGHTS_VALUE)
        *rule = weights_rule_in(rule, plan->source.type);
    if (rule->kind == WEIGHTS_NONE && premultiply && plan->source.alpha > 0)
        rule->kind = WEIGHTS_ALPHA;
    return SWATHE_OK;
}

static swathe_status plan_bind(struct plan *plan, const struct chain **given,
                               const swathe_plan_options *o)
{
    struct op_options options = {
        .type = o->type, .intermediate = o->intermediate, .own = (*given)->count};
    options.filter_alpha = o->alpha == SWATHE_ALPHA_FILTER;
    TRY(op_arithmetic_named(o->arithmetic, &options.arithmetic));
    options.weights = plan->weights;
    options.border = plan_option_border(o);
    TRY(plan->light.linear ? apply_light(plan, o, given, &options)
                           : apply_values(plan, o, given, &options));
    const struct chain *chain = *given;
    TRY(op_bind(&plan->arena, chain, &plan->source, &options, &plan->ops));
    plan->weights = options.weights;
    for (int32_t i = 0; i < plan->count; i++)
        TRY(keep_text(plan, &plan->ops[i]));
    const struct op *last = &plan->ops[plan->count - 1];
    plan->result = plan->source;
    plan->result.width = last->out_width;
    plan->result.height = last->out_height;
    plan->result.type = last->out;
    plan->result.channels = last->out_channels;
    set_meaning(plan, last);
    return SWATHE_OK;
}

/* If an algorithm has another bound than the op, later stages get larger samples. */
static swathe_status make_each(struct plan *plan, const struct candidate_rule *rule,
                               const struct chain *chain)
{
    bool replaced = false;
    for (int32_t i = 0; i < plan->count; i++) {
        struct op *op = &plan->ops[i];
        if (replaced)
            op_bound(op, &chain->stages[i], plan->ops[i - 1].bound_magnitude);
        TRY(plan_make_stage(plan, rule, i));
        if (plan->stages[i].error_bound == op->error_bound)
            continue;
        op_bound_replace(op, plan->stages[i].error_bound);
        replaced = true;
    }
    return SWATHE_OK;
}

static swathe_status make_stages(struct plan *plan, const struct plan_maker *maker,
                                 const struct chain *chain, const swathe_plan_options *o,
                                 bool on_gpu)
{
    struct candidate_rule rule = {.wisdom = maker->wisdom,
                                  .isa = o->isa ? isa_named(o->isa) : isa_best(),
                                  .exact = o->exact != 0,
                                  .accuracy = o->accuracy,
                                  .forced = o->algorithm ? algorithm_named(o->algorithm) : NULL};
    char note[PLAN_NOTE_SIZE];
    TRY(wisdom_load(maker->wisdom));
    TRY(arena_new(&plan->arena, plan->count, sizeof *plan->stages, "a plan", &plan->stages));
    TRY(arena_new(&plan->arena, plan->count, sizeof *plan->candidates, "a plan",
                  &plan->candidates));
    TRY(make_each(plan, &rule, chain));
    if (!plan->by_reference && !on_gpu) /* devices compute the three */
        TRY(plan_join_weights(plan, &rule));
    wisdom_note(maker->wisdom, note, sizeof note);
    return arena_copy(&plan->arena, note, strlen(note), &plan->wisdom);
}

/* Prepares the device that is named, or that `auto` has chosen; nothing for the CPU. */
static swathe_status make_gpu(struct plan *plan, const struct plan_maker *maker,
                              const swathe_plan_options *o, const struct device_record *chosen)
{
    struct on_gpu_request request = {.device = chosen ? chosen->device : o->device,
                                     .strategy = o->strategy,
                                     .memory = o->device_memory,
                                     .falls_back = chosen != NULL,
                                     .pageable = maker->pageable,
                                     .checked = chosen};
    if (!chosen && (!on_device(o) || is_auto(o)))
        return SWATHE_OK;
    return on_gpu_make(&plan->arena, maker->devices, plan->ops, plan->count, &request, &plan->gpu);
}

static swathe_status plan_build(struct plan *plan, const struct plan_maker *maker,
                                const struct chain *chain, const swathe_plan_options *options,
                                const struct device_record *chosen)
{
    swathe_plan_options own = *options, *o = &own;
    bool on_gpu = chosen || (on_device(o) && !is_auto(o));
    /* Float results of devices are exact, so those of the CPU must be, too, if it takes over. */
    own.exact |= on_gpu;
    TRY(plan_check_options(o));
    TRY(light_choose(&plan->arena, o, &plan->light));
    own.exact |= plan->light.linear; /* the result is the same on every machine, as integers are */
    TRY(shape_check(&plan->source));
    if (chain->count == 0)
        return fail(SWATHE_ERROR_ARGUMENT, "the chain has no stages; 'identity' copies an image");
    plan->exact = o->exact != 0;
    plan->by_reference = o->algorithm && strcmp(o->algorithm, "reference") == 0;
    struct border border = plan_option_border(o);
    TRY(choose_weights(plan, o, &plan->weights));
    if (plan->light.linear)
        TRY(light_check(&plan->source, chain, &border, o->intermediate));
    if (plan->light.linear && plan->weights.kind == WEIGHTS_VALUE)
        return fail(
            SWATHE_ERROR_ARGUMENT,
            "nodata %.17g: a value that stands for missing samples is not light; use nodata "
            "mask, or light keep",
            plan->weights.none);
    TRY(join_expand(&plan->arena, chain, &chain));
    TRY(weights_expand(&plan->arena, chain, &plan->weights, &border, &chain));
    TRY(plan_bind(plan, &chain, o));
    TRY(weights_note(&plan->arena, &plan->ops[0].before, &plan->weights, plan->source.alpha > 0,
                     o->alpha, &plan->note));
    TRY(make_stages(plan, maker, chain, o, on_gpu));
    plan->step = choose_step(plan);
    for (int32_t i = 0; plan->step == 1 && i < plan->count; i++)
        if (plan->ops[i].rule == STAGE_WEIGH) /* its kernel computes pixels only */
            plan->stages[i].isa = 0;
    plan_choose_span(plan);
    add_bounds(plan);
    TRY(make_gpu(plan, maker, o, chosen));
    plan->scratch_bytes = maker->scratch_bytes(plan);
    return problem_print(&plan->arena, &plan->source, o, SWATHE_CONTRACT, &plan->problem);
}

static swathe_status plan_create_for(const struct plan_maker *maker, const struct chain *chain,
                                     const swathe_shape *source, const swathe_plan_options *options,
                                     const struct device_record *chosen, struct plan **plan)
{
    struct plan *got;
    TRY(memory_new(maker->memory, 1, sizeof *got, "a plan", &got));
    got->arena.memory = maker->memory;
    got->source = *source;
    got->max_memory = options->max_memory > 0 ? options->max_memory : maker->max_memory;
    swathe_status status = plan_build(got, maker, chain, options, chosen);
    if (status != SWATHE_OK) {
        plan_free(got);
        return status;
    }
    *plan = got;
    return SWATHE_OK;
}

static double plan_sample_bytes(const swathe_shape *shape)
{
    return (double)shape->width * (double)shape->height * shape->channels *
           sample_size(shape->type);
}

static struct auto_device_load device_load(const struct plan *plan)
{
    struct auto_device_load load = {.bytes = plan_sample_bytes(&plan->source) +
                                             plan_sample_bytes(&plan->result)};
    for (int32_t i = 0; i < plan->count; i++) {
        const struct op *op = &plan->ops[i];
        double sums = op->rule == STAGE_WEIGHTED ? 2.0 : 1.0; /* of samples, and of weights */
        load.work += sums * (double)op->tap_count * (double)op->out_width * (double)op->out_height *
                     op->out_channels;
    }
    return load;
}

/* Replaces the CPU's plan by one for a device that passed its check, if that is faster. If the
 * device lacks something, the CPU is used. */
static swathe_status choose_device(const struct plan_maker *maker, const struct chain *chain,
                                   const swathe_plan_options *options, struct plan **plan)
{
    struct device_record record;
    struct plan *other;
    char note[PLAN_NOTE_SIZE];
    struct auto_device_load load = device_load(*plan);
    load.cpu_ns = (*plan)->predicted_ns / maker->threads;
    TRY(auto_device_choose(maker->memory, maker->devices, &load, &record, note, sizeof note));
    if (record.device[0]) {
        if (plan_create_for(maker, chain, &(*plan)->source, options, &record, &other) ==
            SWATHE_OK) {
            plan_free(*plan);
            *plan = other;
        } else {
            snprintf(note, sizeof note, "auto: cpu, because %.400s", fail_text());
        }
    }
    return arena_copy(&(*plan)->arena, note, strlen(note), &(*plan)->device_note);
}

swathe_status plan_create(const struct plan_maker *maker, const struct chain *chain,
                          const swathe_shape *source, const swathe_plan_options *options,
                          struct plan **plan)
{
    struct plan *got;
    TRY(plan_create_for(maker, chain, source, options, NULL, &got));
    swathe_status status =
        is_auto(options) ? choose_device(maker, chain, options, &got) : SWATHE_OK;
    if (status != SWATHE_OK) {
        plan_free(got);
        return status;
    }
    *plan = got;
    return SWATHE_OK;
}

void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    const struct memory *memory = plan->arena.memory;
    on_gpu_free(plan->gpu);
    arena_free(&plan->arena);
    memory_free(memory, plan);
}

swathe_status plan_parse(const struct plan_maker *maker, const char *problem, struct plan **plan)
{
    struct problem parsed;
    TRY(problem_parse(maker->memory, problem, SWATHE_CONTRACT, &parsed));
    swathe_status status = plan_create(maker, parsed.chain, &parsed.source, &parsed.options, plan);
    problem_free(&parsed);
    return status;
}

swathe_status plan_input(const struct plan *plan, const swathe_rect *result, swathe_rect *source)
{
    swathe_rect whole = {0, 0, plan->result.width, plan->result.height};
    if (result->width < 1 || result->height < 1 || !rect_contains(&whole, result))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "the part %" PRId64 "x%" PRId64 "+%" PRId64 "+%" PRId64
                    " is not within the result of %" PRId64 " x %" PRId64,
                    result->width, result->height, result->x, result->y, whole.width, whole.height);
    struct interval columns = {result->x, result->x + result->width};
    struct interval rows = {result->y, result->y + result->height};
    for (int32_t i = plan->count - 1; i >= 0; i--) {
        columns = plan_need(plan, i, INTERVAL_COLUMNS, columns);
        rows = plan_need(plan, i, INTERVAL_ROWS, rows);
    }
    *source = (swathe_rect){columns.first, rows.first, columns.last - columns.first,
                            rows.last - rows.first};
    return SWATHE_OK;
}

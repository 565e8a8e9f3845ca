/* Descriptions of a plan, for people and programs. */
#include "base/checked.h"
#include "base/text.h"
#include "filter/named.h"
#include "filter/plan_option.h"
#include "plan/plan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- Alpha and missing data ------------------------------------------------------------------ */

/* "-9999", "nan" or "mask"; empty: nothing is missing by a rule of its own. */
static void add_rule(struct text *out, const struct weights_rule *rule)
{
    if (rule->kind == WEIGHTS_VALUE)
        text_add_double(out, rule->none);
    else if (rule->kind == WEIGHTS_NAN || rule->kind == WEIGHTS_MASK)
        text_add(out, rule->kind == WEIGHTS_NAN ? "nan" : "mask");
}

static void add_missing(struct text *out, const struct weights_rule *rule,
                        const struct weights_note *note)
{
    if (!*note->nodata_in)
        return;
    if (rule->kind == WEIGHTS_MASK)
        text_add(out, "pixels whose alpha is 0 are missing and weigh nothing");
    else
        text_add(out, "samples of %s are missing and weigh nothing", note->nodata_in);
    if (rule->kind != WEIGHTS_MASK && strcmp(note->nodata_in, note->nodata) != 0)
        text_add(out, "; missing results are %s", note->nodata);
    if (rule->fill)
        text_add(out, "; they are filled from samples around them");
    if (rule->least > 0.0)
        text_add(out, "; a share of %g of the weights must be present", rule->least);
}

static const char *about_alpha(const struct weights_rule *rule, swathe_alpha alpha)
{
    if (rule->kind == WEIGHTS_MASK)
        return "a mask of missing pixels";
    if (rule->kind == WEIGHTS_ALPHA)
        return "premultiply: colours are weighted by alpha, which is filtered with them";
    return alpha == SWATHE_ALPHA_FILTER ? "filter: filtered like a colour" : "keep: copied";
}

static swathe_status plan_print_keep(struct arena *arena, struct text *out, const char *buffer,
                                     char **kept)
{
    TRY(text_finish(out, NULL));
    return arena_copy(arena, buffer, strlen(buffer), kept);
}

swathe_status weights_note(struct arena *arena, const struct weights_rule *given,
                           const struct weights_rule *result, bool has_alpha, swathe_alpha alpha,
                           struct weights_note *note)
{
    char buffer[256];
    struct text out;
    text_init(&out, buffer, sizeof buffer);
    add_rule(&out, given);
    TRY(plan_print_keep(arena, &out, buffer, &note->nodata_in));
    text_init(&out, buffer, sizeof buffer);
    add_rule(&out, result);
    TRY(plan_print_keep(arena, &out, buffer, &note->nodata));
    text_init(&out, buffer, sizeof buffer);
    add_missing(&out, given, note);
    TRY(plan_print_keep(arena, &out, buffer, &note->missing));
    note->alpha = has_alpha ? about_alpha(given, alpha) : "";
    return SWATHE_OK;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

/* Work of one stage; see swathe_stage_info. */
static double stage_work(const struct plan *plan, int32_t i)
{
    const struct op *op = &plan->ops[i];
    bool own = !plan->gpu && !plan->by_reference;
    return own ? candidates_chosen(&plan->candidates[i])->work : (double)op->tap_count;
}

void plan_get(const struct plan *plan, swathe_plan_info *info)
{
    info->source = plan->source;
    info->result = plan->result;
    info->stages = plan->count;
    info->exact = plan->exact;
    info->scratch_bytes = plan->scratch_bytes;
    info->error_bound = plan->error_bound;
    for (int32_t i = 0; i < plan->count; i++)
        info->work += stage_work(plan, i);
    info->nodata = *plan->note.nodata ? plan->note.nodata : NULL;
    info->seconds = plan->gpu ? 0.0 : plan->predicted_ns * 1e-9;
    for (int32_t i = 0; i < plan->count; i++) {
        info->origin_x += plan->ops[i].shift_x;
        info->origin_y += plan->ops[i].shift_y;
    }
}

static int32_t fraction_bits(const struct op *op)
{
    if (op->rule == STAGE_POINT)
        return sample_is_float(op->in) ? -1 : 0;
    if (op->rule == STAGE_WEIGH || op->rule == STAGE_DIVIDE)
        return -1;
    if (!op->integer || op->rule == STAGE_MEAN || op->rule == STAGE_JOIN)
        return op->integer ? 0 : -1;
    return op->rule == STAGE_TWO_PASS ? op->terms[0].down.q : op->masks[0].q;
}

swathe_status plan_stage(const struct plan *plan, int32_t stage, swathe_stage_info *info)
{
    if (stage < 0 || stage >= plan->count)
        return fail(SWATHE_ERROR_ARGUMENT, "no stage %d; the plan has %d", stage, plan->count);
    const struct plan_stage *at = &plan->stages[stage];
    const struct op *op = at->op;
    info->text = op->text;
    info->algorithm = at->algorithm->name;
    info->isa = isa_at(at->isa)->name;
    if (plan->gpu) {
        info->algorithm = plan->gpu->strategy->name;
        info->isa = plan->gpu->device->info.id;
    }
    info->border = (swathe_border)op->border.mode + 1;
    info->input = op->in;
    info->output = op->out;
    info->width = op->out_width;
    info->height = op->out_height;
    info->left = op->left;
    info->right = op->right;
    info->above = op->above;
    info->below = op->below;
    info->taps = op->tap_count;
    info->fraction_bits = fraction_bits(op);
    info->error_bound = op->error_bound;
    info->gain = op->gain;
    info->work = stage_work(plan, stage);
    int64_t row = (plan->span_columns + op->left + op->right) * op->channels;
    info->ring_bytes = size_mul(plan_ring_rows(plan, stage), row * sample_size(at->row_type));
    return SWATHE_OK;
}

static void json_shape(struct text *out, const char *key, const swathe_shape *shape)
{
    text_add(out,
             "\"%s\":{\"width\":%" PRId64 ",\"height\":%" PRId64
             ",\"channels\":%d,\"type\":\"%s\"}",
             key, shape->width, shape->height, shape->channels, sample_entry(shape->type)->name);
}

static void json_number(struct text *out, const char *key, double value)
{
    text_add(out, "\"%s\":", key);
    if (isfinite(value))
        text_add_double(out, value);
    else
        text_add(out, "null"); /* JSON has no infinity */
}

static void json_candidates(struct text *out, const swathe_stage_info *s,
                            const struct candidates *candidates)
{
    text_add(out, ",\"candidates\":[");
    for (int32_t i = 0; i < candidates->count; i++) {
        const struct candidate *at = &candidates->list[i];
        text_add(out, "%s{\"name\":\"%s\",", i ? "," : "", at->algorithm->name);
        json_number(out, "predicted_ms", at->predicted_ns * 1e-6);
        text_add(out, ",");
        json_number(out, "measured_ms", at->measured_ns > 0 ? at->measured_ns * 1e-6 : INFINITY);
        text_add(out, ",");
        json_number(out, "bound", i == candidates->chosen ? s->error_bound : at->error_bound);
        text_add(out, ",\"chosen\":%s}", i == candidates->chosen ? "true" : "false");
    }
    text_add(out, "]");
}

static void json_stage(struct text *out, const swathe_stage_info *s,
                       const struct candidates *candidates)
{
    text_add(out, "{\"stage\":");
    text_add_json(out, s->text);
    text_add(out, ",\"algorithm\":\"%s\",\"isa\":\"%s\",\"border\":\"%s\",", s->algorithm, s->isa,
             border_entry(s->border - 1)->name);
    text_add(out, "\"input\":\"%s\",\"output\":\"%s\",\"width\":%" PRId64 ",\"height\":%" PRId64,
             sample_entry(s->input)->name, sample_entry(s->output)->name, s->width, s->height);
    text_add(out, ",\"left\":%d,\"right\":%d,\"above\":%d,\"below\":%d,\"taps\":%" PRId64, s->left,
             s->right, s->above, s->below, s->taps);
    text_add(out, ",\"fraction_bits\":%d,", s->fraction_bits);
    json_number(out, "error_bound", s->error_bound);
    text_add(out, ",");
    json_number(out, "gain", s->gain);
    text_add(out, ",");
    json_number(out, "work", s->work);
    text_add(out, ",\"ring_bytes\":%" PRId64, s->ring_bytes);
    json_candidates(out, s, candidates);
    text_add(out, "}");
}

/* The curves, as rows of numbers. */
static void add_curves(struct text *out, const struct light *light)
{
    for (int32_t i = 0; i < light->curve_count; i++) {
        text_add(out, i ? "; " : " curves={");
        for (int32_t k = 0; k < light->curves[i].size; k++) {
            text_add(out, k ? " " : "");
            text_add_double(out, light->curves[i].values[k]);
        }
    }
    text_add(out, light->curve_count ? "}" : "");
}

/* `add` may escape texts that users wrote; numbers need no escape. */
static void add_problem(struct text *out, const struct plan *plan,
                        void (*add)(struct text *text, const char *string))
{
    add(out, plan->problem);
    const char *between = "";
    add_curves(out, &plan->light);
    text_add(out, " chain={");
    for (int32_t i = plan->first; i < plan->own; i++) {
        const struct op *op = &plan->ops[i];
        if (op->rule == STAGE_JOIN || op->rule == STAGE_WEIGH || op->rule == STAGE_DIVIDE)
            continue; /* a part of the stage before or after */
        text_add(out, "%s", between);
        between = ",";
        add(out, named_add_array(out, op->array, op->text));
    }
    text_add(out, "}");
}

static void plan_print_json(struct text *out, const struct plan *plan)
{
    text_add(out, "{\"contract\":%d,\"problem\":\"", SWATHE_CONTRACT);
    add_problem(out, plan, text_add_escaped);
    text_add(out, "\",");
    json_shape(out, "source", &plan->source);
    text_add(out, ",");
    json_shape(out, "result", &plan->result);
    text_add(out, ",\"exact\":%s,\"scratch_bytes\":%" PRId64 ",\"span_columns\":%" PRId64 ",",
             plan->exact ? "true" : "false", plan->scratch_bytes, plan->span_columns);
    json_number(out, "error_bound", plan->error_bound);
    text_add(out, ",");
    swathe_plan_info info = {0};
    plan_get(plan, &info);
    json_number(out, "work", info.work);
    text_add(out, ",");
    json_number(out, "predicted_ms", plan->gpu ? INFINITY : plan->predicted_ns * 1e-6);
    text_add(out, ",\"wisdom\":");
    text_add_json(out, plan->wisdom);
    text_add(out, ",\"device\":");
    text_add_json(out, plan->gpu ? plan->gpu->device->info.id : "cpu");
    text_add(out, ",\"device_note\":");
    text_add_json(out, plan->device_note ? plan->device_note : "");
    text_add(out, ",\"values\":\"%s\",\"values_note\":", plan_option_values(plan->values));
    text_add_json(out, plan->values_note);
    text_add(out, ",\"alpha_note\":");
    text_add_json(out, plan->note.alpha);
    text_add(out, ",\"nodata\":");
    text_add_json(out, plan->note.nodata_in);
    text_add(out, ",\"result_nodata\":");
    text_add_json(out, plan->note.nodata);
    text_add(out, ",\"stages\":[");
    for (int32_t i = 0; i < plan->count; i++) {
        swathe_stage_info stage = SWATHE_INIT(swathe_stage_info);
        plan_stage(plan, i, &stage);
        text_add(out, i ? "," : "");
        json_stage(out, &stage, &plan->candidates[i]);
    }
    text_add(out, "]}");
}

static void people_shape(struct text *out, const char *label, const swathe_shape *shape)
{
    char bytes[32];
    double size =
        (double)shape->width * (double)shape->height * shape->channels * sample_size(shape->type);
    text_add(out, "%-8s %" PRId64 " x %" PRId64 ", %d channel%s of %s, %s\n", label, shape->width,
             shape->height, shape->channels, shape->channels == 1 ? "" : "s",
             sample_entry(shape->type)->name,
             size < 0x1p63 ? text_bytes((int64_t)size, bytes, sizeof bytes) : "more than 8 EiB");
}

static void people_reach(struct text *out, const swathe_stage_info *s)
{
    if (s->left == s->right && s->left == s->above && s->left == s->below)
        text_add(out, "reads %d pixel%s around each", s->left, s->left == 1 ? "" : "s");
    else
        text_add(out, "reads %d left, %d right, %d above, %d below", s->left, s->right, s->above,
                 s->below);
}

/* Two digits, because predictions are not more accurate. */
static void people_ms(struct text *out, double ns)
{
    if (ns < 1e10)
        text_add(out, ns < 99.5e6 ? "%.2g ms" : "%.0f ms", ns * 1e-6);
    else if (ns < 7200e9)
        text_add(out, "%.0f s", ns * 1e-9);
    else
        text_add(out, ns < 3.6e14 ? "%.2g hours" : "%.0f hours", ns / 3.6e12);
}

static void people_time(struct text *out, const struct candidate *candidate)
{
    people_ms(out, candidate_ns(candidate));
    text_add(out, candidate->measured_ns > 0.0 ? " measured" : " predicted");
}

static void people_candidates(struct text *out, const struct candidates *candidates)
{
    const char *between = "; instead of ";
    if (candidates->count == 0)
        return; /* algorithm reference: there are no candidates */
    text_add(out, "         ");
    people_time(out, candidates_chosen(candidates));
    for (int32_t i = 0; i < candidates->count; i++)
        if (i != candidates->chosen) {
            text_add(out, "%s%s, ", between, candidates->list[i].algorithm->name);
            people_time(out, &candidates->list[i]);
            between = "; ";
        }
    text_add(out, "\n");
    if (candidates->inapplicable)
        text_add(out, "         %s does not apply to this filter\n",
                 candidates->inapplicable->name);
}

static void people_stage(struct text *out, int32_t number, const swathe_stage_info *s,
                         const struct candidates *candidates, bool floats, bool sums)
{
    char bytes[32];
    text_add(out, "stage %-2d %.60s\n", number, s->text);
    text_add(out, "         %s -> %s, border %s, ", sample_entry(s->input)->name,
             sample_entry(s->output)->name, border_entry(s->border - 1)->name);
    people_reach(out, s);
    text_add(out, "\n");
    text_add(out, "         %s on %s, %" PRId64 " tap%s", s->algorithm, s->isa, s->taps,
             s->taps == 1 ? "" : "s");
    if (candidates) {
        text_add(out, ", keeps %s of rows\n", text_bytes(s->ring_bytes, bytes, sizeof bytes));
        people_candidates(out, candidates);
    } else {
        text_add(out, "\n");
    }
    if (sums)
        text_add(out, "         its rounding is part of the bound of 'divide'\n");
    else if (s->error_bound == 0.0)
        text_add(out, "         exact\n");
    else if (isinf(s->error_bound))
        text_add(out, "         no bound on the distance from exact arithmetic\n");
    else
        text_add(out, "         within %.4g of exact arithmetic%s\n", s->error_bound,
                 floats ? " (samples within 1)" : "");
}

static bool weighs_alpha(const struct plan *plan)
{
    for (int32_t i = 0; i < plan->count; i++)
        if (op_divides_by_alpha(&plan->ops[i]))
            return true;
    return false;
}

static void plan_print_people(struct text *out, const struct plan *plan)
{
    char bytes[32];
    people_shape(out, "source", &plan->source);
    for (int32_t i = 0; i < plan->count; i++) {
        swathe_stage_info stage = SWATHE_INIT(swathe_stage_info);
        plan_stage(plan, i, &stage);
        const struct op *op = &plan->ops[i];
        bool sums = op->weights && (op->rule == STAGE_WEIGH || op->rule == STAGE_DENSE ||
                                    op->rule == STAGE_TWO_PASS);
        people_stage(out, i + 1, &stage, plan->gpu ? NULL : &plan->candidates[i],
                     sample_is_float(plan->source.type), sums);
    }
    people_shape(out, "result", &plan->result);
    if (*plan->note.alpha)
        text_add(out, "alpha    %s\n", plan->note.alpha);
    if (*plan->note.missing)
        text_add(out, "nodata   %s\n", plan->note.missing);
    if (plan->values_matter)
        text_add(out, "values   %s\n", plan->values_note);
    text_add(out, "bytes    %s\n",
             plan->exact ? "the same on every machine"
                         : "the same on this machine; on every machine in exact mode");
    if (plan->error_bound == 0.0)
        text_add(out, "error    none, the whole chain is exact\n");
    else if (isinf(plan->error_bound))
        text_add(out, "error    no bound on the distance from exact arithmetic: an alpha that was "
                      "rounded weighs, or results may over- or underflow\n");
    else
        text_add(out, "error    at most %.4g from exact arithmetic over the whole chain%s\n",
                 plan->error_bound, weighs_alpha(plan) ? ", for colours whose alpha is not 0" : "");
    if (plan->gpu)
        text_add(out, "device   %s, %s, at most %s of its memory%s\n", plan->gpu->device->info.id,
                 plan->gpu->device->info.name, text_bytes(plan->gpu->memory, bytes, sizeof bytes),
                 plan->gpu->pageable ? ", copied through pageable memory" : "");
    else
        text_add(out, "memory   %s of scratch per thread, spans of %" PRId64 " columns\n",
                 text_bytes(plan->scratch_bytes, bytes, sizeof bytes), plan->span_columns);
    if (plan->device_note)
        text_add(out, "chosen   %s\n", plan->device_note);
    if (plan->by_reference || plan->gpu)
        return;
    text_add(out, "time     about ");
    people_ms(out, plan->predicted_ns);
    text_add(out, " on one thread, according to %s\n", plan->wisdom);
}

swathe_status plan_text(const struct plan *plan, swathe_text format, char *text, size_t size,
                        size_t *needed)
{
    struct text out;
    text_init(&out, text, size);
    if (format == SWATHE_TEXT_PEOPLE)
        plan_print_people(&out, plan);
    else if (format == SWATHE_TEXT_JSON)
        plan_print_json(&out, plan);
    else if (format == SWATHE_TEXT_PROBLEM)
        add_problem(&out, plan, text_add_plain);
    else
        return fail(SWATHE_ERROR_ARGUMENT, "%d is not a text format", (int)format);
    return text_finish(&out, needed);
}

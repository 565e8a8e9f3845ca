#include "plan/candidate.h"

#include "base/bounded_text.h"
#include "base/hash.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static uint64_t hash_mask(uint64_t hash, const struct mask *mask)
{
    int32_t size[2] = {mask->width, mask->height};
    hash = hash_bytes(hash, size, sizeof size);
    return hash_doubles(hash, mask->k, (size_t)mask_taps(mask));
}

uint64_t candidate_key(const struct op *op, const struct candidate_rule *rule)
{
    char text[256];
    c_locale_format(text, sizeof text,
                    "%s %d %g %d>%d %" PRId64 "x%" PRId64
                    "x%d copied %d border %d masks %d rule %d ",
                    isa_at(rule->isa)->name, rule->exact, rule->accuracy, (int)op->in, (int)op->out,
                    op->in_width, op->in_height, op->channels, op->copied, (int)op->border.mode,
                    op->mask_count, (int)op->rule);
    uint64_t hash = hash_bytes(HASH_START, text, strlen(text));
    hash = hash_bytes(hash, op->text, strlen(op->text));
    for (int32_t i = 0; op->array && i < op->array->count; i++)
        hash = hash_mask(hash, &op->array->masks[i]);
    return hash;
}

/* Error of plain summation in floats, or that of the algorithm. */
static double candidate_states(const struct algorithm *algorithm, const struct algorithm_case *at)
{
    if (algorithm->calls->relative_error)
        return algorithm->calls->relative_error(at);
    return ((double)at->op->tap_count + 4.0) * op_unit(at->op);
}

/* The last analysis, which the next algorithm may share: that of a large mask takes time. */
struct candidate_analysis {
    swathe_status (*by)(struct arena *, const struct op *, double, const void **);
    const void *found;
};

/* Does the algorithm apply, and is it allowed in exact mode? If so, sets the analysis in `at`. */
static swathe_status candidate_fits(struct arena *arena, const struct algorithm *algorithm,
                                    const struct candidate_rule *rule, struct algorithm_case *at,
                                    struct candidate_analysis *last, bool *fit)
{
    const struct algorithm_calls *calls = algorithm->calls;
    at->analysis = NULL;
    *fit = at->op->integer || !(rule->exact || at->op->ordered) || !calls->reorders ||
           (calls->repairs && calls->repairs(at->op));
    if (*fit && calls->analyse) {
        if (calls->analyse != last->by)
            TRY(calls->analyse(arena, at->op, rule->accuracy, &last->found));
        last->by = calls->analyse;
        at->analysis = last->found;
    }
    *fit = *fit && calls->applies(at);
    return SWATHE_OK;
}

/* Fails because no algorithm applies, or none is accurate enough; the error names the best possible
 * accuracy. */
static swathe_status candidate_none(const struct op *op, const struct candidate_rule *rule,
                                    double least)
{
    if (isinf(least))
        return fail(SWATHE_ERROR_INTERNAL, "%s: no algorithm applies", op->text);
    return fail(SWATHE_ERROR_UNSUPPORTED,
                "%s: accuracy %g was requested, but its %" PRId64 " taps allow only %g", op->text,
                rule->accuracy, op->tap_count, least);
}

/* Built-in rates are those of sums in any order. If their order is given, an instruction set
 * without fused multiply-add has the kernels of a lower one. */
static int rate_isa(const struct op *op, const struct candidate_rule *rule)
{
    int isa = rule->isa;
    if (!op->integer && (rule->exact || op->ordered))
        kernel_find(rule->isa, KERNEL_float_f64_f64, &isa);
    return isa;
}

static double candidate_predict(const struct op *op, const struct candidate_rule *rule,
                                const struct algorithm *algorithm, double work)
{
    enum cost_class kind = cost_class(op);
    struct cost_rate rate;
    if (!wisdom_rate(rule->wisdom, rule->isa, algorithm, kind, &rate))
        rate = cost_built_in(rate_isa(op, rule), algorithm, kind);
    struct cost_load load = cost_load(op, work);
    return cost_ns(&load, &rate);
}

void candidate_bound(const struct op *op, struct candidate *candidate)
{
    const struct algorithm *algorithm = candidate->algorithm;
    struct algorithm_case at = {.op = op, .analysis = candidate->analysis};
    candidate->error_bound = algorithm->calls->relative_error && !op->integer
                                 ? candidate_states(algorithm, &at) * op->gain
                                 : op->error_bound;
}

static void candidate_add(const struct algorithm_case *at, const struct candidate_rule *rule,
                          const struct algorithm *algorithm, const struct wisdom_problem *measured,
                          struct candidates *candidates)
{
    const struct op *op = at->op;
    double samples = (double)op->out_width * (double)op->out_height * op->out_channels;
    struct candidate *candidate = &candidates->list[candidates->count++];
    *candidate =
        (struct candidate){.algorithm = algorithm,
                           .analysis = at->analysis,
                           .work = algorithm->calls->work(at),
                           .measured_ns = measured->ns[algorithm_index(algorithm)] * samples};
    candidate->predicted_ns = candidate_predict(op, rule, algorithm, candidate->work);
    candidate_bound(op, candidate);
}

/* Measured candidates precede others, because algorithms predicted to be slow are not measured. */
static bool candidate_faster(const struct candidate *a, const struct candidate *b)
{
    if ((a->measured_ns > 0.0) != (b->measured_ns > 0.0))
        return a->measured_ns > 0.0;
    return candidate_ns(a) < candidate_ns(b);
}

/* Adds all algorithms that apply and are accurate enough. `least` is set to the smallest error of
 * those that apply. */
static swathe_status add_all(struct arena *arena, const struct op *op,
                             const struct candidate_rule *rule, struct candidates *candidates,
                             double *least)
{
    struct wisdom_problem measured = {0};
    struct algorithm_case at = {.op = op, .isa = rule->isa};
    struct candidate_analysis last = {0};
    if (wisdom_has_problems(rule->wisdom)) /* computing the key of a large mask takes time */
        wisdom_find(rule->wisdom, candidate_key(op, rule), &measured);
    for (int i = 0; algorithm_at(i); i++) {
        const struct algorithm *algorithm = algorithm_at(i);
        bool fit;
        TRY(cancel_now());
        TRY(candidate_fits(arena, algorithm, rule, &at, &last, &fit));
        if (!fit)
            continue;
        double stated =
            op->integer || rule->accuracy == 0.0 ? 0.0 : candidate_states(algorithm, &at);
        *least = fmin(*least, stated);
        if (stated <= rule->accuracy &&
            (op->tap_count >= algorithm->calls->least_taps || algorithm == rule->forced))
            candidate_add(&at, rule, algorithm, &measured, candidates);
    }
    return SWATHE_OK;
}

static void candidate_choose(const struct candidate_rule *rule, struct candidates *candidates)
{
    candidates->inapplicable = rule->forced;
    for (int32_t i = 0; i < candidates->count; i++) {
        if (candidates->list[i].algorithm == rule->forced) {
            candidates->chosen = i;
            candidates->inapplicable = NULL;
            break;
        }
        if (candidate_faster(&candidates->list[i], candidates_chosen(candidates)))
            candidates->chosen = i;
    }
}

swathe_status candidates_find(struct arena *arena, const struct op *op,
                              const struct candidate_rule *rule, struct candidates *candidates)
{
    double least = INFINITY;
    TRY(add_all(arena, op, rule, candidates, &least));
    if (candidates->count == 0)
        return candidate_none(op, rule, least);
    candidate_choose(rule, candidates);
    return SWATHE_OK;
}

void candidates_add_three(const struct op *op, const struct candidate_rule *rule,
                          const struct candidates *three, struct candidates *candidates)
{
    struct wisdom_problem measured = {0};
    double samples = (double)op->out_width * (double)op->out_height * op->out_channels;
    if (wisdom_has_problems(rule->wisdom))
        wisdom_find(rule->wisdom, candidate_key(op, rule), &measured);
    for (int32_t i = 0; i < three[1].count; i++) {
        struct candidate *candidate = &candidates->list[candidates->count++];
        *candidate = three[1].list[i];
        candidate->predicted_ns +=
            candidate_ns(candidates_chosen(&three[0])) + candidate_ns(candidates_chosen(&three[2]));
        candidate->measured_ns = measured.ns[algorithm_index(candidate->algorithm)] * samples;
        candidate_bound(op, candidate);
    }
    candidate_choose(rule, candidates);
}

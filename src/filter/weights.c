#include "filter/weights.h"

#include "base/nearest_word.h"
#include "base/text.h"
#include "filter/rounding.h"

#include <float.h>
#include <math.h>
#include <string.h>

static swathe_status weights_unknown_word(const char *word)
{
    char hint[64];
    struct nearest nearest;
    nearest_start(&nearest, word);
    nearest_offer_list(&nearest, "nan,mask,fill,least=0.5", ',');
    return fail(SWATHE_ERROR_ARGUMENT,
                "nodata '%.60s'%s: must be a number, nan or mask, then :fill and :least=SHARE if "
                "wanted",
                word, nearest_hint(&nearest, "", hint, sizeof hint));
}

static swathe_status parse_least(const char *text, double *least)
{
    if (!text_to_double(text, least) || !(*least >= 0.0 && *least <= 1.0))
        return fail(SWATHE_ERROR_ARGUMENT, "nodata: least=%.40s must be a number from 0 to 1",
                    text);
    return SWATHE_OK;
}

static swathe_status weights_parse_word(const char *word, int index, struct weights_rule *rule)
{
    if (index == 0 && strcmp(word, "mask") == 0)
        rule->kind = WEIGHTS_MASK;
    else if (index == 0 && (strcmp(word, "nan") == 0 || strcmp(word, "NaN") == 0))
        rule->kind = WEIGHTS_NAN;
    else if (index == 0 && text_to_double(word, &rule->none))
        rule->kind = WEIGHTS_VALUE;
    else if (index > 0 && strcmp(word, "fill") == 0)
        rule->fill = true;
    else if (index > 0 && strncmp(word, "least=", 6) == 0)
        return parse_least(word + 6, &rule->least);
    else
        return weights_unknown_word(word);
    return SWATHE_OK;
}

swathe_status weights_parse(const char *text, struct weights_rule *rule)
{
    char word[64];
    *rule = (struct weights_rule){.kind = WEIGHTS_NONE};
    for (int index = 0;; index++) {
        size_t length = strcspn(text, ":");
        if (length >= sizeof word)
            return weights_unknown_word(text);
        memcpy(word, text, length);
        word[length] = '\0';
        TRY(weights_parse_word(word, index, rule));
        if (text[length] == '\0')
            return SWATHE_OK;
        text += length + 1;
    }
}

double weights_value_in(double value, swathe_type type)
{
    const struct sample_entry *entry = sample_entry(type);
    if (type == SWATHE_F32 && isfinite(value))
        return (float)ROUNDING_CLAMP(value, (double)-FLT_MAX, (double)FLT_MAX);
    if (type == SWATHE_F32 || type == SWATHE_F64)
        return value;
    return ROUNDING_CLAMP(rounding_half_up(value), entry->lowest, entry->highest);
}

struct weights_rule weights_rule_in(const struct weights_rule *rule, swathe_type type)
{
    struct weights_rule in = *rule;
    if (rule->kind == WEIGHTS_NAN && !sample_is_float(type)) {
        in.kind = WEIGHTS_VALUE;
        in.none =
            sample_entry(type)->lowest; /* 0 is a result like others if there are negative ones */
    }
    if (in.kind == WEIGHTS_VALUE)
        in.none = weights_value_in(in.none, type);
    return in;
}

double weights_of(const struct weights *weights, double sample)
{
    switch (weights->missing.rule.kind) {
    case WEIGHTS_ALPHA:
        return sample > 0.0 ? fmin(sample, weights->most) : 0.0;
    case WEIGHTS_MASK:
        return sample > 0.0 || sample < 0.0 ? 1.0 : 0.0;
    default:
        return weights_misses(&weights->missing, sample) ? 0.0 : 1.0;
    }
}

/* The value next to that of missing samples, towards 0; next to 0 the one above. */
static double weights_beside(double none, swathe_type type)
{
    double to = none == 0.0 ? 1.0 : 0.0;
    if (type == SWATHE_F32)
        return nextafterf((float)none, (float)to);
    return type == SWATHE_F64 ? nextafter(none, to) : none + (none > 0.0 ? -1.0 : 1.0);
}

double weights_present(const struct weights_missing *missing, double value)
{
    bool marked = missing->rule.kind == WEIGHTS_VALUE || missing->rule.kind == WEIGHTS_NAN;
    return marked && value == missing->none ? weights_beside(value, missing->out) : value;
}

/* Rounds to the type of the results, within a range. */
static double weights_store(const struct weights *weights, double value, double low, double high)
{
    if (!sample_is_float(weights->missing.out))
        value = rounding_half_up(value);
    else if (weights->missing.out == SWATHE_F32)
        value = (float)value;
    return ROUNDING_CLAMP(value, low, high);
}

/* Is there a result, by the weights of its mask? */
static bool is_present(const struct weights *weights, const struct weights_part *part,
                       const double *planes)
{
    const struct weights_quotient *quotient = &weights->quotient;
    double weight = planes[part->weight];
    if (part->centre >= 0 && planes[part->centre] == 0.0)
        return false;
    return quotient->centred ||
           (weight != 0.0 &&
            fabs(weight) >= weights->missing.rule.least * fabs(quotient->sums[part->mask].all));
}

/* Alpha, or 0 and the largest alpha for a mask. */
static double divide_weight(const struct weights *weights, const struct weights_part *part,
                            const double *planes)
{
    const struct weights_quotient *quotient = &weights->quotient;
    double share = quotient->sums[part->mask].all / weights->most; /* 0 if all taps are */
    double value = quotient->centred ? planes[part->centre]
                   : share == 0.0    ? 0.0
                                     : planes[part->weight] / share;
    if (weights->missing.rule.kind == WEIGHTS_MASK)
        value = is_present(weights, part, planes) ? quotient->top : 0.0;
    return weights_store(weights, value, 0.0,
                         fmin(quotient->top, sample_entry(weights->missing.out)->highest));
}

double weights_divide(const struct weights *weights, const struct weights_part *part,
                      const double *planes)
{
    const struct weights_quotient *quotient = &weights->quotient;
    struct weights_sum mask = quotient->sums[part->mask];
    const struct weights_part *alpha = &quotient->part[quotient->parts - 1];
    double sum = planes[part->sum], weight = planes[part->weight], value;
    if (part->is_weight)
        return divide_weight(weights, part, planes);
    if (!is_present(weights, part, planes) || (weights->missing.rule.kind == WEIGHTS_ALPHA &&
                                               divide_weight(weights, alpha, planes) == 0.0))
        return weights->missing.none;
    if (weight == mask.all) /* as without weights, even if a sample is infinite */
        value = sum / mask.unit;
    else if (quotient->centred)
        value = fma(mask.all - weight, planes[part->sample], sum) / mask.unit;
    else
        value = sum / weight * (mask.all / mask.unit);
    return weights_present(&weights->missing, weights_store(weights, value + quotient->bias,
                                                            quotient->low, quotient->high));
}

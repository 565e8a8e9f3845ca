/* Weights of samples: alpha, and data that may be missing. A stage with weights is three: the first
 * weighs the samples, the second filters them and their weights, the third divides the sums.
 * docs/numerics.md has the definition. */
#ifndef SWATHE_FILTER_WEIGHTS_H
#define SWATHE_FILTER_WEIGHTS_H

#include "image/sample.h"

enum weights_kind {
    WEIGHTS_NONE,
    WEIGHTS_ALPHA, /* alpha, of colours that are not multiplied by it */
    WEIGHTS_MASK,  /* a channel that is 0 where the pixel is missing */
    WEIGHTS_VALUE, /* 0 for samples of one value */
    WEIGHTS_NAN,   /* 0 for NaN */
    WEIGHTS_BORDER /* 0 outside the image */
};

/* What is missing, and what becomes of it. */
struct weights_rule {
    enum weights_kind kind;
    double none;  /* WEIGHTS_VALUE */
    bool fill;    /* results whose centre is missing are computed, too */
    double least; /* share of the taps' sum that must be present; 0: any */
};

/* Parses "-9999", "nan" or "mask", with ":fill" and ":least=SHARE". */
swathe_status weights_parse(const char *text, struct weights_rule *rule);

/* What a result is computed from: planes of the image of sums; -1: not needed. */
struct weights_part {
    int32_t sum, weight; /* Σ k·m·p and Σ k·m */
    int32_t centre;      /* the weight at the centre */
    int32_t sample;      /* the sample at the centre */
    int32_t mask;
    bool is_weight; /* the result is the weight itself: alpha */
};

/* The sums of a mask. */
struct weights_sum {
    double all;  /* Σ k·m if all weights are the largest */
    double unit; /* the largest weight times the integer that stands for a tap of 1 */
};

/* Which samples are missing, and what becomes of them. */
struct weights_missing {
    struct weights_rule rule; /* of the input */
    swathe_type out;          /* of the results */
    double none;              /* the value of missing results */
};

/* From which planes the three stages are bound. */
struct weights_planes {
    int32_t alpha;   /* its index in the input; -1: none */
    int32_t channel; /* the plane of the input that has the weights; -1: each has its own */
    int32_t copied;  /* the plane of the input that is copied; -1: none */
    int32_t colours; /* planes of the input that are filtered */
    int32_t weights; /* planes of weights */
    int32_t results; /* that are computed from the colours */
};

/* How results are computed from sums. */
struct weights_quotient {
    bool centred; /* samples that are missing count as the centre, not as the mean */
    double top;   /* the largest alpha */
    double bias, low, high;
    struct weights_sum *sums;  /* of each mask */
    struct weights_part *part; /* of each result that is not copied; the last one may be alpha */
    int32_t parts;
};

/* The weights of one stage. */
struct weights {
    struct weights_missing missing;
    double most; /* the largest weight */
    double edge; /* largest |sample| that the border puts outside the image */
    bool single; /* sums are floats; otherwise doubles */
    bool pixels; /* kernels can process pixels whose channels are interleaved */
    struct weights_planes planes;
    struct weights_quotient quotient;
};

/* The weight of a sample; for WEIGHTS_ALPHA and WEIGHTS_MASK `sample` is that of the channel. */
double weights_of(const struct weights *weights, double sample);
/* A sample times its weight. Missing samples are 0, even if they are not finite. */
static inline double weights_product(double sample, double weight)
{
    return weight == 0.0 ? 0.0 : sample * weight;
}
/* The definition of a result, from one sample of each plane of sums. */
double weights_divide(const struct weights *weights, const struct weights_part *part,
                      const double *planes);
/* Is a sample missing by its own value? */
static inline bool weights_misses(const struct weights_missing *missing, double sample)
{
    return missing && (missing->rule.kind == WEIGHTS_NAN
                           ? sample != sample
                           : missing->rule.kind == WEIGHTS_VALUE && sample == missing->rule.none);
}
/* A result that is present: never the value of missing ones. */
double weights_present(const struct weights_missing *missing, double value);

/* A value as the nearest one of a type; NaN is 0 in integers. */
double weights_value_in(double value, swathe_type type);

/* The rule for the results of a stage, in their type. */
struct weights_rule weights_rule_in(const struct weights_rule *rule, swathe_type type);

#endif

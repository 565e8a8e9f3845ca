/* A stage of a chain, as the user specified it and independent of an image, and the helpers from
 * which the makers of filter.def build it. */
#ifndef SWATHE_FILTER_STAGE_MAKER_H
#define SWATHE_FILTER_STAGE_MAKER_H

#include "filter/grammar.h"
#include "filter/mask.h"
#include "filter/point.h"
#include "image/border.h"

enum stage_rule {
    STAGE_DENSE,    /* Σ k·p over the mask */
    STAGE_TWO_PASS, /* sums of vertical passes, then horizontal passes: gaussian, unsharp */
    STAGE_MEAN,     /* exact mean of integers: box */
    STAGE_MIX,      /* Σ k·p over the channels of a pixel */
    STAGE_JOIN,     /* one number from the results of several masks */
    STAGE_POINT,    /* a function of one sample: point.def */
    STAGE_WEIGH,    /* samples times their weights, and the weights */
    STAGE_DIVIDE,   /* the quotient of sums of both */
    STAGE_WEIGHTED  /* all of that at once, with two passes: in plans only */
};

/* What becomes of the results of several masks that are applied to the same channel. */
enum stage_join {
    STAGE_JOIN_NONE, /* there is one mask for each channel */
    STAGE_JOIN_STACK,
#define JOIN(id, name, summary) STAGE_JOIN_##id,
#include "filter/joins.def"
#undef JOIN
    STAGE_JOIN_COUNT
};

/* The join with a name, "stack" included; STAGE_JOIN_NONE if there is none. */
enum stage_join stage_join_named(const char *name);
const char *stage_join_name(enum stage_join join);

/* Masks as a caller gave them in memory. */
struct stage_array {
    int32_t count;
    struct mask *masks;
};
swathe_status stage_copy_array(struct arena *arena, const struct stage_array *from,
                               struct stage_array *to);

/* A product of a column and a row, each with all taps of the mask in its direction. */
struct stage_term {
    double *down, *across;
};

struct stage {
    char *text; /* of the stage in a chain; file names are replaced by their contents */
    /* NULL, or masks that the text omits after "mask". Printing a million taps takes a second, and
     * few callers need them. */
    const struct stage_array *array;
    enum stage_rule rule;
    int32_t mask_count; /* 1, or one per channel; with `join` any number */
    enum stage_join join;
    int32_t joined; /* STAGE_JOIN: number of masks */
    struct mask *masks;
    int32_t term_count; /* STAGE_TWO_PASS: the mask is the sum of these */
    struct stage_term *terms;
    bool weighted;          /* its samples and weights are filtered alike, see weights.h */
    enum stage_rule weighs; /* the rule of the masks: STAGE_WEIGH, STAGE_DIVIDE, or weighted */
    bool by_alpha;          /* alpha has the weights */
    enum point_id point;    /* STAGE_POINT */
    bool fits;              /* POINT_range: from `fit`; otherwise from the range of the input */
    struct point_range fit;
    int32_t curve_count; /* POINT_decode, POINT_encode: one, or one per colour */
    const struct curve_table *curves[CURVE_COUNT_MAX];

    bool has_border, has_clamp;
    struct border border;
    swathe_type type; /* SWATHE_TYPE_DEFAULT: the type of its input */
    double clamp_low, clamp_high;
    double bias;
    int32_t dilate_x, dilate_y;
};

/* The arguments of a maker of filter.def. */
struct stage_maker {
    struct arena *arena;
    struct stage *stage;
    const struct filter_entry *filter;
    const struct words *words;
};

struct filter_entry {
    const char *name;
    swathe_status (*make)(struct stage_maker *maker);
    const char *syntax, *keys, *words, *summary, *detail, *example;
};

struct stage_option_entry {
    const char *name, *syntax, *summary;
};
/* NULL past the end. */
const struct stage_option_entry *stage_option_entry(int index);
/* Is `name` an option that takes a value (key=value), or one without? */
bool maker_is_option(const char *name, bool with_value);

/* Gives a point stage the mask of one tap that its size and reach are computed from. */
swathe_status stage_point_mask(struct arena *arena, struct stage *stage);

/* Checks that the masks of one stage together have no more taps than one mask may have. */
swathe_status stage_check_taps(const struct mask *masks, int32_t count);

/* Sets how results are joined from join=, or to the usual way. */
swathe_status maker_join(struct stage_maker *maker, enum stage_join usual);
/* Allocates the masks of a stage, of one size. */
swathe_status maker_masks(struct stage_maker *maker, int32_t count, int64_t width, int64_t height);
/* Makes the stage a sum of `count` products, with taps of 0. Its mask has its size. */
swathe_status maker_terms(struct stage_maker *maker, int32_t count);
/* Refuses more than `allowed` arguments without a key. */
swathe_status maker_no_values(const struct stage_maker *maker, int allowed);

/* The n-th argument without a key that is neither an option nor a word; NULL if there is none. */
const char *maker_value(const struct stage_maker *maker, int n);
const char *maker_key(const struct stage_maker *maker, const char *key);
bool maker_word(const struct stage_maker *maker, const char *word);
/* Reports an argument without a key that could not be parsed: suggests a similar word or option. If
 * there is none, keeps the error `status`. */
swathe_status maker_fail_value(const struct stage_maker *maker, const char *value,
                               swathe_status status);
/* Parses the number of a key, which must be within low..high; `usual` if the key is absent. */
swathe_status maker_number(const struct stage_maker *maker, const char *key, double usual,
                           double low, double high, double *value);

#endif

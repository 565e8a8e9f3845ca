/* A stage of a chain: what the user asked for, before it meets an image; and what the makers of
 * filter.def fill it from. */
#ifndef SWATHE_FILTER_STAGE_MAKER_H
#define SWATHE_FILTER_STAGE_MAKER_H

#include "filter/grammar.h"
#include "filter/mask.h"
#include "image/border.h"

enum stage_rule {
    STAGE_DENSE,    /* Σ k·p over the mask */
    STAGE_TWO_PASS, /* down, then across: gaussian */
    STAGE_MEAN      /* exact mean of integers: box */
};

struct stage {
    char *text; /* in the grammar, self-contained: files are spelled out */
    enum stage_rule rule;
    int32_t mask_count; /* 1, or one per channel */
    struct mask *masks;
    double *down, *across; /* STAGE_TWO_PASS: masks[0].height and .width taps */

    bool has_border, has_clamp;
    struct border border;
    swathe_type type; /* SWATHE_TYPE_DEFAULT: as its input */
    double clamp_low, clamp_high;
    double bias;
    int32_t dilate_x, dilate_y;
};

/* What a maker of filter.def works on. */
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
/* Is it an option, of the form key=value or of the form word? */
bool maker_is_option(const char *name, bool with_value);
/* Is `word` one of the space-separated `list`? */
bool maker_listed(const char *list, const char *word);

/* The masks of one stage together are within the limit of one mask. */
swathe_status stage_check_taps(const struct mask *masks, int32_t count);

/* The n-th bare argument that is not an option or word, else NULL. */
const char *maker_value(const struct stage_maker *maker, int n);
const char *maker_key(const struct stage_maker *maker, const char *key);
bool maker_word(const struct stage_maker *maker, const char *word);
/* For a bare argument that could not be read: suggests a word or an option if one is similar, else
 * keeps the error `status`. */
swathe_status maker_misread(const struct stage_maker *maker, const char *value,
                            swathe_status status);
/* A number by key within low..high, or `usual` when absent. */
swathe_status maker_number(const struct stage_maker *maker, const char *key, double usual,
                           double low, double high, double *value);

#endif

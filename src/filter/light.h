/* Filtering in linear light: a stage before the chain converts samples to light, and one after it
 * converts the result back. Between them samples are f32, with 0 for black and 1 for white. */
#ifndef SWATHE_FILTER_LIGHT_H
#define SWATHE_FILTER_LIGHT_H

#include "filter/op.h"

struct light {
    bool linear;
    int32_t curve_count;  /* one, or one per colour; 0: sRGB's curve */
    struct curve *curves; /* in the arena */
    swathe_type encoded;  /* of the result; SWATHE_TYPE_DEFAULT: it stays linear light */
};

/* Whether chains filter linear light, and by which curves, of which it keeps a copy. */
swathe_status light_choose(struct arena *arena, const swathe_plan_options *options,
                           struct light *light);
/* Refuses images without curves, and chains whose numbers or types are not those of light. */
swathe_status light_check(const swathe_shape *source, const struct chain *chain,
                          const struct border *border, swathe_type intermediate);
/* The type of the result: the plan's, or a float type of the last stage, or the source's. */
swathe_type light_result(const struct chain *chain, const swathe_shape *source, swathe_type type);
/* The chain with the stages that convert samples, which is stored in the arena. The stages are
 * shared. Sets the types of the chain's own stages. */
swathe_status light_wrap(struct arena *arena, const struct light *light, const swathe_shape *source,
                         const struct chain *chain, swathe_type result, struct op_options *options,
                         struct chain **wrapped);

#endif

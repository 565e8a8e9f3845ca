/* Problem strings: one line that specifies chain, image and options, so that tests, benchmarks, bug
 * reports and batch tasks refer to the same problem. Values with spaces are in braces:
 *     contract=3 shape=70x50x3:u8 alpha=0 border=reflect chain={sharpen,gaussian:5} */
#ifndef SWATHE_FILTER_PROBLEM_H
#define SWATHE_FILTER_PROBLEM_H

#include "filter/chain.h"

struct problem {
    struct arena arena;
    struct chain *chain;
    swathe_shape source;
    swathe_plan_options options; /* its strings are stored in the arena */
    swathe_curves curves;
};

/* Prints the problem string without " chain={…}" at its end. */
swathe_status problem_print(struct arena *arena, const swathe_shape *source,
                            const swathe_plan_options *options, int32_t contract, char **text);
swathe_status problem_parse(const struct memory *memory, const char *text, int32_t contract,
                            struct problem *problem);
void problem_free(struct problem *problem);

#endif

/* Compares results with the definition before they are timed. */
#ifndef SWATHE_BENCH_VERIFY_H
#define SWATHE_BENCH_VERIFY_H

#include "buffer.h"
#include "result.h"

/* What the results of one chain on one source must be: everywhere, or in places, and there where
 * one contender has been. */
struct expected {
    struct buffer image; /* the definition's result, where `places` are */
    swathe_rect *places; /* NULL: everywhere */
    int64_t place_count;
    struct buffer witness; /* the whole result of the first contender that was right */
    double witness_tolerance;
    char how[RESULT_NAME]; /* "every sample" */
};

/* Runs the definition on `filter`: all of it, or above 16 megapixels, and where that takes more
 * than `work` multiply-adds, the borders and 10,000 windows, or as many as that is enough for. */
swathe_status expected_make(swathe_context *context, const struct problem *problem,
                            const char *filter, const swathe_image *source, double work,
                            uint64_t seed, struct expected *expected);
void expected_free(struct expected *expected);

/* Is `result` right to within `tolerance`? Else `why` says where not. One that is, is kept where
 * the definition ran in places only, and those after it are compared with all of it. */
bool expected_match(struct expected *expected, const struct buffer *result, double tolerance,
                    char why[RESULT_WHY]);

#endif

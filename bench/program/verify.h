/* Compares results with the definition before they are timed. */
#ifndef SWATHE_BENCH_VERIFY_H
#define SWATHE_BENCH_VERIFY_H

#include "result.h"
#include "workload.h"

/* The expected result of one chain on one source: all samples, or those in some places. In the
 * second case, the rest is compared with the result of the first contender that was right there. */
struct expected {
    struct buffer image; /* the definition's result, valid within `places` */
    swathe_rect *places; /* NULL: everywhere */
    int64_t place_count;
    struct buffer witness; /* the whole result of the first contender that was right */
    double witness_tolerance;
    bool keeps;            /* there is memory for a witness; set before expected_make */
    char how[RESULT_NAME]; /* "every sample" */
};

/* Runs the definition of `filter` in this arithmetic on the whole image. Above 16 megapixels, or if
 * that takes more than `work` multiply-adds, runs it on the borders and up to 10,000 windows, as
 * `work` allows. */
swathe_status expected_make(swathe_context *context, const struct problem *problem,
                            const char *filter, const char *arithmetic, const swathe_image *source,
                            double work, uint64_t seed, struct expected *expected);
void expected_free(struct expected *expected);

/* True if `result` is right within `tolerance`; otherwise `why` describes the first difference.
 * If the definition ran only in some places, the first right result is kept, and later ones are
 * compared with all of it. */
bool expected_match(struct expected *expected, const struct buffer *result, double tolerance,
                    char why[RESULT_WHY]);

#endif

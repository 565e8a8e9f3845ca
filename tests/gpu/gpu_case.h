/* One stage on one image: what a device gets, and what it must make of it. */
#ifndef TESTS_GPU_CASE_H
#define TESTS_GPU_CASE_H

#include "filter/op.h"
#include "gpu/device_stage.h"

/* What is asked. */
struct gpu_wish {
    const char *chain; /* one stage */
    int64_t width, height;
    int32_t channels, alpha; /* alpha: 1 + its index, or 0 */
    swathe_type type;
    const char *border;
    const char *strategy; /* NULL: best */
    int32_t block;
    bool planar;
    swathe_rect rect; /* of the result; empty: all of it */
    uint64_t seed;
};

struct gpu_case {
    struct arena arena;
    struct chain *chain;
    const struct op *op;
    struct gpu_stage stage;
    swathe_rect rect;
    void *expected; /* the reference's planes, dense */
    void *in, *out; /* device layout, of exactly these bytes */
    int64_t in_bytes, out_bytes;
    int32_t *rows, *columns;
    int64_t row_count, column_count;
    struct gpu_job job;
};

/* Ends the test where the wish makes no sense; false where the stage refuses (fail_text says why).
 */
bool gpu_case_make(const struct gpu_wish *wish, const struct gpu_limits *limits,
                   struct gpu_case *made);
void gpu_case_free(struct gpu_case *made);

/* Is `out` what the reference makes? Else prints a line "FAILED ..." with the wish. */
bool gpu_case_check(const struct gpu_wish *wish, const struct gpu_case *made);

#endif

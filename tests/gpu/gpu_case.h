/* One stage on one image: the data for a device, and the expected result. */
#ifndef TESTS_GPU_CASE_H
#define TESTS_GPU_CASE_H

#include "filter/op.h"
#include "gpu/stages/device_stage.h"

/* The requested case. */
struct gpu_wish {
    const char *chain; /* one stage; if it becomes several of a plan, the last one is the case … */
    int32_t back;      /* … or one that is this number of stages before */
    int64_t width, height;
    int32_t channels, alpha; /* alpha: 1 + its index, or 0 */
    swathe_type type;
    swathe_type to; /* of `values`, a stage that is appended; 0: none */
    const char *values;
    const char *nodata;
    bool premultiply; /* alpha is a weight; otherwise it is kept */
    const char *border;
    const char *strategy; /* NULL: best */
    int32_t block;
    bool planar, runtime;
    enum op_arithmetic arithmetic;
    swathe_rect rect; /* of the result; empty: the whole result */
    uint64_t seed;
};

struct gpu_case {
    struct arena arena;
    struct chain *chain;
    const struct op *op;
    struct gpu_stage stage;
    swathe_rect rect;
    void *expected; /* planes of the reference, without padding */
    void *in, *out; /* device layout, allocated with exactly this many bytes */
    int64_t in_bytes, out_bytes;
    int32_t *rows, *columns;
    int64_t row_count, column_count;
    struct gpu_task task;
};

/* Ends the test if the request is invalid; false if the stage refuses it (fail_text has the
   reason).
    */
bool gpu_case_make(const struct gpu_wish *wish, const struct gpu_limits *limits,
                   struct gpu_case *made);
void gpu_case_free(struct gpu_case *made);

/* True if `out` equals the reference's result. Otherwise prints a line "FAILED ..." with the
 * request. */
bool gpu_case_check(const struct gpu_wish *wish, const struct gpu_case *made);

#endif

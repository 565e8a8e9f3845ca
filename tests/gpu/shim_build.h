/* A stage's program for the CPU, built by the C++ compiler and loaded; reused for equal stages. */
#ifndef TESTS_SHIM_BUILD_H
#define TESTS_SHIM_BUILD_H

#include "gpu_case.h"

typedef int shim_launch_fn(const int *grid, const int *group, void *const *buffers,
                           const struct gpu_task *task, long local);

struct shim_program {
    void *library;
    shim_launch_fn *launch;
    void *mask; /* constant memory, or NULL */
};

/* The directory for all files; `flags` are passed to the compiler, `source` is the kernels' text.
 * False if there is no compiler. */
bool shim_build_begin(const char *include_dir, const char *flags, const char *source);
void shim_build_end(void);
/* Ends the test if compilation fails. */
struct shim_program *shim_build(const struct gpu_stage *stage);
int shim_build_count(void);

/* Launches `rows` rows of a case at a time. */
void shim_run(const struct gpu_case *made, int32_t rows);

#endif

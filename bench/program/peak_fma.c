#include "peak.h"
#include "team.h"

#include <stddef.h>

enum { FEWEST_STEPS = 1 << 12, CHAINS_12 = 12, CHAINS_16 = 16 };

typedef float four __attribute__((vector_size(16)));

/* For CPUs without a known vector extension: a multiplication and an addition. */
#define RUN run_plain
#define TARGET
#define VECTOR             four
#define CHAINS             CHAINS_12
#define MULTIPLY_ADD(a, b) (a) * (b) + (b)
#if defined(__x86_64__)
#define REGISTER "x"
#elif defined(__aarch64__)
#define REGISTER "w"
#else
#define REGISTER "m"
#endif
#include "peak_fma_body.h"

#if defined(__x86_64__)
#include <immintrin.h>

typedef float eight __attribute__((vector_size(32)));
typedef float sixteen __attribute__((vector_size(64)));

#define RUN                run_avx2
#define TARGET             __attribute__((target("avx2,fma")))
#define VECTOR             eight
#define CHAINS             CHAINS_12
#define MULTIPLY_ADD(a, b) (eight) _mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(b))
#define REGISTER           "x"
#include "peak_fma_body.h"

#define RUN                run_avx512
#define TARGET             __attribute__((target("avx512f")))
#define VECTOR             sixteen
#define CHAINS             CHAINS_16
#define MULTIPLY_ADD(a, b) (sixteen) _mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(b))
#define REGISTER           "v"
#include "peak_fma_body.h"
#endif

#if defined(__aarch64__)
#include <arm_neon.h>

#define RUN run_neon
#define TARGET
#define VECTOR             four
#define CHAINS             CHAINS_16
#define MULTIPLY_ADD(a, b) (four) vfmaq_f32((float32x4_t)(b), (float32x4_t)(a), (float32x4_t)(b))
#define REGISTER           "w"
#include "peak_fma_body.h"
#endif

struct variant {
    float (*run)(int64_t steps);
    int flops; /* of a step */
};

static struct variant best_variant(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return (struct variant){run_avx512, 2 * 16 * CHAINS_16};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (struct variant){run_avx2, 2 * 8 * CHAINS_12};
#elif defined(__aarch64__)
    return (struct variant){run_neon, 2 * 4 * CHAINS_16};
#endif
    return (struct variant){run_plain, 2 * 4 * CHAINS_12};
}

struct job {
    struct variant variant;
    int64_t steps;
};

static void run_job(void *user, int32_t index)
{
    const struct job *job = user;
    volatile float sink = job->variant.run(job->steps);
    (void)index;
    (void)sink;
}

/* The number of steps is doubled until a run takes much longer than the resolution of the clock. */
double peak_fma(int32_t threads, double seconds)
{
    struct job job = {best_variant(), FEWEST_STEPS};
    double time;
    while ((time = team_run(threads, run_job, &job)) < 0.004) {
        if (time <= 0)
            return 0;
        job.steps *= 2;
    }
    time = team_best(threads, run_job, run_job, &job, seconds);
    return time > 0 ? 1e-9 * job.variant.flops * (double)job.steps * threads / time : 0;
}

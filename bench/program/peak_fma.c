#include "peak.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

/* ---- Threads --------------------------------------------------------------------------------- */

enum { WAIT, GO, GIVE_UP };
enum { LEAST_ROUNDS = 6 };

struct team {
    team_work *work;
    void *user;
    atomic_int ready, signal;
};

struct member {
    struct team *team;
    pthread_t thread;
    int32_t index;
    double start, end;
};

static double peak_fma_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *member_run(void *user)
{
    struct member *member = user;
    struct team *team = member->team;
    atomic_fetch_add(&team->ready, 1);
    while (atomic_load(&team->signal) == WAIT)
        sched_yield();
    if (atomic_load(&team->signal) == GIVE_UP)
        return NULL;
    member->start = peak_fma_now();
    team->work(team->user, member->index);
    member->end = peak_fma_now();
    return NULL;
}

/* All threads wait for the signal, so that none has finished before the last one starts. */
static int32_t start_all(struct team *team, struct member *members, int32_t threads)
{
    int32_t started = 0;
    while (started < threads) {
        members[started] = (struct member){.team = team, .index = started};
        if (pthread_create(&members[started].thread, NULL, member_run, &members[started]) != 0)
            break;
        started++;
    }
    while (atomic_load(&team->ready) < started)
        sched_yield();
    return started;
}

double team_run(int32_t threads, team_work *work, void *user)
{
    struct team team = {.work = work, .user = user};
    struct member *members = NULL;
    if (threads < 1 || threads > TEAM_MOST || !(members = calloc((size_t)threads, sizeof *members)))
        return 0;
    int32_t started = start_all(&team, members, threads);
    atomic_store(&team.signal, started == threads ? GO : GIVE_UP);
    for (int32_t i = 0; i < started; i++)
        pthread_join(members[i].thread, NULL);
    double start = members[0].start, end = members[0].end;
    for (int32_t i = 1; i < started; i++) {
        start = members[i].start < start ? members[i].start : start;
        end = members[i].end > end ? members[i].end : end;
    }
    free(members);
    return started < threads ? 0 : end > start ? end - start : 1e-9;
}

double team_best(int32_t threads, team_work *even, team_work *odd, void *user, double seconds)
{
    double best = 0, spent = 0;
    for (int round = 0; round < LEAST_ROUNDS || spent < seconds; round++) {
        double time = team_run(threads, round % 2 ? odd : even, user);
        if (time <= 0)
            return 0;
        best = round == 0 || time < best ? time : best;
        spent += time;
    }
    return best;
}

/* ---- Multiply-adds --------------------------------------------------------------------------- */

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

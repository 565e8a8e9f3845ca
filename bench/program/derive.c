#include "derive.h"

#include "baseline.h"

#include <string.h>

static double median_of(const struct result *result, enum scope scope)
{
    return result->scopes[scope].count > 0 ? result->scopes[scope].statistics.median : 0;
}

static bool is_one(const struct result *result, const char *device, const char *strategy)
{
    return result->status == RESULT_OK && strcmp(result->contender.device, device) == 0 &&
           strcmp(result->contender.strategy, strategy) == 0;
}

const char *derive_loop(const struct bench_run *run, int experiment)
{
    const char *found = NULL;
    for (int64_t i = 0; i < run->agenda.count; i++) {
        const struct result *result = &run->agenda.results[i];
        const struct baseline_way *way = baseline_way(result->contender.strategy);
        if (result->experiment == experiment && result->status == RESULT_OK && way &&
            !way->parallel && (!found || strcmp(way->name, "sequential") == 0))
            found = way->name;
    }
    return found;
}

const struct result *derive_beside(const struct bench_run *run, const struct result *result,
                                   const char *strategy)
{
    for (int64_t i = 0; strategy && i < run->agenda.count; i++) {
        const struct result *other = &run->agenda.results[i];
        if (other->group == result->group && other->contender.threads == 1 &&
            is_one(other, "cpu", strategy))
            return other;
    }
    return NULL;
}

/* The speed-up over another result. */
static double over(const struct result *other, double ms)
{
    return other ? median_of(other, SCOPE_KERNEL) / ms : 0;
}

static void derive_shares(const struct bench_run *run, const struct result *result,
                          struct derived *derived)
{
    for (int i = 0; i < run->peak_count; i++) {
        const struct peak *peak = &run->peaks[i];
        if (peak->threads != result->contender.threads)
            continue;
        derived->copy_share = peak->copy_gbs > 0 ? derived->gbs / peak->copy_gbs : 0;
        if (result->problem.type == SWATHE_F32 && !result->effective && peak->fma_gflops > 0)
            derived->fma_share = derived->gflops / peak->fma_gflops;
    }
}

void derive(const struct bench_run *run, const struct result *result, struct derived *derived)
{
    double ms = median_of(result, SCOPE_KERNEL);
    *derived = (struct derived){0};
    if (result->status != RESULT_OK || ms <= 0)
        return;
    derived->gbs = result->bytes / ms * 1e-6;
    derived->gflops = result->flop / ms * 1e-6;
    derived->over_sequential =
        over(derive_beside(run, result, derive_loop(run, result->experiment)), ms);
    derived->over_single = over(derive_beside(run, result, "best"), ms);
    if (contender_on_cpu(&result->contender))
        derive_shares(run, result, derived);
}

static bool is_about(const struct published *published, const struct problem *problem)
{
    return strcmp(published->filter, problem->filter) == 0 && published->width == problem->width &&
           published->height == problem->height;
}

/* True if it is a result of `best` on the CPU for the problem of a published time. */
static bool answers(const struct bench_run *run, const struct result *result,
                    const struct published *published)
{
    char id[64];
    experiment_id(&run->agenda.experiments[result->experiment], id);
    return strcmp(published->experiment, id) == 0 && contender_on_cpu(&result->contender) &&
           contender_is_best(&result->contender) && is_about(published, &result->problem);
}

const struct result *derive_ours(const struct bench_run *run, const struct published *published)
{
    const struct result *found = NULL;
    enum scope scope = derive_scope(published);
    for (int64_t i = 0; i < run->agenda.count; i++) {
        const struct result *result = &run->agenda.results[i];
        if (result->status == RESULT_OK && result->scopes[scope].count > 0 &&
            answers(run, result, published) &&
            (!found || median_of(result, scope) < median_of(found, scope)))
            found = result;
    }
    return found;
}

enum scope derive_scope(const struct published *published)
{
    return strcmp(published->scope, "call") == 0 ? SCOPE_CALL : SCOPE_KERNEL;
}

bool derive_doubtful(const struct published *published)
{
    double samples = (double)published->width * (double)published->height * PUBLISHED_CHANNELS;
    return strncmp(published->experiment, "report-001/", 11) == 0 &&
           (published->k * published->k > 4096 || samples > 0x1p31);
}

bool derive_has(const struct bench_run *run, const char *experiment)
{
    char id[64];
    if (run->overridden)
        return false;
    for (int i = 0; i < run->agenda.experiment_count; i++)
        if (strcmp(experiment, experiment_id(&run->agenda.experiments[i], id)) == 0)
            return true;
    return false;
}

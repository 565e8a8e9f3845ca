#include "estimate.h"

#include <math.h>
#include <string.h>

static bool is_like(const struct result *a, const struct result *b)
{
    return strcmp(a->contender.device, b->contender.device) == 0 &&
           strcmp(a->contender.strategy, b->contender.strategy) == 0 &&
           a->contender.threads == b->contender.threads;
}

/* Seconds per multiply-add if nothing is known. */
static double guess(const struct contender *contender)
{
    bool cpu = contender_on_cpu(contender);
    bool best = contender_is_best(contender);
    return best && cpu ? 2e-10 : cpu ? 1.5e-9 : 1e-9;
}

/* A quantity proportional to the time. For `best` it is bounded for large masks. */
static double size_of(const struct result *result)
{
    double work = problem_work(&result->problem);
    double samples =
        (double)result->problem.width * (double)result->problem.height * result->problem.channels;
    bool best = contender_is_best(&result->contender);
    return best && contender_on_cpu(&result->contender) ? fmin(work, 250 * samples) : work;
}

double estimate_seconds(const struct agenda *agenda, const struct result *result)
{
    for (const struct result *old = result - 1; old >= agenda->results; old--)
        if (old->status == RESULT_OK && old->seconds > 0 && is_like(old, result))
            return old->seconds * size_of(result) / size_of(old);
    return size_of(result) * guess(&result->contender);
}

/* Programs do not depend on the image's size. */
static bool same_program(const struct result *a, const struct result *b)
{
    return a->problem.type == b->problem.type && a->problem.layout == b->problem.layout &&
           strcmp(a->problem.filter, b->problem.filter) == 0 && is_like(a, b) &&
           a->contender.block == b->contender.block;
}

bool estimate_compiles(const struct agenda *agenda, const struct result *result)
{
    if (contender_on_cpu(&result->contender))
        return false;
    for (const struct result *old = agenda->results; old < result; old++)
        if (old->status == RESULT_OK && same_program(old, result))
            return false;
    return true;
}

bool estimate_is_first(const struct agenda *agenda, const struct result *result)
{
    for (const struct result *old = agenda->results; old < agenda->results + agenda->count; old++)
        if (old->experiment == result->experiment && old->started &&
            old->status != RESULT_LEFT_OUT && is_like(old, result) &&
            old->contender.block == result->contender.block)
            return false;
    return true;
}

#include "estimate.h"

#include <math.h>
#include <string.h>

static bool is_like(const struct row *a, const struct row *b)
{
    return strcmp(a->contender.device, b->contender.device) == 0 &&
           strcmp(a->contender.strategy, b->contender.strategy) == 0 &&
           a->contender.threads == b->contender.threads;
}

/* Seconds a multiply-add, where nothing is known. */
static double guess(const struct contender *contender)
{
    bool cpu = contender_on_cpu(contender);
    bool best = contender_is_best(contender);
    return best && cpu ? 2e-10 : cpu ? 1.5e-9 : 1e-9;
}

/* What grows with the time. Swathe's best does not go on with the taps of large masks. */
static double size_of(const struct row *row)
{
    double work = problem_work(&row->problem);
    double samples =
        (double)row->problem.width * (double)row->problem.height * row->problem.channels;
    bool best = contender_is_best(&row->contender);
    return best && contender_on_cpu(&row->contender) ? fmin(work, 250 * samples) : work;
}

double estimate_seconds(const struct agenda *agenda, const struct row *row)
{
    for (const struct row *old = row - 1; old >= agenda->rows; old--)
        if (old->status == ROW_OK && old->seconds > 0 && is_like(old, row))
            return old->seconds * size_of(row) / size_of(old);
    return size_of(row) * guess(&row->contender);
}

/* Programs do not depend on the image's size. */
static bool same_program(const struct row *a, const struct row *b)
{
    return a->problem.type == b->problem.type && a->problem.layout == b->problem.layout &&
           strcmp(a->problem.filter, b->problem.filter) == 0 && is_like(a, b) &&
           a->contender.block == b->contender.block;
}

bool estimate_compiles(const struct agenda *agenda, const struct row *row)
{
    if (contender_on_cpu(&row->contender))
        return false;
    for (const struct row *old = agenda->rows; old < row; old++)
        if (old->status == ROW_OK && same_program(old, row))
            return false;
    return true;
}

bool estimate_is_first(const struct agenda *agenda, const struct row *row)
{
    for (const struct row *old = agenda->rows; old < agenda->rows + agenda->count; old++)
        if (old->experiment == row->experiment && old->started && old->status != ROW_LEFT_OUT &&
            is_like(old, row) && old->contender.block == row->contender.block)
            return false;
    return true;
}

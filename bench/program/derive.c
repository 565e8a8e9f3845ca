#include "derive.h"

#include "baseline.h"

#include <string.h>

static double median_of(const struct row *row, enum scope scope)
{
    return row->scopes[scope].count > 0 ? row->scopes[scope].statistics.median : 0;
}

static bool is_one(const struct row *row, const char *device, const char *strategy)
{
    return row->status == ROW_OK && strcmp(row->contender.device, device) == 0 &&
           strcmp(row->contender.strategy, strategy) == 0;
}

const char *derive_loop(const struct lab *lab, int experiment)
{
    const char *found = NULL;
    for (int64_t i = 0; i < lab->agenda.count; i++) {
        const struct row *row = &lab->agenda.rows[i];
        const struct baseline_way *way = baseline_way(row->contender.strategy);
        if (row->experiment == experiment && row->status == ROW_OK && way && !way->parallel &&
            (!found || strcmp(way->name, "sequential") == 0))
            found = way->name;
    }
    return found;
}

/* The time of one thread of this strategy on the same problem. */
static double beside(const struct lab *lab, const struct row *row, const char *strategy)
{
    for (int64_t i = 0; strategy && i < lab->agenda.count; i++) {
        const struct row *other = &lab->agenda.rows[i];
        if (other->group == row->group && other->contender.threads == 1 &&
            is_one(other, "cpu", strategy))
            return median_of(other, SCOPE_KERNEL);
    }
    return 0;
}

static void derive_shares(const struct lab *lab, const struct row *row, struct derived *derived)
{
    for (int i = 0; i < lab->peak_count; i++) {
        const struct peak *peak = &lab->peaks[i];
        if (peak->threads != row->contender.threads)
            continue;
        derived->copy_share = peak->copy_gbs > 0 ? derived->gbs / peak->copy_gbs : 0;
        if (row->problem.type == SWATHE_F32 && !row->effective && peak->fma_gflops > 0)
            derived->fma_share = derived->gflops / peak->fma_gflops;
    }
}

void derive(const struct lab *lab, const struct row *row, struct derived *derived)
{
    double ms = median_of(row, SCOPE_KERNEL);
    *derived = (struct derived){0};
    if (row->status != ROW_OK || ms <= 0)
        return;
    derived->gbs = row->bytes / ms * 1e-6;
    derived->gflops = row->flop / ms * 1e-6;
    derived->over_sequential = beside(lab, row, derive_loop(lab, row->experiment)) / ms;
    derived->over_single = beside(lab, row, "best") / ms;
    if (contender_on_cpu(&row->contender))
        derive_shares(lab, row, derived);
}

static bool is_about(const struct published *published, const struct problem *problem)
{
    return strcmp(published->filter, problem->filter) == 0 && published->width == problem->width &&
           published->height == problem->height;
}

/* A row of Swathe's best on the CPU, on what a published figure is about? */
static bool answers(const struct lab *lab, const struct row *row, const struct published *published)
{
    char id[64];
    experiment_id(&lab->agenda.experiments[row->experiment], id);
    return strcmp(published->experiment, id) == 0 && contender_on_cpu(&row->contender) &&
           contender_is_best(&row->contender) && is_about(published, &row->problem);
}

const struct row *derive_ours(const struct lab *lab, const struct published *published)
{
    const struct row *found = NULL;
    enum scope scope = derive_scope(published);
    for (int64_t i = 0; i < lab->agenda.count; i++) {
        const struct row *row = &lab->agenda.rows[i];
        if (row->status == ROW_OK && row->scopes[scope].count > 0 && answers(lab, row, published) &&
            (!found || median_of(row, scope) < median_of(found, scope)))
            found = row;
    }
    return found;
}

const struct row *derive_missing(const struct lab *lab, const struct published *published)
{
    for (int64_t i = 0; i < lab->agenda.count; i++)
        if (lab->agenda.rows[i].status != ROW_OK && answers(lab, &lab->agenda.rows[i], published))
            return &lab->agenda.rows[i];
    return NULL;
}

enum scope derive_scope(const struct published *published)
{
    return strcmp(published->scope, "call") == 0 ? SCOPE_CALL : SCOPE_KERNEL;
}

bool derive_doubtful(const struct published *published)
{
    double samples = (double)published->width * (double)published->height * published->channels;
    return strncmp(published->experiment, "report-001/", 11) == 0 &&
           (published->k * published->k > 4096 || samples > 0x1p31);
}

bool derive_has(const struct lab *lab, const char *experiment)
{
    char id[64];
    if (lab->overridden)
        return false;
    for (int i = 0; i < lab->agenda.experiment_count; i++)
        if (strcmp(experiment, experiment_id(&lab->agenda.experiments[i], id)) == 0)
            return true;
    return false;
}

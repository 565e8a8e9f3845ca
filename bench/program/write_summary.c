#include "write_summary.h"

#include "derive.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Headlines ------------------------------------------------------------------------------- */

/* The fastest of Swathe's best on the CPU in the group that starts here; NULL: it was not timed. */
static const struct result *best_of(const struct bench_run *run, int64_t first)
{
    const struct result *results = run->agenda.results, *found = NULL;
    for (int64_t i = first; i < run->agenda.count && results[i].group == results[first].group; i++)
        if (results[i].status == RESULT_OK && contender_on_cpu(&results[i].contender) &&
            contender_is_best(&results[i].contender) &&
            (!found || results[i].scopes[SCOPE_KERNEL].statistics.median <
                           found->scopes[SCOPE_KERNEL].statistics.median))
            found = &results[i];
    return found;
}

static void write_headline(double *values, int64_t count, const char *baseline, char *text,
                           size_t size)
{
    const char *s = count > 1 ? "s" : "";
    double median = bench_median(values, count);
    if (baseline)
        snprintf(text, size, "best is %.3g times as fast as %s (median over %" PRId64 " problem%s)",
                 median, baseline, count, s);
    else
        snprintf(text, size, "best takes %.3g ms (median over %" PRId64 " problem%s)", median,
                 count, s);
}

/* The headline omits results with too few runs. */
static bool has_few(const struct result *result)
{
    const char *why = result->scopes[SCOPE_KERNEL].statistics.no_interval;
    return why && strcmp(why, BENCH_FEW) == 0;
}

void summary_headline(const struct bench_run *run, int experiment, char *text, size_t size)
{
    const struct agenda *agenda = &run->agenda;
    const char *baseline = derive_loop(run, experiment);
    double *values = malloc((size_t)(agenda->groups + 1) * sizeof *values);
    int64_t count = 0, few = 0;
    for (int64_t i = 0; values && i < agenda->count; i++) {
        bool first = i == 0 || agenda->results[i].group != agenda->results[i - 1].group;
        const struct result *best =
            first && agenda->results[i].experiment == experiment ? best_of(run, i) : NULL;
        const struct result *loop = best ? derive_beside(run, best, baseline) : NULL;
        if (!best || (baseline && !loop))
            continue;
        double ms = best->scopes[SCOPE_KERNEL].statistics.median;
        if (has_few(best) || (loop && has_few(loop)))
            few++;
        else
            values[count++] = loop ? loop->scopes[SCOPE_KERNEL].statistics.median / ms : ms;
    }
    snprintf(text, size, "%s", few > 0 ? BENCH_FEW " for a headline" : "");
    if (count > 0)
        write_headline(values, count, baseline, text, size);
    free(values);
}

/* ---- The summary ----------------------------------------------------------------------------- */

/* The geometric mean of the ratios to the reports' figures. */
static double versus(const struct bench_run *run, const char *id, int64_t *behind, int64_t *count)
{
    struct published p;
    double sum = 0;
    for (int i = 0; published_at(i, &p); i++) {
        const struct result *ours = p.gpu && strcmp(p.experiment, id) == 0 && derive_has(run, id)
                                        ? derive_ours(run, &p)
                                        : NULL;
        if (!ours || derive_doubtful(&p))
            continue;
        double ratio = ours->scopes[derive_scope(&p)].statistics.median / p.ms;
        sum += log(ratio);
        *behind += ratio > 1;
        ++*count;
    }
    return *count ? exp(sum / (double)*count) : 0;
}

void write_summary(const struct bench_run *run, FILE *to)
{
    char id[64], headline[256];
    for (int i = 0; i < run->agenda.experiment_count; i++) {
        static const char *const words[] = {"measured", "WRONG", "refused", "left out"};
        int64_t behind = 0, published = 0;
        experiment_id(&run->agenda.experiments[i], id);
        double ratio = versus(run, id, &behind, &published);
        summary_headline(run, i, headline, sizeof headline);
        fprintf(to, "%s: %s%s", id, headline, *headline ? "; " : "");
        for (int s = RESULT_OK; s <= RESULT_LEFT_OUT; s++) {
            int64_t count = agenda_count(&run->agenda, i, (enum result_status)s);
            if (s == RESULT_OK || count > 0)
                fprintf(to, "%s%" PRId64 " %s", s == RESULT_OK ? "" : ", ", count, words[s]);
        }
        if (published)
            fprintf(to, "; CPU time ÷ published GPU time %.3g, slower in %" PRId64 " of %" PRId64,
                    ratio, behind, published);
        putc('\n', to);
    }
    for (int i = 0; i < run->warning_count; i++)
        fprintf(to, "warning: %s\n", run->warnings[i]);
}

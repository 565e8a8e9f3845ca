#include "write_summary.h"

#include "derive.h"
#include "median.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Headlines ------------------------------------------------------------------------------- */

/* The fastest of Swathe's best on the CPU in the group that starts here; NULL: it was not timed. */
static const struct row *best_of(const struct lab *lab, int64_t first)
{
    const struct row *rows = lab->agenda.rows, *found = NULL;
    for (int64_t i = first; i < lab->agenda.count && rows[i].group == rows[first].group; i++)
        if (rows[i].status == ROW_OK && contender_on_cpu(&rows[i].contender) &&
            contender_is_best(&rows[i].contender) &&
            (!found || rows[i].scopes[SCOPE_KERNEL].statistics.median <
                           found->scopes[SCOPE_KERNEL].statistics.median))
            found = &rows[i];
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

void summary_headline(const struct lab *lab, int experiment, char *text, size_t size)
{
    const struct agenda *agenda = &lab->agenda;
    const char *baseline = derive_loop(lab, experiment);
    double *values = malloc((size_t)(agenda->groups + 1) * sizeof *values);
    int64_t count = 0;
    *text = '\0';
    for (int64_t i = 0; values && i < agenda->count; i++) {
        struct derived d;
        bool first = i == 0 || agenda->rows[i].group != agenda->rows[i - 1].group;
        const struct row *best =
            first && agenda->rows[i].experiment == experiment ? best_of(lab, i) : NULL;
        if (!best)
            continue;
        derive(lab, best, &d);
        double ms = best->scopes[SCOPE_KERNEL].statistics.median;
        if (!baseline || d.over_sequential > 0)
            values[count++] = baseline ? d.over_sequential : ms;
    }
    if (count > 0)
        write_headline(values, count, baseline, text, size);
    free(values);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void count_rows(const struct lab *lab, int experiment, int64_t counts[4])
{
    for (int64_t i = 0; i < lab->agenda.count; i++)
        if (lab->agenda.rows[i].experiment == experiment)
            counts[lab->agenda.rows[i].status]++;
}

/* The mean ratio to the reports' figures, each weighing the same. */
static double versus(const struct lab *lab, const char *id, int64_t *behind, int64_t *count)
{
    struct published p;
    double sum = 0;
    for (int i = 0; published_at(i, &p); i++) {
        const struct row *ours = p.gpu && strcmp(p.experiment, id) == 0 && derive_has(lab, id)
                                     ? derive_ours(lab, &p)
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

void write_summary(const struct lab *lab, FILE *to)
{
    char id[64], headline[256];
    for (int i = 0; i < lab->agenda.experiment_count; i++) {
        int64_t counts[4] = {0}, behind = 0, published = 0;
        experiment_id(&lab->agenda.experiments[i], id);
        count_rows(lab, i, counts);
        double ratio = versus(lab, id, &behind, &published);
        summary_headline(lab, i, headline, sizeof headline);
        fprintf(to, "%s: %s%s%" PRId64 " measured", id, headline, *headline ? "; " : "",
                counts[ROW_OK]);
        if (counts[ROW_WRONG])
            fprintf(to, ", %" PRId64 " WRONG", counts[ROW_WRONG]);
        if (counts[ROW_REFUSED])
            fprintf(to, ", %" PRId64 " refused", counts[ROW_REFUSED]);
        if (counts[ROW_LEFT_OUT])
            fprintf(to, ", %" PRId64 " left out", counts[ROW_LEFT_OUT]);
        if (published)
            fprintf(to, "; CPU ÷ the report's GPU %.3g, behind in %" PRId64 " of %" PRId64, ratio,
                    behind, published);
        putc('\n', to);
    }
    for (int i = 0; i < lab->warning_count; i++)
        fprintf(to, "warning: %s\n", lab->warnings[i]);
}

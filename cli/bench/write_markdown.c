#include "bench/write_markdown.h"

#include "bench/baseline.h"
#include "bench/derive.h"
#include "bench/devices_asked.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CELL = 160 };

/* A time and, where it has one, its interval. */
static const char *time_text(const struct row *row, enum scope scope, bool interval,
                             char text[CELL])
{
    const struct samples *samples = &row->scopes[scope];
    const struct bench_statistics *s = &samples->statistics;
    if (samples->count == 0)
        snprintf(text, CELL, "-");
    else if (interval && s->few)
        snprintf(text, CELL, "%.4g (%s)", s->median, BENCH_FEW);
    else if (interval)
        snprintf(text, CELL, "%.4g [%.4g, %.4g]%s", s->median, s->low, s->high,
                 s->noisy ? " ~" : "");
    else
        snprintf(text, CELL, "%.4g", s->median);
    return text;
}

static const char *number(double value, const char *unit, char text[CELL])
{
    snprintf(text, CELL, value > 0 ? "%.3g%s" : "-", value, unit);
    return text;
}

static void write_row(const struct lab *lab, const struct row *row, FILE *to)
{
    char what[ROW_FILTER + 64], who[ROW_NAME + 64], c[9][CELL], mean[CELL] = "-";
    struct derived d;
    problem_label(&row->problem, what, sizeof what);
    row_label(row, who, sizeof who);
    if (row->status != ROW_OK) {
        fprintf(to, "| %s | %s | %s: %s | | | | | | | | | |\n", what, who,
                row_status_name(row->status), row->why);
        return;
    }
    derive(lab, row, &d);
    const struct bench_statistics *s = &row->scopes[SCOPE_KERNEL].statistics;
    snprintf(mean, sizeof mean, "%.4g ± %.2g", s->mean, s->sd);
    fprintf(to,
            "| %-34s | %-26s | %-24s | %-16s | %-7s | %-7s | %-7s | %-7s | %-6s | %-8s | %-7s | "
            "%-6s |\n",
            what, who, time_text(row, SCOPE_KERNEL, true, c[0]), mean, number(s->best, "", c[1]),
            time_text(row, SCOPE_TRANSFER, false, c[2]), time_text(row, SCOPE_CALL, false, c[3]),
            time_text(row, SCOPE_FIRST, false, c[4]), number(d.gbs, "", c[5]),
            number(d.gflops, row->effective ? " e" : "", c[6]), number(d.over_sequential, "", c[7]),
            number(d.over_single, "", c[8]));
}

static void write_head(FILE *to)
{
    fprintf(to,
            "| problem | contender | kernel, ms | mean ± sd | best | with transfer | call | first "
            "| GB/s | GFLOP/s | over sequential | over one thread |\n"
            "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static bool is_measured(const struct row *row)
{
    return row->status == ROW_OK || row->status == ROW_WRONG || row->status == ROW_REFUSED;
}

static void write_experiment(const struct lab *lab, int index, FILE *to)
{
    char id[64];
    const struct experiment *e = &lab->agenda.experiments[index];
    fprintf(to, "\n## %s: %s\n\n", experiment_id(e, id), e->title);
    write_head(to);
    for (int64_t i = 0; i < lab->agenda.count; i++)
        if (lab->agenda.rows[i].experiment == index && is_measured(&lab->agenda.rows[i]))
            write_row(lab, &lab->agenda.rows[i], to);
}

void write_tables(const struct lab *lab, FILE *to)
{
    for (int i = 0; i < lab->agenda.experiment_count; i++)
        write_experiment(lab, i, to);
    fprintf(to, "\nTimes are medians in milliseconds, with the interval in which a repetition's "
                "median falls 9 times of 10; ~ marks noisy ones, (too few runs) those without one, "
                "e an effective figure: fewer "
                "operations are done. Every result was verified before it was timed.\n");
}

/* ---- Beside the reports ---------------------------------------------------------------------- */

static void write_versus(const struct lab *lab, FILE *to)
{
    struct published p;
    bool head = false;
    for (int i = 0; published_at(i, &p); i++) {
        const struct row *ours = derive_has(lab, p.experiment) ? derive_ours(lab, &p) : NULL;
        enum scope scope = derive_scope(&p);
        if (!ours)
            continue;
        if (!head)
            fprintf(
                to,
                "\n## This machine's CPU against the reports' hardware\n\nPublished times "
                "are of other hardware, as the reports printed them; ours are Swathe's "
                "best on this CPU, the fastest of threads and layouts. Below 1 ours is "
                "faster; † marks figures that the report's own limits contradict.\n\n"
                "| experiment | their hardware | their variant | scope | problem | theirs, ms | "
                "ours, ms | ours ÷ theirs |\n|---|---|---|---|---|---|---|---|\n");
        head = true;
        double ms = ours->scopes[scope].statistics.median;
        fprintf(to,
                "| %s | %s | %s | %s | %s %" PRId64 "x%" PRId64
                " | %.4g%s | %.4g (%d threads) | %.3g |\n",
                p.experiment, p.hardware, p.variant, p.scope, p.filter, p.width, p.height, p.ms,
                derive_doubtful(&p) ? " †" : "", ms, ours->contender.threads, ms / p.ms);
    }
}

/* ---- The whole report ------------------------------------------------------------------------ */

static void write_machine(const struct lab *lab, FILE *to)
{
    const struct machine *m = &lab->machine;
    struct device_asked device;
    fprintf(to, "- CPU: %s, %d CPUs (affinity %s), %s, governor %s", m->cpu, m->cpus, m->affinity,
            m->caches, m->governor);
    if (m->mhz > 0 && lab->mhz_after > 0)
        fprintf(to, ", %.0f MHz before, %.0f after", m->mhz, lab->mhz_after);
    putc('\n', to);
    fprintf(to, "- System: %s, %.1f GiB of memory, huge pages %s\n", m->system,
            (double)m->memory / 0x1p30, m->huge_pages);
    for (int i = 0; devices_asked(lab, i, &device); i++)
        if (strcmp(device.id, "cpu") != 0)
            fprintf(to, "- %s: %s, driver %s%s\n", device.id, device.name, device.driver,
                    device.software ? " (software on this CPU: its times rank nothing on a GPU)"
                                    : "");
    fprintf(to, "- Build: swathe %s, contract %d, %s %s\n", swathe_version(),
            (int)swathe_contract(), m->compiler, m->flags);
    fprintf(to, "- The reports' sequential loop: %s\n", baseline_flags());
    for (int i = 0; i < lab->peak_count; i++)
        fprintf(to,
                "- Peaks here, %d thread%s: copy %.1f GB/s (read and written), fused "
                "multiply-adds of f32 %.0f GFLOP/s\n",
                lab->peaks[i].threads, lab->peaks[i].threads > 1 ? "s" : "", lab->peaks[i].copy_gbs,
                lab->peaks[i].fma_gflops);
}

static void write_left_out(const struct lab *lab, FILE *to)
{
    char what[ROW_FILTER + 64], who[ROW_NAME + 64];
    bool head = false;
    for (int64_t i = 0; i < lab->agenda.count; i++) {
        const struct row *row = &lab->agenda.rows[i];
        if (row->status != ROW_LEFT_OUT)
            continue;
        fprintf(to, "%s", head ? "" : "\n## Left out\n\n");
        head = true;
        problem_label(&row->problem, what, sizeof what);
        row_label(row, who, sizeof who);
        fprintf(to, "- %s, %s: %s\n", what, who, row->why);
    }
}

void write_markdown(const struct lab *lab, const char *command, FILE *to)
{
    fprintf(to, "# Benchmark\n\n    %s\n\n", command);
    write_machine(lab, to);
    for (int i = 0; i < lab->warning_count; i++)
        fprintf(to, "- Warning: %s\n", lab->warnings[i]);
    write_tables(lab, to);
    write_versus(lab, to);
    write_left_out(lab, to);
}

/* ---- In short -------------------------------------------------------------------------------- */

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
    char id[64];
    for (int i = 0; i < lab->agenda.experiment_count; i++) {
        int64_t counts[4] = {0}, behind = 0, published = 0;
        experiment_id(&lab->agenda.experiments[i], id);
        count_rows(lab, i, counts);
        double ratio = versus(lab, id, &behind, &published);
        fprintf(to, "%-20s %4" PRId64 " measured", id, counts[ROW_OK]);
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

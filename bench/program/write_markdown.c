#include "write_markdown.h"

#include "baseline.h"
#include "derive.h"
#include "devices_asked.h"
#include "write_table.h"

#include <inttypes.h>
#include <string.h>

/* ---- Beside the reports ---------------------------------------------------------------------- */

/* Our time beside a published one, or why there is none. */
static void write_ours(const struct lab *lab, const struct published *p, FILE *to)
{
    const struct row *ours = derive_ours(lab, p), *missing = derive_missing(lab, p);
    double ms = ours ? ours->scopes[derive_scope(p)].statistics.median : 0;
    if (ours)
        fprintf(to, "%.4g (%d thread%s) | %.3g |\n", ms, ours->contender.threads,
                ours->contender.threads > 1 ? "s" : "", ms / p->ms);
    else if (missing)
        fprintf(to, "%s: %s | |\n", row_status_name(missing->status), missing->why);
    else
        fprintf(to, "not timed | |\n");
}

static void write_versus(const struct lab *lab, FILE *to)
{
    struct published p;
    bool head = false;
    for (int i = 0; published_at(i, &p); i++) {
        if (!derive_has(lab, p.experiment))
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
        fprintf(to, "| %s | %s | %s | %s | %s %" PRId64 "x%" PRId64 " | %.4g%s | ", p.experiment,
                p.hardware, p.variant, p.scope, p.filter, p.width, p.height, p.ms,
                derive_doubtful(&p) ? " †" : "");
        write_ours(lab, &p, to);
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

void write_markdown(const struct lab *lab, const char *command, FILE *to)
{
    fprintf(to, "# Benchmark\n\n    ");
    for (; *command; command++) /* as message_clean */
        putc((unsigned char)*command < ' ' || *command == 0x7f ? '?' : *command, to);
    fprintf(to, "\n\n");
    write_machine(lab, to);
    for (int i = 0; i < lab->warning_count; i++)
        fprintf(to, "- Warning: %s\n", lab->warnings[i]);
    write_tables(lab, to, 0);
    write_versus(lab, to);
}

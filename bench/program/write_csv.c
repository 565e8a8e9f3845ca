#include "write_csv.h"

#include "derive.h"
#include "value.h"

#include <inttypes.h>
#include <string.h>

/* Quoted, as chains and messages hold commas, and without control characters. */
static void put(FILE *to, const char *text)
{
    putc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', to);
        putc((unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text, to);
    }
    putc('"', to);
}

static void put_known(FILE *to, double value)
{
    if (value > 0)
        fprintf(to, ",%.6g", value);
    else
        putc(',', to);
}

static void write_what(const struct lab *lab, const struct row *row, FILE *to)
{
    const struct problem *p = &row->problem;
    const struct contender *c = &row->contender;
    char id[64];
    fprintf(to, "%s,", experiment_id(&lab->agenda.experiments[row->experiment], id));
    put(to, p->filter);
    putc(',', to);
    put(to, row->runs ? row->runs : p->filter);
    fprintf(to, ",%d,%" PRId64 ",%" PRId64 ",%d,%s,%s,", p->k, p->width, p->height, p->channels,
            value_type_name(p->type), layout_name(p->layout));
    put(to, p->border);
    fprintf(to, ",%s,%s,%d,%d,%s,%s,", c->device, c->strategy, c->block, c->threads, row->algorithm,
            row_status_name(row->status));
    put(to, p->image);
    putc(',', to);
    put(to, row->why);
    putc(',', to);
    put(to, row->verified);
}

static void write_scope(const struct lab *lab, const struct row *row, enum scope scope, FILE *to)
{
    const struct samples *samples = &row->scopes[scope];
    const struct bench_statistics *s = &samples->statistics;
    struct derived d;
    derive(lab, row, &d);
    bool kernel = scope == SCOPE_KERNEL;
    write_what(lab, row, to);
    fprintf(to, ",%s,%.6g", scope_name(scope), s->median);
    put_known(to, s->low);
    put_known(to, s->high);
    fprintf(to, ",%s,%.6g,%.6g,%.6g,%.6g,%" PRId64 ",%" PRId64 ",%d",
            s->no_interval ? s->no_interval : "", s->mean, s->sd, s->best, samples->cpu_median,
            s->runs, s->outliers, s->noisy);
    put_known(to, kernel ? d.gbs : 0);
    put_known(to, kernel ? d.gflops : 0);
    fprintf(to, ",%d", row->effective);
    put_known(to, kernel ? d.copy_share : 0);
    put_known(to, kernel ? d.fma_share : 0);
    put_known(to, kernel ? d.over_sequential : 0);
    put_known(to, kernel ? d.over_single : 0);
    putc('\n', to);
}

void write_csv(const struct lab *lab, FILE *to)
{
    fprintf(to, "experiment,filter,runs,k,width,height,channels,type,layout,border,device,strategy,"
                "block,threads,algorithm,status,image,why,verified,scope,median_ms,low_ms,high_ms,"
                "no_interval,"
                "mean_ms,sd_ms,best_ms,cpu_median_ms,samples,outliers,noisy,gb_per_s,gflop_per_s,"
                "effective,copy_share,fma_share,speedup_sequential,speedup_single\n");
    for (int64_t i = 0; i < lab->agenda.count; i++) {
        const struct row *row = &lab->agenda.rows[i];
        for (int s = 0; s < SCOPE_COUNT && row->status == ROW_OK; s++)
            if (row->scopes[s].count > 0)
                write_scope(lab, row, (enum scope)s, to);
        if (row->status != ROW_OK) {
            write_what(lab, row, to);
            fprintf(to, ",,,,,,,,,,,,,,,,,,,\n");
        }
    }
}

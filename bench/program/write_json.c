#define _GNU_SOURCE /* gmtime_r */
#include "write_json.h"

#include "baseline.h"
#include "derive.h"
#include "devices_asked.h"
#include "json.h"
#include "value.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* null where it is not known. */
static void known(struct json *json, const char *name, double value)
{
    json_number(json, name, value > 0 ? value : NAN);
}

static void known_integer(struct json *json, const char *name, int64_t value)
{
    if (value > 0)
        json_integer(json, name, value);
    else
        json_number(json, name, NAN);
}

static void write_machine(const struct lab *lab, struct json *json)
{
    const struct machine *m = &lab->machine;
    json_open(json, "machine", '{');
    json_text(json, "cpu", m->cpu);
    json_integer(json, "cpus", m->cpus);
    json_integer(json, "memory_bytes", m->memory);
    json_text(json, "caches", m->caches);
    json_text(json, "system", m->system);
    json_text(json, "governor", m->governor);
    known(json, "mhz_before", m->mhz);
    known(json, "mhz_after", lab->mhz_after);
    json_text(json, "affinity", m->affinity);
    json_text(json, "huge_pages", m->huge_pages);
    json_close(json, '}');
    json_open(json, "build", '{');
    json_text(json, "version", swathe_version());
    json_integer(json, "contract", swathe_contract());
    json_text(json, "compiler", m->compiler);
    json_text(json, "flags", m->flags);
    json_text(json, "baseline_flags", baseline_flags());
    json_close(json, '}');
}

static void write_devices(const struct lab *lab, struct json *json)
{
    struct device_asked device;
    json_open(json, "devices", '[');
    for (int i = 0; devices_asked(lab, i, &device); i++) {
        json_open(json, NULL, '{');
        json_text(json, "id", device.id);
        json_text(json, "name", device.name);
        json_text(json, "driver", device.driver);
        json_bool(json, "software", device.software);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open(json, "peaks", '[');
    for (int i = 0; i < lab->peak_count; i++) {
        json_open(json, NULL, '{');
        json_integer(json, "threads", lab->peaks[i].threads);
        known(json, "copy_gbs", lab->peaks[i].copy_gbs);
        known(json, "fma_gflops", lab->peaks[i].fma_gflops);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_settings(const struct lab *lab, struct json *json)
{
    static const char *const pages[] = {"reused", "fresh", "huge"};
    const struct settings *s = &lab->settings;
    json_open(json, "settings", '{');
    json_integer(json, "seed", (int64_t)s->seed);
    json_integer(json, "min_runs", s->runs);
    json_number(json, "seconds", s->seconds);
    json_integer(json, "visits", s->visits);
    json_text(json, "cache", s->cold ? "cold" : "warm");
    json_text(json, "memory", pages[s->pages]);
    json_text(json, "transfer", s->transfer);
    json_text(json, "wisdom", lab->wisdom);
    json_close(json, '}');
}

static void write_experiments(const struct lab *lab, struct json *json)
{
    char id[64], plots[128];
    json_open(json, "experiments", '[');
    for (int i = 0; i < lab->agenda.experiment_count; i++) {
        const struct experiment *e = &lab->agenda.experiments[i];
        json_open(json, NULL, '{');
        json_text(json, "id", experiment_id(e, id));
        if (strncmp(e->suite, "report-", 7) == 0)
            json_text(json, "report", e->suite + 7);
        json_text(json, "title", e->title);
        json_text(json, "x", e->x);
        if (derive_loop(lab, i))
            json_text(json, "loop", derive_loop(lab, i));
        else
            json_number(json, "loop", NAN);
        json_open(json, "plots", '[');
        snprintf(plots, sizeof plots, "%s", e->plots);
        for (char *rest = plots, *word; (word = strtok_r(rest, " ", &rest));)
            json_text(json, NULL, word);
        json_close(json, ']');
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_doubt(const struct lab *lab, struct json *json)
{
    char what[ROW_FILTER + 128], who[ROW_FILTER], id[64];
    json_open(json, "left_out", '[');
    for (int64_t i = 0; i < lab->agenda.count; i++) {
        const struct row *row = &lab->agenda.rows[i];
        if (row->status == ROW_OK)
            continue;
        problem_label(&row->problem, what, sizeof what);
        row_label(row, who, sizeof who);
        size_t length = strlen(what);
        snprintf(what + length, sizeof what - length, ", %s", who);
        json_open(json, NULL, '{');
        json_text(json, "experiment", experiment_id(&lab->agenda.experiments[row->experiment], id));
        json_text(json, "what", what);
        json_text(json, "why", row->why);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open(json, "warnings", '[');
    for (int i = 0; i < lab->warning_count; i++)
        json_text(json, NULL, lab->warnings[i]);
    json_close(json, ']');
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void write_problem(const struct row *row, struct json *json)
{
    const struct problem *p = &row->problem;
    const struct contender *c = &row->contender;
    json_text(json, "filter", p->filter);
    json_text(json, "runs", row->runs ? row->runs : p->filter);
    json_integer(json, "k", p->k);
    json_integer(json, "width", p->width);
    json_integer(json, "height", p->height);
    json_integer(json, "channels", p->channels);
    known_integer(json, "alpha", p->alpha);
    json_text(json, "type", value_type_name(p->type));
    json_text(json, "layout", layout_name(p->layout));
    json_text(json, "border", p->border);
    if (*p->image)
        json_text(json, "image", p->image);
    else
        json_number(json, "image", NAN);
    json_text(json, "device", c->device);
    json_text(json, "strategy", c->strategy);
    known_integer(json, "block", c->block);
    json_bool(json, "as_pixels", row->as_pixels);
    json_integer(json, "threads", c->threads);
    if (row->algorithm[0] && contender_on_cpu(c))
        json_text(json, "algorithm", row->algorithm);
    else
        json_number(json, "algorithm", NAN);
}

static void write_list(struct json *json, const char *name, const double *values, int64_t count)
{
    json_flat(json, name, '[');
    for (int64_t i = 0; i < count; i++)
        json_number(json, NULL, values[i]);
    json_close(json, ']');
}

static void write_scope(const struct samples *samples, const char *name, struct json *json)
{
    const struct bench_statistics *s = &samples->statistics;
    if (samples->count == 0)
        return;
    json_open(json, name, '{');
    json_number(json, "median", s->median);
    json_number(json, "low", s->low);
    json_number(json, "high", s->high);
    if (s->no_interval)
        json_text(json, "no_interval", s->no_interval);
    json_number(json, "mean", s->mean);
    json_number(json, "sd", s->sd);
    json_number(json, "best", s->best);
    json_integer(json, "runs", s->runs);
    json_integer(json, "outliers", s->outliers);
    json_bool(json, "noisy", s->noisy);
    json_number(json, "cpu_median", samples->cpu_median);
    write_list(json, "samples", samples->wall, samples->count);
    json_flat(json, "visit", '[');
    for (int64_t i = 0; i < samples->count; i++)
        json_integer(json, NULL, samples->visit[i]);
    json_close(json, ']');
    write_list(json, "cpu", samples->cpu, samples->count);
    json_close(json, '}');
}

static void write_row(const struct lab *lab, const struct row *row, struct json *json)
{
    char text[64];
    struct derived d;
    derive(lab, row, &d);
    json_open(json, NULL, '{');
    json_text(json, "experiment", experiment_id(&lab->agenda.experiments[row->experiment], text));
    write_problem(row, json);
    json_text(json, "status", row_status_name(row->status));
    json_text(json, "why", row->why);
    json_text(json, "verified", row->verified);
    snprintf(text, sizeof text, "%016" PRIx64, row->checksum);
    json_text(json, "checksum", row->verified[0] ? text : "");
    json_integer(json, "runs_per_sample", row->turn);
    known_integer(json, "runs_stated", row->stated);
    json_open(json, "scopes", '{');
    for (int s = 0; s < SCOPE_COUNT && row->status == ROW_OK; s++)
        write_scope(&row->scopes[s], scope_name((enum scope)s), json);
    json_close(json, '}');
    json_number(json, "bytes", row->bytes);
    json_number(json, "flop", row->flop);
    known(json, "gbs", d.gbs);
    known(json, "gflops", d.gflops);
    json_bool(json, "effective", row->effective);
    known(json, "copy_share", d.copy_share);
    known(json, "fma_share", d.fma_share);
    known(json, "speedup_sequential", d.over_sequential);
    known(json, "speedup_single", d.over_single);
    json_close(json, '}');
}

static void write_published(const struct published *p, struct json *json)
{
    char report[4];
    snprintf(report, sizeof report, "%.3s", p->experiment + strlen("report-"));
    json_open(json, NULL, '{');
    json_text(json, "report", report);
    json_text(json, "experiment", p->experiment);
    json_text(json, "device", p->hardware);
    json_bool(json, "gpu", p->gpu);
    json_text(json, "variant", p->variant);
    json_text(json, "strategy", p->strategy);
    json_text(json, "scope", p->scope);
    json_text(json, "filter", p->filter);
    json_integer(json, "k", p->k);
    json_integer(json, "width", p->width);
    json_integer(json, "height", p->height);
    json_integer(json, "channels", p->channels);
    known_integer(json, "block", p->block);
    json_number(json, "ms", p->ms);
    json_close(json, '}');
}

static void write_head(const struct lab *lab, const char *command, struct json *json)
{
    char started[32];
    struct tm when;
    time_t now = time(NULL) - (time_t)(lab_now() - lab->start);
    gmtime_r(&now, &when);
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &when);
    json_text(json, "format", "swathe-bench 1");
    json_text(json, "command", command);
    json_text(json, "started", started);
    json_number(json, "seconds", lab_now() - lab->start);
    known(json, "budget_s", lab->settings.budget);
    json_number(json, "drift", lab->drift);
}

void write_json(const struct lab *lab, const char *command, FILE *to)
{
    struct json json = {.to = to};
    struct published published;
    json_open(&json, NULL, '{');
    write_head(lab, command, &json);
    write_machine(lab, &json);
    write_devices(lab, &json);
    write_settings(lab, &json);
    write_experiments(lab, &json);
    write_doubt(lab, &json);
    json_open(&json, "rows", '[');
    for (int64_t i = 0; i < lab->agenda.count; i++)
        write_row(lab, &lab->agenda.rows[i], &json);
    json_close(&json, ']');
    json_open(&json, "published", '[');
    for (int i = 0; published_at(i, &published); i++)
        if (derive_has(lab, published.experiment))
            write_published(&published, &json);
    json_close(&json, ']');
    json_close(&json, '}');
}

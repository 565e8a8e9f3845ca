#define _GNU_SOURCE /* gmtime_r */
#include "write_json.h"

#include "baseline.h"
#include "commands/value.h"
#include "derive.h"
#include "terminal/devices_print.h"
#include "terminal/json.h"
#include "write_summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* Writes null for 0, which means unknown. */
static void known(struct json *json, const char *name, double value)
{
    json_number(json, name, value > 0 ? value : NAN);
}

static void known_integer(struct json *json, const char *name, int64_t value)
{
    if (value > 0)
        json_integer(json, name, value);
    else
        json_null(json, name);
}

static void known_text(struct json *json, const char *name, const char *text)
{
    if (text && *text)
        json_text(json, name, text);
    else
        json_null(json, name);
}

static void write_machine(const struct bench_run *run, struct json *json)
{
    const struct machine *m = &run->machine;
    json_open(json, "machine", '{');
    json_text(json, "cpu", m->cpu);
    json_integer(json, "cpus", m->cpus);
    json_integer(json, "memory_bytes", m->memory);
    json_text(json, "caches", m->caches);
    json_text(json, "system", m->system);
    json_text(json, "governor", m->governor);
    known(json, "mhz_before", m->mhz);
    known(json, "mhz_after", run->mhz_after);
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

/* Writes the output of `swathe devices --json`, but only if a GPU is measured: it loads drivers. */
static void write_devices(const struct bench_run *run, struct json *json)
{
    bool gpu = false;
    for (int64_t i = 0; i < run->agenda.count; i++)
        gpu |= !contender_on_cpu(&run->agenda.results[i].contender);
    if (gpu)
        devices_json(run->context, json, "devices");
    else
        json_raw(json, "devices", "[]");
}

static void write_peaks(const struct bench_run *run, struct json *json)
{
    json_open(json, "peaks", '[');
    for (int i = 0; i < run->peak_count; i++) {
        json_open(json, NULL, '{');
        json_integer(json, "threads", run->peaks[i].threads);
        known(json, "copy_gbs", run->peaks[i].copy_gbs);
        known(json, "fma_gflops", run->peaks[i].fma_gflops);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_settings(const struct bench_run *run, struct json *json)
{
    static const char *const pages[] = {"reused", "fresh", "huge"};
    const struct settings *s = &run->settings;
    json_open(json, "settings", '{');
    json_integer(json, "seed", (int64_t)s->seed);
    json_integer(json, "min_runs", s->runs);
    json_number(json, "seconds", s->seconds);
    json_integer(json, "visits", s->visits);
    json_text(json, "cache", s->cold ? "cold" : "warm");
    json_text(json, "memory", pages[s->pages]);
    json_text(json, "transfer", s->transfer);
    json_text(json, "wisdom", run->wisdom);
    json_close(json, '}');
}

static void write_experiments(const struct bench_run *run, struct json *json)
{
    char id[64], plots[128], headline[256];
    json_open(json, "experiments", '[');
    for (int i = 0; i < run->agenda.experiment_count; i++) {
        const struct experiment *e = &run->agenda.experiments[i];
        json_open(json, NULL, '{');
        json_text(json, "id", experiment_id(e, id));
        json_text(json, "title", e->title);
        json_text(json, "x", e->x);
        summary_headline(run, i, headline, sizeof headline);
        known_text(json, "headline", headline);
        known_text(json, "loop", derive_loop(run, i));
        json_open(json, "plots", '[');
        snprintf(plots, sizeof plots, "%s", e->plots);
        for (char *rest = plots, *word; (word = strtok_r(rest, " ", &rest));)
            json_text(json, NULL, word);
        json_close(json, ']');
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_warnings(const struct bench_run *run, struct json *json)
{
    json_open(json, "warnings", '[');
    for (int i = 0; i < run->warning_count; i++)
        json_text(json, NULL, run->warnings[i]);
    json_close(json, ']');
}

/* ---- Results --------------------------------------------------------------------------------- */

static void write_problem(const struct result *result, struct json *json)
{
    const struct problem *p = &result->problem;
    const struct contender *c = &result->contender;
    const struct baseline_way *way = baseline_way(c->strategy);
    char label[RESULT_FILTER + 128];
    problem_label(p, label, sizeof label);
    json_text(json, "problem", label);
    result_label(result, label, sizeof label);
    json_text(json, "contender", label);
    json_text(json, "filter", p->filter);
    json_text(json, "runs", result->runs ? result->runs : p->filter);
    json_integer(json, "k", p->k);
    json_integer(json, "width", p->width);
    json_integer(json, "height", p->height);
    json_integer(json, "channels", p->channels);
    known_integer(json, "alpha", p->alpha);
    json_text(json, "type", value_type_name(p->type));
    json_text(json, "layout", layout_name(p->layout));
    json_text(json, "border", p->border);
    known_text(json, "image", p->image);
    json_text(json, "device", c->device);
    json_text(json, "strategy", c->strategy);
    known_integer(json, "block", c->block);
    json_bool(json, "as_pixels", result->as_pixels);
    json_integer(json, "threads", c->threads);
    known_text(json, "algorithm", contender_on_cpu(c) ? result->algorithm : NULL);
    known_text(json, "baseline", !way ? NULL : way->parallel ? "parallel" : "sequential");
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

static void write_result(const struct bench_run *run, const struct result *result,
                         struct json *json)
{
    char text[64];
    struct derived d;
    derive(run, result, &d);
    json_open(json, NULL, '{');
    json_text(json, "experiment",
              experiment_id(&run->agenda.experiments[result->experiment], text));
    write_problem(result, json);
    json_text(json, "status", result_status_name(result->status));
    json_text(json, "why", result->why);
    json_text(json, "verified", result->verified);
    snprintf(text, sizeof text, "%016" PRIx64, result->checksum);
    json_text(json, "checksum", result->verified[0] ? text : "");
    json_integer(json, "runs_per_sample", result->runs_each);
    known_integer(json, "runs_stated", result->stated);
    json_open(json, "scopes", '{');
    for (int s = 0; s < SCOPE_COUNT && result->status == RESULT_OK; s++)
        write_scope(&result->scopes[s], scope_name((enum scope)s), json);
    json_close(json, '}');
    json_number(json, "bytes", result->bytes);
    json_number(json, "flop", result->flop);
    known(json, "gbs", d.gbs);
    known(json, "gflops", d.gflops);
    json_bool(json, "effective", result->effective);
    known(json, "copy_share", d.copy_share);
    known(json, "fma_share", d.fma_share);
    known(json, "speedup_sequential", d.over_sequential);
    known(json, "speedup_single", d.over_single);
    json_close(json, '}');
}

static void write_published(const struct bench_run *run, const struct published *p,
                            struct json *json)
{
    const struct result *ours = derive_ours(run, p);
    json_open(json, NULL, '{');
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
    json_integer(json, "channels", PUBLISHED_CHANNELS);
    known_integer(json, "block", p->block);
    json_number(json, "ms", p->ms);
    json_bool(json, "doubtful", derive_doubtful(p));
    if (ours)
        json_integer(json, "ours", ours - run->agenda.results);
    else
        json_null(json, "ours");
    json_text(json, "our_scope", scope_name(derive_scope(p)));
    json_close(json, '}');
}

static void write_head(const struct bench_run *run, const char *command, struct json *json)
{
    char started[32];
    struct tm when;
    time_t now = time(NULL) - (time_t)(clock_now() - run->start);
    gmtime_r(&now, &when);
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &when);
    json_text(json, "format", BENCH_FORMAT);
    json_text(json, "command", command);
    json_text(json, "started", started);
    json_number(json, "seconds", clock_now() - run->start);
    known(json, "budget_s", run->settings.budget);
    json_number(json, "drift", run->drift);
}

void write_json(const struct bench_run *run, const char *command, FILE *to)
{
    struct json json = {.to = to};
    struct published published;
    json_open(&json, NULL, '{');
    write_head(run, command, &json);
    write_machine(run, &json);
    write_devices(run, &json);
    write_peaks(run, &json);
    write_settings(run, &json);
    write_experiments(run, &json);
    write_warnings(run, &json);
    json_open(&json, "results", '[');
    for (int64_t i = 0; i < run->agenda.count; i++)
        write_result(run, &run->agenda.results[i], &json);
    json_close(&json, ']');
    json_open(&json, "published", '[');
    for (int i = 0; published_at(i, &published); i++)
        if (derive_has(run, published.experiment))
            write_published(run, &published, &json);
    json_close(&json, ']');
    json_close(&json, '}');
}

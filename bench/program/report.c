#define _GNU_SOURCE /* fileno, gmtime_r, nanosleep, readlink */
#include "report.h"

#include "baseline.h"
#include "commands/value.h"
#include "terminal/interrupt.h"
#include "terminal/json.h"
#include "terminal/message.h"
#include "terminal/print.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { NO_PLOTTER = 3 }; /* exit code of report/__main__.py after a message: no matplotlib */
enum { REPORT_WORDS = 12, NARROWEST = 40, WIDEST = 10000 };

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Writes null for 0, which means unknown. */
static void bench_report_known(struct json *json, const char *name, double value)
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
    bench_report_known(json, "mhz_before", m->mhz);
    bench_report_known(json, "mhz_after", run->mhz_after);
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
        json_text(json, "device", run->peaks[i].device);
        json_integer(json, "threads", run->peaks[i].threads);
        bench_report_known(json, "copy_gbs", run->peaks[i].copy_gbs);
        bench_report_known(json, "fma_gflops", run->peaks[i].fma_gflops);
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
    json_text(json, "transfer", s->transfer ? s->transfer : "default");
    json_text(json, "wisdom", run->wisdom);
    json_close(json, '}');
}

/* The parts of a text, as elements of a list. */
static void write_words(struct json *json, const char *text, const char *separator)
{
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *rest = copy, *word; (word = strtok_r(rest, separator, &rest));)
        json_text(json, NULL, word);
}

static void write_experiments(const struct bench_run *run, struct json *json)
{
    char id[64];
    json_open(json, "experiments", '[');
    for (int i = 0; i < run->agenda.experiment_count; i++) {
        const struct experiment *e = &run->agenda.experiments[i];
        json_open(json, NULL, '{');
        json_text(json, "id", experiment_id(e, id));
        json_text(json, "title", e->title);
        json_text(json, "x", e->x);
        json_open(json, "assumed", '[');
        write_words(json, e->assumed, "|");
        json_close(json, ']');
        json_bool(json, "published", !run->overridden);
        json_open(json, "plots", '[');
        write_words(json, e->plots, " ");
        json_close(json, ']');
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_warnings(const struct bench_run *run, struct json *json)
{
    json_open(json, "warnings", '[');
    if (run->interrupted)
        json_text(json, NULL, "interrupted: some results were not measured");
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
    known_text(json, "ran", result->replaced ? result->algorithm : NULL);
    known_text(json, "variant", result->variant);
    known_text(json, "arithmetic", result->arithmetic);
    known_text(json, "held", p->padded ? "padded" : NULL);
    known_text(json, "baseline", !way ? NULL : way->parallel ? "parallel" : "sequential");
}

static void write_phases(const struct samples *samples, struct json *json)
{
    json_open(json, "phases", '{');
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        bool any = samples->phased && phase >= PHASE_ALLOCATE;
        for (int64_t i = 0; i < samples->count; i++)
            any |= samples->at[i].phases[phase] > 0;
        if (!any)
            continue;
        json_flat(json, phase_name((enum phase)phase), '[');
        for (int64_t i = 0; i < samples->count; i++)
            json_number(json, NULL, samples->at[i].phases[phase]);
        json_close(json, ']');
    }
    json_close(json, '}');
}

static void write_scope(const struct samples *samples, const char *name, struct json *json)
{
    if (samples->count == 0)
        return;
    json_open(json, name, '{');
    json_flat(json, "samples", '[');
    for (int64_t i = 0; i < samples->count; i++)
        json_number(json, NULL, samples->at[i].wall);
    json_close(json, ']');
    json_flat(json, "visit", '[');
    for (int64_t i = 0; i < samples->count; i++)
        json_integer(json, NULL, samples->at[i].visit);
    json_close(json, ']');
    json_flat(json, "cpu", '[');
    for (int64_t i = 0; i < samples->count; i++)
        json_number(json, NULL, samples->at[i].cpu);
    json_close(json, ']');
    write_phases(samples, json);
    json_close(json, '}');
}

static void bench_report_write_result(const struct bench_run *run, const struct result *result,
                                      struct json *json)
{
    char text[64];
    json_open(json, NULL, '{');
    json_text(json, "experiment",
              experiment_id(&run->agenda.experiments[result->experiment], text));
    json_integer(json, "group", result->group);
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
    json_bool(json, "effective", result->effective);
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
    bench_report_known(json, "budget_s", run->settings.budget);
}

static void bench_report_write_json(const struct bench_run *run, const char *command, FILE *to)
{
    struct json json = {.to = to};
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
        bench_report_write_result(run, &run->agenda.results[i], &json);
    json_close(&json, ']');
    json_close(&json, '}');
}

/* ---- The directory -------------------------------------------------------------------------- */

int report_open(const struct report *report)
{
    char path[PATH_MAX];
    struct stat found;
    if (!report->path)
        return 0;
    if (mkdir(report->path, 0777) != 0 && errno != EEXIST)
        return complain_system(errno, "%s", report->path);
    if (stat(report->path, &found) == 0 && !S_ISDIR(found.st_mode))
        return complain(SWATHE_ERROR_IO, "%s is not a directory", report->path);
    snprintf(path, sizeof path, "%s/bench.json", report->path);
    if (access(path, F_OK) == 0 && !report->overwrite)
        return complain(SWATHE_ERROR_ARGUMENT, "%s exists; --overwrite replaces it", path);
    if (access(report->path, W_OK) != 0)
        return complain_system(errno, "%s", report->path);
    if (report->peers && access(report->peers, R_OK) != 0)
        return complain_system(errno, "%s", report->peers);
    return 0;
}

double report_seconds(const struct report *report, const struct agenda *agenda)
{
    double plots = 2; /* of the whole run */
    double statistics = 0.02 * (double)agenda->count;
    for (int i = 0; i < agenda->experiment_count; i++)
        for (const char *at = agenda->experiments[i].plots; at; at = strchr(at + 1, ' '))
            plots++;
    return report->path && report->plots ? 1.1 * plots + 2 + statistics : 1 + statistics;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Writes a hidden file and renames it, so that bench.json is complete or absent. */
static int write_results(const char *folder, const char *command, const struct bench_run *run)
{
    char path[PATH_MAX], hidden[PATH_MAX];
    snprintf(path, sizeof path, "%s/bench.json", folder);
    snprintf(hidden, sizeof hidden, "%s/.bench.json.%ld", folder, (long)getpid());
    FILE *to = fopen(hidden, "wx");
    if (to)
        bench_report_write_json(run, command, to);
    bool good = to && !ferror(to);
    int error = errno;
    if (to && fclose(to) != 0 && good) {
        error = errno;
        good = false;
    }
    if (good && rename(hidden, path) == 0)
        return 0;
    error = good ? errno : error;
    unlink(hidden);
    return complain_system(error, "%s", path);
}

/* Removes files of an earlier run. */
static void remove_old(const struct report *report)
{
    static const char *const names[] = {"bench.csv", "bench.md", "report.html", "peers.jsonl"};
    char path[PATH_MAX];
    for (int i = 0; i < (report->peers ? 3 : 4); i++) /* peers.jsonl may be the new file */
        if (snprintf(path, sizeof path, "%s/%s", report->path, names[i]) < (int)sizeof path)
            unlink(path);
}

/* ---- The Python program --------------------------------------------------------------------- */

/* The Python program is next to this one. */
static bool find_report(char path[PATH_MAX])
{
    static const char name[] = "report";
    ssize_t size = readlink("/proc/self/exe", path, PATH_MAX - sizeof name);
    while (size > 0 && path[size - 1] != '/')
        size--;
    if (size <= 0)
        return false;
    memcpy(path + size, name, sizeof name);
    return access(path, R_OK) == 0;
}

/* Waits for the child and forwards a signal other than `before` to it. Polls, because a signal just
 * before a blocking wait would not end it. -1 if the wait fails. */
static int bench_report_wait_for(pid_t child, int before)
{
    int status = -1;
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (interrupt_caught() != before) {
            before = interrupt_caught();
            kill(child, before);
        }
        nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
    }
    return ended < 0 ? -1 : status;
}

/* Runs the Python program with the words from words[3] on. False after a message that begins with
 * `lost` if it is missing. */
static bool run_report(const char *words[REPORT_WORDS], const char *lost, int *status)
{
    char program[PATH_MAX] = "";
    pid_t child;
    int before = interrupt_caught();
    if (!find_report(program)) {
        complain(SWATHE_OK, "%s, because %s is missing", lost, program);
        return false;
    }
    words[0] = "python3";
    words[1] = "-B";
    words[2] = program;
    fflush(stdout);
    int error = posix_spawnp(&child, words[0], NULL, NULL, (char *const *)words, environ);
    if (error != 0)
        complain(SWATHE_OK, "%s, because python3 is needed for the rest: %s", lost,
                 strerror(error));
    else
        *status = bench_report_wait_for(child, before);
    return error == 0;
}

int report_compare(const char *before, const char *after, bool json)
{
    char program[PATH_MAX] = "";
    const char *words[] = {
        "python3", "-B", program, "compare", before, after, json ? "--json" : NULL, NULL};
    if (!find_report(program))
        return complain(SWATHE_ERROR_UNSUPPORTED, "bench compare needs %s, which is missing",
                        program);
    execvp(words[0], (char *const *)words);
    return complain(SWATHE_ERROR_UNSUPPORTED, "bench compare needs python3: %s", strerror(errno));
}

/* ---- Tables and plots ------------------------------------------------------------------------ */

/* Columns of the terminal; 0: not a terminal, so tables may have any width. */
static int terminal_columns(void)
{
    struct winsize size;
    const char *given = getenv("COLUMNS");
    if (!isatty(fileno(stdout)))
        return 0;
    long width = given ? strtol(given, NULL, 10) : 0;
    if (width <= 0 && ioctl(fileno(stdout), TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    return width <= 0 ? 80 : width < NARROWEST ? NARROWEST : width > WIDEST ? WIDEST : (int)width;
}

/* What is printed without Python. */
static void print_lines(const struct bench_run *run)
{
    char problem[RESULT_FILTER + 128], contender[RESULT_FILTER + 128];
    for (int64_t i = 0; i < run->agenda.count; i++) {
        const struct result *result = &run->agenda.results[i];
        const struct samples *kernel = &result->scopes[SCOPE_KERNEL];
        problem_label(&result->problem, problem, sizeof problem);
        result_label(result, contender, sizeof contender);
        if (result->status == RESULT_OK)
            printf("%s: %s: %.4g ms, median of %" PRId64 " runs\n", problem, contender,
                   samples_median(kernel), kernel->count * result->runs_each);
        else
            printf("%s: %s: %s: %s\n", problem, contender, result_status_name(result->status),
                   result->why);
    }
}

/* True if there is something to print on standard output besides JSON. */
static bool bench_report_talks(const struct report *report, const struct bench_run *run)
{
    return !report->json && (agenda_count(&run->agenda, -1, RESULT_OK) > 0 ||
                             agenda_count(&run->agenda, -1, RESULT_WRONG) > 0);
}

/* The exit code for the status of the Python program. */
static int report_code(int status, const char *failed)
{
    bool good =
        WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == NO_PLOTTER);
    bool closed = WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE;
    return good || closed ? 0 : complain(SWATHE_ERROR_INTERNAL, "%s", failed);
}

/* Prints the path of the page, or of bench.md if there is no page. */
static void print_path(const char *folder)
{
    static const char *const names[] = {"report.html", "bench.md", "bench.json"};
    char path[PATH_MAX];
    size_t i = 0;
    do
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    while (++i < sizeof names / sizeof *names && access(path, R_OK) != 0);
    printf("%s\n", path);
}

static int write_folder(const struct report *report, const struct bench_run *run)
{
    const char *words[REPORT_WORDS] = {NULL};
    int count = 3, status = 0, before = interrupt_caught();
    int code = write_results(report->path, report->command, run);
    remove_old(report);
    if (code != 0)
        return code;
    if (!report->plots)
        words[count++] = "--tables";
    if (bench_report_talks(report, run))
        words[count++] = "--summary";
    if (report->peers) {
        words[count++] = "--peers";
        words[count++] = report->peers;
    }
    words[count++] = "--";
    words[count] = report->path;
    bool found = run_report(words, "wrote only bench.json", &status);
    if (interrupt_caught() != before)
        return EXIT_SIGNAL + interrupt_caught();
    if (!found && bench_report_talks(report, run))
        print_lines(run);
    return report_code(status, "writing tables and plots failed; bench.json is complete");
}

/* Prints the tables of a temporary bench.json. */
static int print_tables(const struct report *report, const struct bench_run *run)
{
    char width[16];
    const char *words[REPORT_WORDS] = {NULL, NULL, NULL, "--show", width, "--", run->programs};
    int status = 0, before = interrupt_caught();
    int code = write_results(run->programs, report->command, run);
    if (code != 0)
        return code;
    snprintf(width, sizeof width, "%d", terminal_columns());
    if (!run_report(words, "printed only medians", &status))
        print_lines(run);
    if (interrupt_caught() != before)
        return EXIT_SIGNAL + interrupt_caught();
    return report_code(status, "computing the tables failed");
}

int report_write(const struct report *report, const struct bench_run *run)
{
    int code = report->path                      ? write_folder(report, run)
               : bench_report_talks(report, run) ? print_tables(report, run)
                                                 : 0;
    if (report->json)
        bench_report_write_json(run, report->command, stdout);
    else if (report->path && code == 0)
        print_path(report->path);
    return code;
}

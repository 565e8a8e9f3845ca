#include "status/report.h"

#include "../../src/base/bounded_text.h"
#include "fail.h"
#include "mosaic/mosaic.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <string.h>

enum { MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR };
#define LONGEST (10000.0 * DAY)

double status_rate_add(struct status_rate *rate, int64_t ms, int64_t done)
{
    const struct status_look *last =
        &rate->looks[(rate->first + rate->count + RATE_LOOKS - 1) % RATE_LOOKS];
    if (rate->count > 0 && done < last->done)
        rate->count = 0;
    while (rate->count == RATE_LOOKS ||
           (rate->count > 1 && ms - rate->looks[rate->first].ms > RATE_MS)) {
        rate->first = (rate->first + 1) % RATE_LOOKS;
        rate->count--;
    }
    rate->looks[(rate->first + rate->count) % RATE_LOOKS] = (struct status_look){ms, done};
    rate->count++;
    const struct status_look *oldest = &rate->looks[rate->first];
    if (ms <= oldest->ms)
        return -1;
    return 1000.0 * (double)(done - oldest->done) / (double)(ms - oldest->ms);
}

double status_rate_left(double rate, int64_t left)
{
    double seconds = rate > 0 ? (double)left / rate : -1;
    return left >= 0 && seconds <= LONGEST ? seconds : -1;
}

void status_rate_text(double seconds, char *text, size_t size)
{
    int64_t whole = (int64_t)(seconds + 0.5);
    if (whole < MINUTE)
        snprintf(text, size, "%" PRId64 " s", whole);
    else if (whole < HOUR)
        snprintf(text, size, "%" PRId64 " min", whole / MINUTE);
    else if (whole < DAY)
        snprintf(text, size, "%" PRId64 " h %" PRId64 " min", whole / HOUR, whole % HOUR / MINUTE);
    else
        snprintf(text, size, "%" PRId64 " d %" PRId64 " h", whole / DAY, whole % DAY / HOUR);
}

enum { LIVE_COLUMNS = 80, LIVE_NAME = 24 };

bool status_ended(const struct status_report *report)
{
    return report->state == SET_CANCELLED ||
           (report->complete && report->sum.done + report->sum.dead >= report->jobs);
}

bool status_all_good(const struct status_report *report)
{
    return report->complete && report->sum.done >= report->jobs && report->tally.failed == 0 &&
           report->tally.unknown == 0;
}

int64_t status_done(const struct status_report *report)
{
    return report->mosaic ? report->sum.done : report->tally.images + report->tally.failed;
}

int64_t status_left(const struct status_report *report)
{
    if (report->mosaic)
        return report->jobs - report->sum.done - report->sum.dead;
    /* Images of jobs that were given up are not done, and not left either. */
    double given_up = report->jobs > 0 ? (double)report->sum.dead / (double)report->jobs : 0;
    int64_t left =
        report->listed - status_done(report) - (int64_t)(given_up * (double)report->listed);
    return left > 0 ? left : 0;
}

/* ---- Mosaics ----------------------------------------------------------------------------------
 */

struct phases {
    int64_t tiles, tiles_done, parts, parts_done;
    const char *now;
};

static int64_t count_done(const struct tally *tally, int64_t first, int64_t end)
{
    int64_t count = 0;
    for (int64_t id = first; id < end; id++)
        count += tally_is_done(tally, id);
    return count;
}

static struct phases phases_of(const struct status_report *report)
{
    const struct set *set = report->mosaic;
    struct phases phases = {.tiles = mosaic_tile_jobs(set), .parts = set->parts, .now = "finish"};
    int64_t index = phases.tiles, finish = mosaic_jobs(set) - 1;
    phases.tiles_done = count_done(&report->tally, 0, index);
    phases.parts_done = count_done(&report->tally, index + 1, finish);
    if (phases.tiles_done < phases.tiles)
        phases.now = "tiles";
    else if (count_done(&report->tally, index, index + 1) == 0)
        phases.now = "index";
    else if (phases.parts_done < phases.parts)
        phases.now = "parts";
    else if (count_done(&report->tally, finish, finish + 1) == 1)
        phases.now = "done";
    return phases;
}

static void print_phases(FILE *out, const struct status_report *report)
{
    struct phases phases = phases_of(report);
    fprintf(out,
            "phase %s, jobs of tiles %" PRId64 " of %" PRId64 ", of parts %" PRId64 " of %" PRId64,
            phases.now, phases.tiles_done, phases.tiles, phases.parts_done, phases.parts);
}

static void print_json_phases(FILE *out, const struct status_report *report)
{
    struct phases phases = phases_of(report);
    fprintf(out,
            ",\"mosaic\":{\"phase\":\"%s\",\"tiles\":{\"jobs\":%" PRId64 ",\"done\":%" PRId64
            "},\"parts\":{\"jobs\":%" PRId64 ",\"done\":%" PRId64 "}}",
            phases.now, phases.tiles, phases.tiles_done, phases.parts, phases.parts_done);
}

/* ---- Printing ---------------------------------------------------------------------------------
 */

/* Of the jobs that are done, in percent. */
static double share_of(const struct status_report *report)
{
    return report->jobs > 0 ? 100.0 * (double)report->sum.done / (double)report->jobs : 0;
}

static const char *jobs_word(const struct status_report *report)
{
    return !report->complete ? "+ jobs" : report->jobs == 1 ? " job" : " jobs";
}

void status_print_line(FILE *out, const struct status_report *report)
{
    const struct tally *tally = &report->tally;
    int64_t given_up = report->sum.dead + tally->unknown;
    fprintf(out, "%s: %s%" PRId64 " of %" PRId64 "%s done (%.1f %%), ", report->set,
            report->state == SET_ACTIVE     ? ""
            : report->state == SET_DRAINING ? "draining, "
                                            : "cancelled, ",
            report->sum.done, report->jobs, jobs_word(report), share_of(report));
    if (report->mosaic)
        print_phases(out, report);
    else
        fprintf(out, "%" PRId64 " image%s, %" PRId64 " failed", tally->images,
                plural(tally->images), tally->failed);
    if (given_up)
        fprintf(out, ", %" PRId64 " job%s given up", given_up, plural(given_up));
    fprintf(out, "; %" PRId64 " waiting, %" PRId64 " running", report->waiting, report->running);
    if (report->missing)
        fprintf(out, "; %" PRId64 " job%s missing; retry submits missing jobs again",
                report->missing, plural(report->missing));
    for (size_t i = 0; i < tally->barred_count; i++)
        fprintf(out, "%s%s", i ? ", " : "; in quarantine: ", tally->barred[i]);
    fprintf(out, "\n");
}

static void status_report_add(struct text *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds to a line of a terminal, which takes what fits. */
static void status_report_add(struct text *line, const char *format, ...)
{
    size_t before = line->needed;
    va_list values;
    va_start(values, format);
    text_add_list(line, format, values);
    va_end(values);
    if (line->needed > LIVE_COLUMNS)
        text_cut(line, before);
}

static void add_left(struct text *line, double seconds)
{
    char left[32];
    if (seconds < 0)
        return;
    status_rate_text(seconds, left, sizeof left);
    status_report_add(line, ", about %s left", left);
}

/* What matters most comes first: set, share and time left always fit. */
static void fill_live(struct text *line, const struct status_report *report)
{
    const struct tally *tally = &report->tally;
    int64_t given_up = report->sum.dead + tally->unknown;
    status_report_add(line, "%.*s%s: %s%.1f %%", LIVE_NAME, report->set,
                      strlen(report->set) > LIVE_NAME ? "..." : "",
                      report->state == SET_DRAINING ? "draining, " : "", share_of(report));
    add_left(line, report->left);
    status_report_add(line, ", %" PRId64 " of %" PRId64 "%s", report->sum.done, report->jobs,
                      jobs_word(report));
    if (tally->failed)
        status_report_add(line, ", %" PRId64 " failed", tally->failed);
    if (given_up)
        status_report_add(line, ", %" PRId64 " given up", given_up);
    if (report->missing)
        status_report_add(line, ", %" PRId64 " missing", report->missing);
    if (tally->barred_count)
        status_report_add(line, ", %zu in quarantine", tally->barred_count);
    if (report->mosaic)
        status_report_add(line, ", phase %s", phases_of(report).now);
    if (report->rate >= 0)
        status_report_add(line, ", %.*f %s/s", report->rate < 10 ? 2 : 0, report->rate,
                          report->mosaic ? "jobs" : "images");
    status_report_add(line, ", %" PRId64 " waiting", report->waiting);
    status_report_add(line, ", %" PRId64 " running", report->running);
}

void status_print_live(FILE *out, const struct status_report *report, bool last)
{
    char columns[LIVE_COLUMNS + 1];
    struct text line;
    if (last) {
        fprintf(out, "\r\033[K");
        status_print_line(out, report);
        return;
    }
    text_init(&line, columns, sizeof columns);
    fill_live(&line, report);
    /* Without automatic margins: a line that wraps could not be replaced. */
    fprintf(out, "\r\033[K\033[?7l%s\033[?7h", columns);
}

/* A number, or null if it is not known. */
static void print_json_number(FILE *out, const char *name, double number)
{
    if (number >= 0)
        fprintf(out, ",\"%s\":%.3f", name, number);
    else
        fprintf(out, ",\"%s\":null", name);
}

void status_print_json(FILE *out, const struct status_report *report)
{
    const struct tally *tally = &report->tally;
    fprintf(out,
            "{\"set\":\"%s\",\"state\":\"%s\",\"submitted\":%s,\"jobs\":%" PRId64
            ",\"done\":%" PRId64 ",\"dead\":%" PRId64 ",\"waiting\":%" PRId64
            ",\"running\":%" PRId64 ",\"missing\":%" PRId64 ",\"images\":{\"submitted\":%" PRId64
            ",\"done\":%" PRId64 ",\"failed\":%" PRId64 "},\"not_jobs\":%" PRId64
            ",\"duplicates\":%" PRId64 ",\"ignored\":%" PRId64
            ",\"quarantined\":%zu,\"seconds\":%.3f,\"ended\":%s,\"quarantine\":[",
            report->set, set_state_name(report->state), report->complete ? "true" : "false",
            report->jobs, report->sum.done, report->sum.dead, report->waiting, report->running,
            report->missing, report->listed, tally->images, tally->failed, tally->unknown,
            tally->duplicates, tally->ignored, tally->barred_count, tally->seconds,
            status_ended(report) ? "true" : "false");
    for (size_t i = 0; i < tally->barred_count; i++)
        fprintf(out, "%s\"%s\"", i ? "," : "", tally->barred[i]);
    fprintf(out, "]");
    print_json_number(out, "images_per_second", report->mosaic ? -1 : report->rate);
    print_json_number(out, "jobs_per_second", report->mosaic ? report->rate : -1);
    print_json_number(out, "seconds_left", report->left);
    if (report->mosaic)
        print_json_phases(out, report);
    fprintf(out, "}\n");
}

/* Prints an object, which it frees, as one line. */
static void print_object(FILE *out, json_t *object)
{
    json_dumpf(object, out, JSON_COMPACT);
    fprintf(out, "\n");
    json_decref(object);
}

static void print_failed_job(FILE *out, const struct tally_trouble *job, bool json)
{
    if (json)
        print_object(out,
                     json_pack("{s:I, s:s}", "job", (json_int_t)job->id, "error", job->reason));
    else
        fprintf(out, "job %" PRId64 ": %s\n", job->id, job->reason);
}

static void print_failed_image(FILE *out, int64_t job, const char *key, const char *error,
                               bool json)
{
    size_t length = strlen(key);
    if (strncmp(error, key, length) == 0 && strncmp(error + length, ": ", 2) == 0)
        error += length + 2; /* most reasons start with the name */
    if (json)
        print_object(
            out, json_pack("{s:I, s:s, s:s}", "job", (json_int_t)job, "key", key, "error", error));
    else
        fprintf(out, "%s: %s\n", key, error);
}

void status_print_failures(FILE *out, const struct status_report *report, bool json)
{
    const struct tally *tally = &report->tally;
    for (size_t i = 0; i < tally->trouble_room; i++) {
        const struct tally_trouble *trouble = tally->troubles[i];
        if (trouble && trouble->dead)
            print_failed_job(out, trouble, json);
        for (int32_t k = 0; trouble && k < trouble->count; k++)
            print_failed_image(out, trouble->id, trouble->failures[k].key,
                               trouble->failures[k].error, json);
    }
}

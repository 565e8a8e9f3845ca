#include "status_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

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

/* Without a newline, so that it can be replaced. */
static void print(FILE *out, const struct status_report *report)
{
    const struct tally *tally = &report->tally;
    double share = report->jobs > 0 ? 100.0 * (double)report->sum.done / (double)report->jobs : 0;
    fprintf(out,
            "%s: %s%" PRId64 " of %" PRId64 "%s jobs done (%.1f %%), %" PRId64 " images, %" PRId64
            " failed",
            report->set,
            report->state == SET_ACTIVE     ? ""
            : report->state == SET_DRAINING ? "draining, "
                                            : "cancelled, ",
            report->sum.done, report->jobs, report->complete ? "" : "+", share, tally->images,
            tally->failed);
    if (report->sum.dead || tally->unknown)
        fprintf(out, ", %" PRId64 " jobs given up", report->sum.dead + tally->unknown);
    fprintf(out, "; %" PRId64 " waiting, %" PRId64 " running", report->waiting, report->running);
    if (report->missing)
        fprintf(out, "; %" PRId64 " jobs are missing; retry submits them again", report->missing);
    for (size_t i = 0; i < tally->barred_count; i++)
        fprintf(out, "%s%s", i ? ", " : "; in quarantine: ", tally->barred[i]);
}

void status_print_line(FILE *out, const struct status_report *report)
{
    print(out, report);
    fprintf(out, "\n");
}

void status_print_live(FILE *out, const struct status_report *report, bool last)
{
    /* Without automatic margins: a line that wraps could not be replaced. */
    fprintf(out, last ? "\r\033[K" : "\r\033[K\033[?7l");
    print(out, report);
    fprintf(out, last ? "\n" : "\033[?7h");
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
    fprintf(out, "]}\n");
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
        if (trouble && trouble->dead && !tally_has(tally, trouble->id))
            print_failed_job(out, trouble, json);
        for (int32_t k = 0; trouble && k < trouble->count; k++)
            print_failed_image(out, trouble->id, trouble->failures[k].key,
                               trouble->failures[k].error, json);
    }
}

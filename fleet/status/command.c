/* swathe-fleet status */
#include "status/report.h"

#include "fail.h"
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <nats/nats.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVERY_MS = 500, EXIT_FAILED = 1, MISSING_LOOKS = 10 };

static swathe_status read_report(struct queue *queue, const char *name,
                                 struct status_report *report)
{
    struct set_progress progress = {0};
    struct queue_lag lag = {0};
    int64_t stored;
    /* Progress first: results that arrive later are of jobs that it may not know yet. */
    TRY(session_progress(queue, name, &progress));
    report->jobs = progress.jobs;
    report->listed = progress.images;
    report->complete = progress.complete;
    report->tally.limit = progress.complete ? progress.jobs : -1;
    set_progress_free(&progress);
    TRY(session_state(queue, name, &report->state));
    TRY(queue_lag(queue, name, &lag));
    report->waiting = lag.waiting;
    report->running = lag.delivered;
    TRY(queue_stored(queue, name, &stored));
    TRY(tally_update(&report->tally, queue));
    tally_sum(&report->tally, report->complete ? report->jobs : INT64_MAX, &report->sum);
    report->missing = 0;
    if (status_ended(report) || !report->complete || stored > 0)
        return SWATHE_OK;
    /* The queue was empty before the results were read. If it still is, nothing was submitted
     * meanwhile. */
    TRY(queue_stored(queue, name, &stored));
    if (stored == 0)
        report->missing = report->jobs - report->sum.done - report->sum.dead;
    return SWATHE_OK;
}

static bool status_command_differs(const struct status_report *a, const struct status_report *b)
{
    return a->sum.done != b->sum.done || a->sum.dead != b->sum.dead || a->jobs != b->jobs ||
           a->complete != b->complete || a->state != b->state || a->waiting != b->waiting ||
           a->running != b->running || a->missing != b->missing ||
           a->tally.failed != b->tally.failed || a->tally.images != b->tally.images;
}

static void status_command_read_rate(struct status_rate *rate, struct status_report *report)
{
    report->rate = status_rate_add(rate, nats_Now(), status_done(report));
    bool known = report->complete && !status_ended(report);
    report->left = known ? status_rate_left(report->rate, status_left(report)) : -1;
}

struct manner {
    bool json, wait, live;
};

static void status_command_show(const struct status_report *report, struct manner manner, bool last)
{
    if (manner.json)
        status_print_json(stdout, report);
    else if (manner.live)
        status_print_live(stdout, report, last);
    else if (last)
        status_print_line(stdout, report);
    fflush(stdout);
}

/* Repeats until the set is done, or once. */
static swathe_status status_command_follow(struct queue *queue, const char *name,
                                           struct manner manner, struct status_report *report)
{
    struct status_report shown = {0};
    struct status_rate rate = {0};
    int missing = 0; /* how often in a row */
    for (bool first = true;; first = false) {
        TRY(read_report(queue, name, report));
        status_command_read_rate(&rate, report);
        bool last = status_ended(report) || (!manner.wait && !manner.live);
        if (first || last || manner.live || status_command_differs(report, &shown))
            status_command_show(report, manner, last);
        if (last)
            return SWATHE_OK;
        missing = report->missing > 0 ? missing + 1 : 0;
        if (missing == MISSING_LOOKS && !manner.live)
            fleet_complain(SWATHE_OK,
                           "%" PRId64 " jobs of set '%s' have no outcome and are not in the queue; "
                           "'swathe-fleet retry' submits them again",
                           report->missing, name);
        shown = *report;
        nats_Sleep(EVERY_MS);
    }
}

int command_status(const struct fleet_options *options)
{
    const char *name = fleet_option_text(options, OPTION_SET);
    struct manner manner = {.json = fleet_option_given(options, OPTION_JSON),
                            .wait = fleet_option_given(options, OPTION_WAIT)};
    struct status_report report = {.set = name};
    struct queue *queue = NULL;
    struct set *set = NULL;
    manner.live = !manner.json && isatty(STDOUT_FILENO);
    swathe_status status = session_open(options, &queue);
    if (status == SWATHE_OK)
        status = session_set(queue, name, &set);
    report.mosaic = set && set->is_mosaic ? set : NULL;
    if (status == SWATHE_OK)
        tally_start(&report.tally, name, set->identity);
    if (status == SWATHE_OK)
        status = status_command_follow(queue, name, manner, &report);
    if (status == SWATHE_OK && fleet_option_given(options, OPTION_FAILURES))
        status_print_failures(stdout, &report, manner.json);
    int code = status != SWATHE_OK                        ? fleet_complain_last(status)
               : manner.wait && !status_all_good(&report) ? EXIT_FAILED
                                                          : 0;
    set_free(set);
    tally_free(&report.tally);
    queue_close(queue);
    return code;
}

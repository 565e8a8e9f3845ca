/* swathe-fleet audit */
#include "audit/audit.h"
#include "fail.h"
#include "session.h"
#include "status/tally.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { EXIT_OPEN = 1, EVERY_MS = 200, TALLY_MS = 2000, GRACE_MS = 35000 };

struct audit_run {
    struct audit audit;
    struct tally tally; /* with --wait */
    int64_t tallied;    /* when, in ms */
    bool wait, watch;
    sigset_t signals;
};

/* True if a signal came within the time between two rounds. */
static bool pause_or_signal(const struct audit_run *run)
{
    const struct timespec pause = {.tv_nsec = EVERY_MS * 1000000};
    return sigtimedwait(&run->signals, NULL, &pause) > 0;
}

static swathe_status take_round(struct audit *audit)
{
    TRY(audit_find_barred(audit));
    TRY(audit_read_marks(audit));
    TRY(audit_listen(audit));
    TRY(audit_read(audit));
    return audit_repair(audit);
}

/* A worker that was quarantined just now may still write. It ends within its grace time, or is gone
 * if no worker has jobs. */
static swathe_status have_stopped(const struct audit *audit, bool *stopped)
{
    struct queue_lag lag;
    int64_t last = 0;
    for (int i = 0; i < audit->worker_count; i++)
        last = audit->workers[i].since > last ? audit->workers[i].since : last;
    *stopped = audit->counts.found == 0 || audit_now() - last >= GRACE_MS;
    if (*stopped)
        return SWATHE_OK;
    TRY(queue_lag(audit->queue, audit->set, &lag));
    *stopped = lag.waiting == 0 && lag.delivered == 0;
    return SWATHE_OK;
}

/* Results must name as many images as were submitted: a worker could leave some out. */
static void check_images(struct audit_run *run, const struct set_progress *progress,
                         const struct tally_sum *sum)
{
    int64_t named = run->tally.images + run->tally.failed;
    if (sum->dead == 0 && named != progress->images)
        audit_leave_open(&run->audit,
                         "the results name %" PRId64 " images, but %" PRId64
                         " were submitted: a worker left images out",
                         named, progress->images);
}

/* With --wait: true if every job has an outcome, and all results were read. */
static swathe_status is_complete(struct audit_run *run, bool *complete)
{
    struct audit *audit = &run->audit;
    struct set_progress progress = {0};
    struct tally_sum sum;
    enum set_state state;
    *complete = false;
    if (audit_now() - run->tallied < TALLY_MS)
        return SWATHE_OK;
    TRY(session_progress(audit->queue, audit->set, &progress));
    run->tally.limit = progress.complete ? progress.jobs : -1;
    swathe_status status = tally_update(&run->tally, audit->queue);
    tally_sum(&run->tally, progress.complete ? progress.jobs : INT64_MAX, &sum);
    if (status == SWATHE_OK)
        status = session_state(audit->queue, audit->set, &state);
    run->tallied = audit_now();
    if (status == SWATHE_OK) {
        bool done = progress.complete && sum.done + sum.dead >= progress.jobs;
        *complete = state == SET_CANCELLED || (done && audit->read >= run->tally.last);
        if (*complete && done)
            check_images(run, &progress, &sum);
    }
    set_progress_free(&progress);
    return status;
}

static swathe_status audit_command_is_over(struct audit_run *run, bool *over)
{
    const struct audit *audit = &run->audit;
    *over = !run->watch && audit->case_count == 0 && audit->repairs.waiting == 0 &&
            audit->redo_count == 0 && (run->wait || audit->read >= audit->end);
    if (*over)
        TRY(have_stopped(audit, over));
    if (*over && run->wait)
        TRY(is_complete(run, over));
    return SWATHE_OK;
}

/* Without any answer the audit ends; --watch hopes for workers to come. */
static bool is_alone(const struct audit_run *run)
{
    const struct audit *audit = &run->audit;
    return !run->watch && audit->counts.open > 0 && audit_now() - audit->heard >= audit->patience;
}

static swathe_status audit_command_follow(struct audit_run *run)
{
    bool over = false;
    while (!over) {
        TRY(take_round(&run->audit));
        TRY(audit_command_is_over(run, &over));
        if (over)
            break;
        if (is_alone(run))
            return fleet_fail(SWATHE_ERROR_LIMIT,
                              "no worker answered within %" PRId64
                              " s; start more workers of set '%s', or raise --patience",
                              run->audit.patience / 1000, run->audit.set);
        over = pause_or_signal(run);
    }
    return SWATHE_OK;
}

static swathe_status open_set(struct audit *audit)
{
    const char *name = audit->set;
    enum set_state state;
    TRY(session_set(audit->queue, name, &audit->record));
    if (audit->record->is_mosaic)
        return fleet_fail(SWATHE_ERROR_UNSUPPORTED,
                          "set '%s' is a mosaic; only sets of images can be audited", name);
    TRY(session_state(audit->queue, name, &state));
    if (state == SET_CANCELLED)
        return fleet_fail(SWATHE_ERROR_ARGUMENT, "set '%s' is cancelled", name);
    return SWATHE_OK;
}

static swathe_status start_audit(const struct fleet_options *options, struct audit_run *run)
{
    struct audit *audit = &run->audit;
    double share = fleet_option_number(options, OPTION_AUDIT, 0);
    if (!(share > 0))
        return fleet_fail(SWATHE_ERROR_ARGUMENT, "--audit: the share must be above 0");
    audit->set = fleet_option_text(options, OPTION_SET);
    audit->patience = (int64_t)(1000 * fleet_option_number(options, OPTION_PATIENCE, 600));
    run->wait = fleet_option_given(options, OPTION_WAIT);
    run->watch = fleet_option_given(options, OPTION_WATCH);
    TRY(audit_draw_start(&audit->draw, share, fleet_option_text(options, OPTION_SEED_FILE)));
    TRY(session_open(options, &audit->queue));
    TRY(open_set(audit));
    tally_start(&run->tally, audit->set, audit->record->identity);
    TRY(queue_results_last(audit->queue, audit->set, &audit->end));
    audit->answers = audit->end; /* of questions that are not asked yet */
    if (run->wait || run->watch)
        audit->end = UINT64_MAX;
    return SWATHE_OK;
}

static int audit_command_report(struct audit_run *run, swathe_status status)
{
    struct audit *audit = &run->audit;
    const struct audit_counts *counts = &audit->counts;
    audit_withdraw_all(audit);
    int64_t open =
        counts->open + audit->case_count + audit->repairs.waiting + (int64_t)audit->redo_count;
    printf("%s: drew %" PRId64 " of %" PRId64 " images: %" PRId64 " agreed, %" PRId64
           " open; compared %" PRId64 " repeated results; quarantined %" PRId64
           " worker%s, submitted %" PRId64 " job%s again\n",
           audit->set, counts->drawn, counts->images, counts->agreed, open, counts->compared,
           counts->found, plural(counts->found), counts->redone, plural(counts->redone));
    if (status != SWATHE_OK)
        fleet_complain_last(status);
    return status != SWATHE_OK && status != SWATHE_ERROR_LIMIT ? (int)status
           : open > 0 && !run->watch                           ? EXIT_OPEN
                                                               : 0;
}

int command_audit(const struct fleet_options *options)
{
    struct audit_run *run;
    swathe_status status = fleet_allocate(1, sizeof *run, &run);
    if (status != SWATHE_OK)
        return fleet_complain_last(status);
    sigemptyset(&run->signals);
    sigaddset(&run->signals, SIGTERM);
    sigaddset(&run->signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &run->signals, NULL); /* before any thread: all inherit it */
    status = start_audit(options, run);
    int code = 0;
    if (status == SWATHE_OK)
        code = audit_command_report(run, audit_command_follow(run));
    else
        code = fleet_complain_last(status);
    tally_free(&run->tally);
    audit_free(&run->audit);
    queue_close(run->audit.queue);
    free(run);
    return code;
}

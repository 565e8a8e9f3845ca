/* Jobs that workers in quarantine did are submitted again, with the images of the source: what such
 * a worker says about its images may be wrong, too. This includes jobs that another worker did,
 * too: either output may have been written last. A mark names each message, so that an audit that
 * was interrupted goes on where it stopped. */
#include "audit/audit.h"
#include "fail.h"
#include "session.h"
#include "submit/submit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GRACE_MS: a worker in quarantine ends within its grace time. LIST_PAUSE: between two listings of
 * the source, as a multiple of the time that one took. */
enum { PRIORITY = 1, GRACE_MS = 60000, LIST_PAUSE = 5 };

/* ---- Marks ------------------------------------------------------------------------------------
 */

static bool is_repaired(const struct audit *audit, uint64_t sequence)
{
    return audit_numbers_get(&audit->repaired, sequence / 64) >> sequence % 64 & 1;
}

static swathe_status set_repaired(struct audit *audit, uint64_t sequence)
{
    uint64_t bits = audit_numbers_get(&audit->repaired, sequence / 64);
    return audit_numbers_set(&audit->repaired, sequence / 64, bits | UINT64_C(1) << sequence % 64,
                             INT64_MAX / 4); /* sequences are of the server */
}

static swathe_status take_mark(void *user, const struct queue_record_view *view)
{
    struct audit *audit = user;
    struct set_retry retry;
    struct audit_repair *repair;
    audit->marks = view->sequence;
    if (view->kind != QUEUE_RETRY ||
        set_retry_parse(view->json, view->size, audit->record->identity, &retry) != SWATHE_OK)
        return SWATHE_OK;
    TRY(audit_repairs_add(&audit->repairs, retry.id, &repair));
    if (retry.generation > repair->generation)
        repair->generation = (int32_t)retry.generation;
    if (retry.repairs == 0 || is_repaired(audit, (uint64_t)retry.repairs))
        return SWATHE_OK;
    /* Of an earlier audit, whose result may still be to come. */
    audit_repairs_wait(&audit->repairs, repair, (int32_t)retry.generation);
    return set_repaired(audit, (uint64_t)retry.repairs);
}

swathe_status audit_read_marks(struct audit *audit)
{
    return queue_results_of(audit->queue, audit->set, QUEUE_RETRY, "", audit->marks, take_mark,
                            audit);
}

bool audit_repair_done(struct audit *audit, const struct outcome *outcome)
{
    struct audit_repair *repair = audit_repairs_find(&audit->repairs, outcome->id);
    if (!repair || repair->waiting == 0 || outcome->generation < repair->waiting ||
        outcome->generation > repair->generation)
        return false;
    audit_repairs_wait(&audit->repairs, repair, 0);
    if (outcome->reason[0])
        audit_leave_open(audit, "job %" PRId64 ": open: given up when it was redone: %s",
                         outcome->id, outcome->reason);
    return true;
}

/* ---- Jobs -------------------------------------------------------------------------------------
 */

static swathe_status repair_publish(struct audit *audit, const struct job *job)
{
    char id[IDENTITY_BYTES + 96];
    snprintf(id, sizeof id, "%s.%" PRId64 ".%" PRId64 ".audit", job->set, job->id, job->generation);
    return session_submit(audit->queue, audit->set, PRIORITY, id, job, NULL);
}

static swathe_status repair_mark(struct audit *audit, const struct job *job, uint64_t sequence)
{
    struct set_retry retry = {job->id, job->generation, (int64_t)sequence};
    TRY(session_mark(audit->queue, audit->record, &retry));
    return set_repaired(audit, sequence);
}

static int repair_by_id(const void *a, const void *b)
{
    const struct audit_redo *first = a, *second = b;
    return first->id != second->id
               ? (first->id > second->id) - (first->id < second->id)
               : (first->sequence > second->sequence) - (first->sequence < second->sequence);
}

/* Index of the first entry of a job, or of the one after it; they are sorted. */
static size_t find_redo(const struct audit *audit, int64_t id)
{
    size_t first = 0, end = audit->redo_count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (audit->redo[middle].id < id)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static bool repair_look(void *user, const struct job *job)
{
    const struct audit *audit = user;
    size_t at = find_redo(audit, job->id);
    return at < audit->redo_count && audit->redo[at].id == job->id;
}

/* Generations come from marks alone: the worker could have made up its own. */
static swathe_status repair_take(void *user, const struct job *job)
{
    struct audit *audit = user;
    struct job again = *job;
    struct audit_repair *repair;
    TRY(audit_repairs_add(&audit->repairs, job->id, &repair));
    again.generation = repair->generation + 1;
    TRY(repair_publish(audit, &again));
    for (size_t at = find_redo(audit, job->id);
         at < audit->redo_count && audit->redo[at].id == job->id; at++)
        TRY(repair_mark(audit, &again, audit->redo[at].sequence));
    repair->generation++;
    audit_repairs_wait(&audit->repairs, repair, repair->generation);
    audit->counts.redone++;
    return SWATHE_OK;
}

/* Jobs that submit has not recorded yet stay for a later listing. */
static swathe_status redo_known(struct audit *audit, const struct set_progress *progress)
{
    struct source_jobs jobs = {audit->record, progress, repair_look, repair_take, audit};
    bool same;
    qsort(audit->redo, audit->redo_count, sizeof *audit->redo, repair_by_id);
    size_t known = find_redo(audit, progress->jobs);
    if (known > 0) {
        TRY(source_jobs_list(&jobs, &same));
        if (!same) {
            source_jobs_changed(audit->record);
            audit_leave_open(audit, "open: %zu jobs of worker %s and others cannot be redone: %s",
                             known, audit->redo[0].worker->name, swathe_error_text());
        }
    }
    if (progress->complete) {
        if (known < audit->redo_count)
            fleet_complain(SWATHE_OK,
                           "worker %s sent a message of job %" PRId64
                           ", which set '%s' does not have (%zu such messages)",
                           audit->redo[known].worker->name, audit->redo[known].id, audit->set,
                           audit->redo_count - known);
        known = audit->redo_count;
    }
    audit->redo_count -= known;
    memmove(audit->redo, audit->redo + known, audit->redo_count * sizeof *audit->redo);
    return SWATHE_OK;
}

static swathe_status redo_all(struct audit *audit)
{
    struct set_progress progress = {0};
    int64_t start = audit_now();
    if (audit->redo_count == 0 || start < audit->list_after)
        return SWATHE_OK;
    TRY(session_progress(audit->queue, audit->set, &progress));
    swathe_status status = redo_known(audit, &progress);
    set_progress_free(&progress);
    audit->list_after = audit_now() + LIST_PAUSE * (audit_now() - start);
    return status;
}

/* A dead letter's job is one that others may have done: it is made again all the same, if it has a
 * number. */
static swathe_status add_redo(struct audit *audit, const struct audit_worker *worker,
                              const struct outcome *outcome, uint64_t sequence)
{
    if (outcome->id < 0 || outcome->id >= JOB_AUDIT_FIRST)
        return SWATHE_OK;
    if (audit->redo_count == audit->redo_room) {
        size_t room = audit->redo_room ? 2 * audit->redo_room : 64;
        TRY(fleet_reallocate(room, sizeof *audit->redo, &audit->redo));
        audit->redo_room = room;
    }
    audit->redo[audit->redo_count++] = (struct audit_redo){outcome->id, sequence, worker};
    return SWATHE_OK;
}

/* ---- Workers ----------------------------------------------------------------------------------
 */

struct visit {
    struct audit *audit;
    struct audit_worker *worker;
    uint64_t *after;
};

static void warn_if_alive(struct audit_worker *worker, uint64_t sequence)
{
    if (worker->warned || sequence <= worker->known || audit_now() - worker->since < GRACE_MS)
        return;
    worker->warned = true;
    fleet_complain(SWATHE_OK,
                   "worker %s is in quarantine and still takes jobs; stop it, or lock its account "
                   "in the queue",
                   worker->name);
}

static swathe_status redo_message(void *user, const struct queue_record_view *view)
{
    struct visit *visit = user;
    struct audit *audit = visit->audit;
    struct outcome *outcome = NULL;
    swathe_status status = SWATHE_OK;
    if (!is_repaired(audit, view->sequence))
        status = audit_parse(audit, view, &outcome);
    if (outcome) {
        warn_if_alive(visit->worker, view->sequence);
        status = add_redo(audit, visit->worker, outcome, view->sequence);
    }
    outcome_free(outcome);
    if (status == SWATHE_OK)
        *visit->after = view->sequence;
    return status;
}

static swathe_status redo_kind(struct audit *audit, struct audit_worker *worker,
                               enum queue_outcome kind, uint64_t *after)
{
    struct visit visit = {audit, worker, after};
    return queue_results_of(audit->queue, audit->set, kind, worker->name, *after, redo_message,
                            &visit);
}

swathe_status audit_repair(struct audit *audit)
{
    for (int i = 0; i < audit->worker_count; i++) {
        struct audit_worker *worker = &audit->workers[i];
        TRY(redo_kind(audit, worker, QUEUE_RESULT, &worker->results));
        TRY(redo_kind(audit, worker, QUEUE_DEAD, &worker->dead));
    }
    return redo_all(audit);
}

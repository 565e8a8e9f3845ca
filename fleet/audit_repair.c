/* Jobs that workers in quarantine did are submitted again, with all their images. Every message of
 * such a worker leads to one job, also if another worker did the job, too: either output may have
 * been written last. A mark names the message, so that an audit that was interrupted goes on where
 * it stopped. */
#include "audit.h"
#include "fleet_fail.h"
#include "set_progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* WINDOW: jobs on their way at once. A worker in quarantine ends within its grace time. */
enum { WINDOW = 1024, PRIORITY = 1, GRACE_MS = 60000 };

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
    if (view->kind != QUEUE_RETRY || set_retry_parse(view->json, view->size, &retry) != SWATHE_OK)
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

static swathe_status publish(struct audit *audit, const struct job *job, uint64_t sequence)
{
    char *json, id[NAME_BYTES + 96];
    size_t size;
    snprintf(id, sizeof id, "%s.%" PRId64 ".%" PRId64 ".%" PRIu64, job->set, job->id,
             job->generation, sequence);
    TRY(job_format(job, &json, &size));
    swathe_status status = queue_submit(audit->queue, audit->set, PRIORITY, id, json, size);
    free(json);
    TRY(status);
    struct set_retry retry = {job->id, job->generation, (int64_t)sequence};
    TRY(set_retry_format(audit->set, &retry, &json, &size));
    status = queue_publish(audit->queue, audit->set, QUEUE_RETRY, json, size);
    free(json);
    return status;
}

/* Generations come from marks alone: the worker could have made up its own. */
static swathe_status submit(struct audit *audit, struct job *job, uint64_t sequence)
{
    struct audit_repair *repair;
    TRY(audit_repairs_add(&audit->repairs, job->id, &repair));
    job->generation = repair->generation + 1;
    TRY(publish(audit, job, sequence));
    repair->generation++;
    audit_repairs_wait(&audit->repairs, repair, repair->generation);
    audit->counts.redone++;
    return set_repaired(audit, sequence);
}

static swathe_status redo_images(struct audit *audit, const struct outcome *outcome,
                                 uint64_t sequence)
{
    struct job job = {.id = outcome->id, .kind = JOB_IMAGES_KEYS, .count = outcome->count};
    snprintf(job.set, sizeof job.set, "%s", audit->set);
    TRY(fleet_allocate((size_t)outcome->count, sizeof *job.keys, &job.keys));
    for (int32_t i = 0; i < outcome->count; i++)
        job.keys[i] = (char *)outcome->images[i].key; /* only read */
    swathe_status status = submit(audit, &job, sequence);
    free(job.keys);
    return status;
}

/* Audits have no output, and nothing to redo. */
static swathe_status redo(struct audit *audit, const struct outcome *outcome, uint64_t sequence)
{
    if (outcome->id < 0 || outcome->id >= JOB_AUDIT_FIRST)
        return SWATHE_OK;
    if (outcome->reason[0])
        return outcome->job ? submit(audit, outcome->job, sequence) : SWATHE_OK;
    bool images = outcome->kind == JOB_IMAGES_KEYS || outcome->kind == JOB_MANIFEST;
    return images && outcome->count > 0 ? redo_images(audit, outcome, sequence) : SWATHE_OK;
}

/* ---- Workers ----------------------------------------------------------------------------------
 */

struct visit {
    struct audit *audit;
    struct audit_worker *worker;
    uint64_t *after;
    bool full;
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
    if (audit->repairs.waiting >= WINDOW) {
        visit->full = true;
        return SWATHE_ERROR_CANCELLED;
    }
    if (!is_repaired(audit, view->sequence))
        status = audit_parse(audit, view, &outcome);
    if (outcome) {
        warn_if_alive(visit->worker, view->sequence);
        status = redo(audit, outcome, view->sequence);
    }
    outcome_free(outcome);
    if (status == SWATHE_OK)
        *visit->after = view->sequence;
    return status;
}

static swathe_status redo_kind(struct audit *audit, struct audit_worker *worker,
                               enum queue_outcome kind, uint64_t *after)
{
    struct visit visit = {audit, worker, after, false};
    swathe_status status = queue_results_of(audit->queue, audit->set, kind, worker->name, *after,
                                            redo_message, &visit);
    return visit.full ? SWATHE_OK : status;
}

swathe_status audit_repair(struct audit *audit)
{
    for (int i = 0; i < audit->worker_count; i++) {
        struct audit_worker *worker = &audit->workers[i];
        TRY(redo_kind(audit, worker, QUEUE_RESULT, &worker->results));
        TRY(redo_kind(audit, worker, QUEUE_DEAD, &worker->dead));
    }
    return SWATHE_OK;
}

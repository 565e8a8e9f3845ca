#define _GNU_SOURCE /* memmem */
/* Questions to workers: an image is to be made again, without an output. */
#include "audit/audit.h"
#include "fail.h"
#include "session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { EXCLUDED_MOST = AUDIT_BARRED + AUDIT_CLAIMS + AUDIT_REFUSALS };

struct audit_case *audit_open(struct audit *audit, int64_t of, const char *key)
{
    struct audit_case *made;
    if (audit->case_count == AUDIT_CASES || fleet_allocate(1, sizeof *made, &made) != SWATHE_OK)
        return NULL;
    made->of = of;
    if (fleet_copy_text(key, &made->key) != SWATHE_OK) {
        free(made);
        return NULL;
    }
    audit->cases[audit->case_count++] = made;
    return made;
}

static void audit_ask_withdraw(struct audit *audit, struct audit_case *audit_case)
{
    /* If it fails, the job's answer finds no case later. */
    if (audit_case->question != 0)
        queue_withdraw(audit->queue, audit->set, audit_case->sequence);
    audit_case->question = 0;
}

/* A question on its way is left to be answered: a job that is removed while a worker has it counts
 * as delivered for another 30 seconds. */
void audit_close(struct audit *audit, struct audit_case *audit_case)
{
    for (int i = 0; i < audit->case_count; i++)
        if (audit->cases[i] == audit_case)
            audit->cases[i] = audit->cases[--audit->case_count];
    free(audit_case->key);
    free(audit_case);
}

void audit_withdraw_all(struct audit *audit)
{
    for (int i = 0; i < audit->case_count; i++)
        audit_ask_withdraw(audit, audit->cases[i]);
}

/* A random id: only a worker that was given the question can answer it. */
static swathe_status new_question(int64_t *id)
{
    uint64_t bits;
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        return fleet_fail(SWATHE_ERROR_IO, "no random numbers");
    *id = JOB_AUDIT_FIRST | (int64_t)(bits & (JOB_AUDIT_FIRST - 1));
    return SWATHE_OK;
}

/* Workers that have answered, those that could not, and those in quarantine. */
static int list_excluded(struct audit *audit, struct audit_case *audit_case, char **names)
{
    int count = 0;
    for (int i = 0; i < audit_case->claim_count; i++)
        names[count++] = audit_case->claims[i].worker;
    for (int i = 0; i < audit_case->refusal_count; i++)
        names[count++] = audit_case->refusals[i];
    for (int i = 0; i < audit->worker_count; i++)
        names[count++] = audit->workers[i].name;
    return count;
}

static swathe_status audit_ask(struct audit *audit, struct audit_case *audit_case)
{
    char *names[EXCLUDED_MOST], id[NAME_BYTES + 64];
    struct job job = {.kind = JOB_AUDIT, .count = 1, .keys = &audit_case->key};
    TRY(new_question(&job.id));
    snprintf(job.set, sizeof job.set, "%s", audit->record->identity);
    snprintf(id, sizeof id, "%s.audit.%" PRId64, audit->set, job.id);
    job.of = audit_case->of;
    job.excluded = names;
    job.excluded_count = list_excluded(audit, audit_case, names);
    TRY(session_submit(audit->queue, audit->set, 0, id, &job, &audit_case->sequence));
    audit_case->question = job.id;
    audit_case->asked = audit_now();
    if (audit->heard == 0)
        audit->heard = audit_case->asked;
    return SWATHE_OK;
}

static void leave_undecided(struct audit *audit, const struct audit_case *audit_case)
{
    char names[AUDIT_CLAIMS * (NAME_BYTES + 3)] = "";
    for (int i = 0; i < audit_case->claim_count; i++) {
        size_t at = strlen(names);
        snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "",
                 audit_case->claims[i].worker);
    }
    audit_leave_open(audit,
                     "%s: open: no majority among the results of %s; audit again with more workers",
                     audit_case->key, names);
}

swathe_status audit_consider(struct audit *audit, struct audit_case *audit_case)
{
    const struct audit_claim *truth = NULL;
    switch (audit_case_judge(audit_case, &truth)) {
    case AUDIT_ASK:
        return audit_ask(audit, audit_case);
    case AUDIT_OUTVOTED:
        return audit_sentence(audit, audit_case, truth);
    case AUDIT_UNDECIDED:
        leave_undecided(audit, audit_case);
        break;
    case AUDIT_IMPOSSIBLE:
        audit_leave_open(audit,
                         "%s: open: %d workers could not make what worker %s says it made: %s",
                         audit_case->key, audit_case->refusal_count, audit_case->claims[0].worker,
                         audit_case->error);
        break;
    case AUDIT_AGREED:
    default:
        audit->counts.agreed++;
        break;
    }
    audit_close(audit, audit_case);
    return SWATHE_OK;
}

/* ---- Answers ----------------------------------------------------------------------------------
 */

static struct audit_case *find_question(const struct audit *audit, int64_t id)
{
    for (int i = 0; i < audit->case_count; i++)
        if (audit->cases[i]->question == id)
            return audit->cases[i];
    return NULL;
}

/* Takes the answer of a worker that the server vouches for. Who was excluded has no vote. */
static swathe_status audit_ask_take_answer(struct audit *audit, struct audit_case *audit_case,
                                           const char *worker, const struct outcome *outcome)
{
    bool dead = outcome->reason[0] != '\0';
    const struct outcome_image *image = outcome->images;
    if (audit_case_knows(audit_case, worker) || outcome->generation != 0 ||
        (!dead && (outcome->kind != JOB_AUDIT || outcome->count != 1 ||
                   strcmp(image->key, audit_case->key) != 0)))
        return SWATHE_OK;
    audit->heard = audit_now();
    audit_case->question = 0;
    if (audit_is_barred(audit, worker))
        return audit_ask(audit, audit_case);
    if (dead || image->status != SWATHE_OK)
        audit_case_refuse(audit_case, worker, dead ? outcome->reason : image->error);
    else
        audit_case_claim(audit_case, worker, image->samples);
    return audit_consider(audit, audit_case);
}

static swathe_status audit_ask_hear(void *user, const struct queue_record_view *view)
{
    struct audit *audit = user;
    struct outcome *outcome = NULL;
    audit->answers = view->sequence;
    /* Most messages are results of other jobs: look before they are parsed. */
    if (view->kind == QUEUE_RETRY || !memmem(view->json, view->size, "\"audit\"", 7))
        return SWATHE_OK;
    TRY(audit_parse(audit, view, &outcome));
    if (!outcome)
        return SWATHE_OK;
    struct audit_case *audit_case =
        outcome->id >= JOB_AUDIT_FIRST ? find_question(audit, outcome->id) : NULL;
    swathe_status status =
        audit_case ? audit_ask_take_answer(audit, audit_case, view->worker, outcome) : SWATHE_OK;
    outcome_free(outcome);
    return status;
}

static void audit_ask_expire(struct audit *audit, struct audit_case *audit_case)
{
    if (audit_case->claim_count < 2)
        audit_leave_open(audit, "%s: open: no worker other than %s answered within %" PRId64 " s",
                         audit_case->key, audit_case->claims[0].worker, audit->patience / 1000);
    else
        audit_leave_open(audit,
                         "%s: open: the results of %s and %s differ, and no third worker answered "
                         "within %" PRId64 " s",
                         audit_case->key, audit_case->claims[0].worker,
                         audit_case->claims[1].worker, audit->patience / 1000);
    audit_ask_withdraw(audit, audit_case);
    audit_close(audit, audit_case);
}

/* Gives up cases with at least so many claims. */
static void expire_old(struct audit *audit, int claims)
{
    int64_t now = audit_now();
    for (int i = audit->case_count - 1; i >= 0; i--)
        if (audit->cases[i]->claim_count >= claims &&
            now - audit->cases[i]->asked >= audit->patience)
            audit_ask_expire(audit, audit->cases[i]);
}

swathe_status audit_listen(struct audit *audit)
{
    TRY(queue_results(audit->queue, audit->set, audit->answers, audit_ask_hear, audit));
    expire_old(audit, 2); /* differences first: few messages are printed */
    expire_old(audit, 1);
    return SWATHE_OK;
}

/* Judges what workers say about an image, and puts those who are outvoted in quarantine. */
#include "audit/audit.h"

#include "fail.h"
#include "fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* True for the first claim of its worker. */
static bool is_first(const struct audit_case *audit_case, int at)
{
    for (int i = 0; i < at; i++)
        if (strcmp(audit_case->claims[i].worker, audit_case->claims[at].worker) == 0)
            return false;
    return true;
}

static bool contradicts_itself(const struct audit_case *audit_case, int at)
{
    const struct audit_claim *claim = &audit_case->claims[at];
    for (int i = 0; i < audit_case->claim_count; i++)
        if (strcmp(audit_case->claims[i].worker, claim->worker) == 0 &&
            strcmp(audit_case->claims[i].samples, claim->samples) != 0)
            return true;
    return false;
}

/* Votes for the same samples as those of a claim. */
static int votes_for(const struct audit_case *audit_case, const char *samples)
{
    int votes = 0;
    for (int i = 0; i < audit_case->claim_count; i++)
        votes += strcmp(audit_case->claims[i].samples, samples) == 0 && is_first(audit_case, i) &&
                 !contradicts_itself(audit_case, i);
    return votes;
}

enum audit_verdict audit_case_judge(const struct audit_case *audit_case,
                                    const struct audit_claim **truth)
{
    int workers = 0, best = 0, second = 0;
    bool differ = false;
    for (int i = 0; i < audit_case->claim_count; i++) {
        const struct audit_claim *claim = &audit_case->claims[i];
        int votes = votes_for(audit_case, claim->samples);
        workers += is_first(audit_case, i);
        differ |= strcmp(claim->samples, audit_case->claims[0].samples) != 0;
        if (best == 0 || strcmp(claim->samples, (*truth)->samples) != 0) {
            second = votes > best ? best : votes > second ? votes : second;
            if (votes > best) {
                best = votes;
                *truth = claim;
            }
        }
    }
    if (best >= 2 && best > second)
        return differ ? AUDIT_OUTVOTED : AUDIT_AGREED;
    if (workers >= 3)
        return AUDIT_UNDECIDED;
    return audit_case->refusal_count < AUDIT_REFUSALS ? AUDIT_ASK : AUDIT_IMPOSSIBLE;
}

bool audit_case_claim(struct audit_case *audit_case, const char *worker, const char *samples)
{
    for (int i = 0; i < audit_case->claim_count; i++)
        if (strcmp(audit_case->claims[i].worker, worker) == 0 &&
            strcmp(audit_case->claims[i].samples, samples) == 0)
            return true;
    if (audit_case->claim_count == AUDIT_CLAIMS)
        return false;
    struct audit_claim *claim = &audit_case->claims[audit_case->claim_count++];
    snprintf(claim->worker, sizeof claim->worker, "%s", worker);
    snprintf(claim->samples, sizeof claim->samples, "%s", samples);
    return true;
}

void audit_case_refuse(struct audit_case *audit_case, const char *worker, const char *error)
{
    if (audit_case->refusal_count == AUDIT_REFUSALS)
        return;
    snprintf(audit_case->refusals[audit_case->refusal_count++], NAME_BYTES + 1, "%s", worker);
    snprintf(audit_case->error, sizeof audit_case->error, "%.*s", OUTCOME_ERROR_BYTES, error);
}

void audit_case_forget(struct audit_case *audit_case, const char *worker)
{
    int kept = 0;
    for (int i = 0; i < audit_case->claim_count; i++)
        if (strcmp(audit_case->claims[i].worker, worker) != 0)
            audit_case->claims[kept++] = audit_case->claims[i];
    audit_case->claim_count = kept;
}

bool audit_case_knows(const struct audit_case *audit_case, const char *worker)
{
    for (int i = 0; i < audit_case->claim_count; i++)
        if (strcmp(audit_case->claims[i].worker, worker) == 0)
            return true;
    for (int i = 0; i < audit_case->refusal_count; i++)
        if (strcmp(audit_case->refusals[i], worker) == 0)
            return true;
    return false;
}

/* ---- Quarantine -------------------------------------------------------------------------------
 */

/* Workers whose results were wrong. */

bool audit_is_barred(const struct audit *audit, const char *worker)
{
    for (int i = 0; i < audit->worker_count; i++)
        if (strcmp(audit->workers[i].name, worker) == 0)
            return true;
    return false;
}

static swathe_status audit_judge_bar(struct audit *audit, const char *worker)
{
    if (audit->worker_count == AUDIT_BARRED)
        return fleet_fail(SWATHE_ERROR_LIMIT,
                          "more than %d workers are in quarantine; stop the workers and look for "
                          "a common cause",
                          AUDIT_BARRED);
    struct audit_worker *made = &audit->workers[audit->worker_count++];
    *made = (struct audit_worker){.since = audit_now(), .known = audit->answers};
    memcpy(made->name, worker, strlen(worker) + 1);
    return SWATHE_OK;
}

/* What a worker in quarantine said does not count. Cases that were only about its results end: all
 * of these are made again. */
static void audit_judge_forget(struct audit *audit, const char *worker)
{
    for (int i = audit->case_count - 1; i >= 0; i--) {
        audit_case_forget(audit->cases[i], worker);
        if (audit->cases[i]->claim_count == 0)
            audit_close(audit, audit->cases[i]);
    }
}

/* The record: what it said, and what the others said. */
static swathe_status store_evidence(struct audit *audit, const struct audit_case *audit_case,
                                    const struct audit_claim *wrong)
{
    char *json;
    json_t *claims = json_array();
    for (int i = 0; i < audit_case->claim_count; i++)
        json_array_append_new(claims,
                              json_pack("{s:s, s:s}", "worker", audit_case->claims[i].worker,
                                        "samples", audit_case->claims[i].samples));
    json_t *object =
        json_pack("{s:i, s:s, s:s, s:s, s:I, s:s, s:o, s:I}", "v", 1, "set", audit->set, "worker",
                  wrong->worker, "key", audit_case->key, "job", (json_int_t)audit_case->of,
                  "samples", wrong->samples, "claims", claims, "time", (json_int_t)time(NULL));
    TRY(fields_write(object, MESSAGE_BYTES, "record of a quarantine", &json, NULL));
    swathe_status status = queue_quarantine_put(audit->queue, audit->set, wrong->worker, json);
    free(json);
    return status;
}

/* The workers whose claims are the truth: "a and b". */
static void name_majority(const struct audit_case *audit_case, const struct audit_claim *truth,
                          char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < audit_case->claim_count; i++) {
        size_t at = strlen(text);
        if (strcmp(audit_case->claims[i].samples, truth->samples) == 0)
            snprintf(text + at, size - at, "%s%s", at ? " and " : "", audit_case->claims[i].worker);
    }
}

static swathe_status audit_judge_sentence(struct audit *audit, const struct audit_case *audit_case,
                                          const struct audit_claim *wrong,
                                          const struct audit_claim *truth)
{
    char names[AUDIT_CLAIMS * (NAME_BYTES + 6)];
    if (audit_is_barred(audit, wrong->worker))
        return SWATHE_OK;
    TRY(store_evidence(audit, audit_case, wrong));
    name_majority(audit_case, truth, names, sizeof names);
    fleet_complain(SWATHE_OK,
                   "worker %s is quarantined: %s: the SHA-256 of its samples is %s, and %s for %s; "
                   "all jobs that it did will be redone",
                   wrong->worker, audit_case->key, wrong->samples, truth->samples, names);
    audit->counts.found++;
    return audit_judge_bar(audit, wrong->worker);
}

swathe_status audit_sentence(struct audit *audit, struct audit_case *audit_case,
                             const struct audit_claim *truth)
{
    swathe_status status = SWATHE_OK;
    for (int i = 0; status == SWATHE_OK && i < audit_case->claim_count; i++)
        if (strcmp(audit_case->claims[i].samples, truth->samples) != 0)
            status = audit_judge_sentence(audit, audit_case, &audit_case->claims[i], truth);
    audit_close(audit, audit_case);
    for (int i = 0; i < audit->worker_count; i++)
        audit_judge_forget(audit, audit->workers[i].name);
    return status;
}

static swathe_status audit_judge_find(void *user, const char *worker)
{
    struct audit *audit = user;
    if (!name_is_safe(worker) || audit_is_barred(audit, worker))
        return SWATHE_OK;
    TRY(audit_judge_bar(audit, worker));
    audit_judge_forget(audit, worker);
    return SWATHE_OK;
}

swathe_status audit_find_barred(struct audit *audit)
{
    return queue_quarantine_list(audit->queue, audit->set, audit_judge_find, audit);
}

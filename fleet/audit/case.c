#include "audit/case.h"

#include <stdio.h>
#include <string.h>

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

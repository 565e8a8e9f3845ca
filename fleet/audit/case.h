/* An image under audit: what workers say its samples are, and what follows from that. */
#ifndef FLEET_AUDIT_CASE_H
#define FLEET_AUDIT_CASE_H

#include "set/job_message.h"

enum { AUDIT_CLAIMS = 8, AUDIT_REFUSALS = 3 };

struct audit_claim {
    char worker[NAME_BYTES + 1];
    char samples[65]; /* SHA-256 */
};

struct audit_case {
    int64_t of; /* the job */
    char *key;
    int claim_count, refusal_count;
    struct audit_claim claims[AUDIT_CLAIMS];
    char refusals[AUDIT_REFUSALS][NAME_BYTES + 1]; /* workers that could not make the image */
    char error[OUTCOME_ERROR_BYTES + 1];           /* of the last of them */
    int64_t question;                              /* id of the audit job; 0: none */
    uint64_t sequence;                             /* of it, in the stream of jobs */
    int64_t asked;                                 /* when, in ms */
};

enum audit_verdict {
    AUDIT_ASK,       /* another worker must make the image */
    AUDIT_AGREED,    /* two workers made the same */
    AUDIT_OUTVOTED,  /* two workers made the same, and others did not */
    AUDIT_UNDECIDED, /* three workers, and no two of them agree */
    AUDIT_IMPOSSIBLE /* too many workers could not make it */
};

/* Judges the claims. A worker has one vote, and none if it contradicts itself. AUDIT_OUTVOTED:
 * *truth is a claim of the majority. */
enum audit_verdict audit_case_judge(const struct audit_case *audit_case,
                                    const struct audit_claim **truth);
/* Adds a claim unless the worker made it before. False: there is no room. */
bool audit_case_claim(struct audit_case *audit_case, const char *worker, const char *samples);
void audit_case_refuse(struct audit_case *audit_case, const char *worker, const char *error);
/* Removes the claims of a worker. */
void audit_case_forget(struct audit_case *audit_case, const char *worker);
/* True if the worker claimed something or could not make the image. */
bool audit_case_knows(const struct audit_case *audit_case, const char *worker);

#endif

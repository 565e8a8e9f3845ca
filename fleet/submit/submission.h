/* Keys on their way to the queue: collected into jobs, published, and recorded. */
#ifndef FLEET_SUBMIT_SUBMISSION_H
#define FLEET_SUBMIT_SUBMISSION_H

#include "queue/queue.h"
#include "set/set.h"
#include "set/set_progress.h"

/* A key of a source. */
struct submission_key {
    const char *key;
    int64_t size;           /* bytes of the image; -1: not known */
    int64_t offset, length; /* of its line in the manifest, with the newline */
    const char *mark;       /* where to continue after it: the key, or an offset as text */
};

enum { SUBMISSION_BATCH = 100 };

/* Jobs that are published together, after the record says so. If submit is interrupted, the next
 * one makes them again, and can tell whether they are the same. */
struct submission_batch {
    char *jobs[SUBMISSION_BATCH];
    int count;
    int64_t started;            /* ms */
    struct set_progress before; /* with the last job that was published */
};

struct submission {
    struct queue *queue; /* NULL: only counts */
    /* NULL, or gets each job, with its keys, instead of the queue. */
    swathe_status (*visit)(void *user, const struct job *job);
    void *user;
    bool *found; /* NULL, or set by the first usable key, which then is not added */
    const struct set *set;
    int priority;
    bool ranges;                          /* jobs are ranges of the manifest */
    struct set_progress progress;         /* with the last job that was made */
    int64_t earlier_jobs, earlier_images; /* published by an earlier submit */
    bool was_complete;                    /* nothing was left to publish */
    int64_t bytes, reads, writes;         /* of the images; estimated requests */
    int64_t unsized;                      /* images whose size is not known */
    int64_t skipped;                      /* keys that cannot be jobs */

    struct job job; /* being collected */
    int64_t job_bytes;
    size_t room; /* of the message that its result needs */
    struct submission_batch batch;
    char mark[KEY_BYTES + 1]; /* of its last key */
    char **names;             /* of results whose name another key could share, for --format */
    int32_t name_count;
};

swathe_status submission_start(struct submission *submission);
swathe_status submission_add(struct submission *submission, const struct submission_key *key);
/* Publishes the last job, waits for all acknowledgements and records that the set is complete. */
swathe_status submission_finish(struct submission *submission);
void submission_free(struct submission *submission);

/* submission_batch.c: starts at submission->progress. */
swathe_status submission_batch_start(struct submission *submission);
/* Takes the text of a job; publishes the batch if it is full or old. */
swathe_status submission_batch_add(struct submission *submission, char *json);
/* Publishes the last batch and records that the set is complete. */
swathe_status submission_batch_finish(struct submission *submission);
void submission_batch_free(struct submission *submission);

/* Fails if another key before this one has the same result, as a.png and a.tif have with --format
 * jpeg. Keys must come in the order of their bytes. */
swathe_status submission_check_name(struct submission *submission, const char *key);

#endif

/* How submit makes a set: its record, and the keys of its source, collected into jobs. Once more
 * the same jobs, for retry and audit. */
#ifndef FLEET_SUBMIT_SUBMIT_H
#define FLEET_SUBMIT_SUBMIT_H

#include "options.h"
#include "queue/queue.h"
#include "set/set.h"
#include "store.h"

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

/* ---- source.c: where the keys of a set come from ---- */

/* Adds the keys of the set's prefix or manifest that follow progress.last. */
swathe_status submit_source_run(struct submission *submission, struct store *store);
/* Fails if the set's prefix or manifest cannot be read, or has no images. */
swathe_status submit_source_check(const struct set *set, struct store *store);
/* The failure that it has none. */
swathe_status submit_source_empty(const struct set *set);
/* An absolute URL or path; directories, and prefixes if `is_prefix`, end in '/'. */
swathe_status submit_source_url(const char *text, bool is_prefix, char **url);

/* ---- set.c: the record of a set from the options of submit ---- */

/* Checks the chain and the options that the library knows. Frees nothing on failure: call set_free
 * in either case. */
swathe_status submit_set_fill(const struct fleet_options *options, struct set *set);
/* SWATHE_ERROR_ARGUMENT, and where they differ, if the record is not that of the set. */
swathe_status submit_set_compare(const struct set *set, const char *record);

/* ---- source_jobs.c: the jobs of a set as submit made them, from the source: what results and dead
 * letters say about jobs may be wrong ---- */

struct source_jobs {
    const struct set *set;
    const struct set_progress *progress;
    /* Sees every job while the source is listed, with its keys also if it is a range of a manifest.
     * True: `take` shall get the job. */
    bool (*look)(void *user, const struct job *job);
    /* Gets jobs, in the order of their numbers, after the source was compared. */
    swathe_status (*take)(void *user, const struct job *job);
    void *user;
};

/* Lists the source. *same: its first progress->jobs jobs are those that were submitted; otherwise
 * nothing was taken. A mosaic's jobs follow from its record and are always the same. */
swathe_status source_jobs_list(const struct source_jobs *jobs, bool *same);
/* The failure that the source is not the same. */
swathe_status source_jobs_changed(const struct set *set);

#endif

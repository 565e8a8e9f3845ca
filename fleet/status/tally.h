/* What is done of a set, counted from its results. A job counts once, whichever worker did it and
 * however often. Results of workers in quarantine do not count. */
#ifndef FLEET_STATUS_TALLY_H
#define FLEET_STATUS_TALLY_H

#include "queue/queue.h"
#include "set/message.h"

/* An image that failed. */
struct tally_failure {
    char *key;
    swathe_status status;
    char *error;
};

/* A job that is not simply done. */
struct tally_trouble {
    int64_t id;
    int64_t submitted;           /* its last generation, as retries marked it */
    int64_t seen;                /* the last generation with an outcome; -1: none */
    bool dead;                   /* that outcome is a dead letter */
    char *reason;                /* of the dead letter */
    char worker[NAME_BYTES + 1]; /* that sent the last message with a failure */
    struct job *job;             /* from it; may be NULL */
    int32_t named;               /* images of the job that were counted; JOB_IMAGES: all */
    int32_t count, room;
    struct tally_failure *failures;
};

struct tally {
    int64_t limit;      /* ids from here on are not of this set; -1: not known yet */
    int64_t images;     /* succeeded */
    int64_t failed;     /* images */
    int64_t unknown;    /* dead letters of messages that were not jobs */
    int64_t ignored;    /* messages that are not results of this set */
    int64_t duplicates; /* results of jobs that had one */
    double seconds;     /* of work */
    uint64_t last;      /* sequence of the last message counted */
    int64_t highest;    /* id of a result or dead letter that counted */
    int64_t limited;    /* `limit` when the messages so far were counted */
    bool refused;       /* a message because of its id, which a later `limit` may allow */
    int64_t messages;
    char set[NAME_BYTES + 1], identity[IDENTITY_BYTES + 1];

    uint64_t **pages; /* bits of jobs with a result */
    size_t page_room;
    int64_t page_count;
    struct tally_trouble **troubles; /* hash table by id */
    size_t trouble_room, trouble_count;
    char (*barred)[NAME_BYTES + 1]; /* workers in quarantine */
    size_t barred_count;
};

struct tally_sum {
    int64_t done; /* jobs with a result, and not submitted again since */
    int64_t dead; /* given up, and not submitted again since */
};

/* `identity` is in the messages of the set; those with another one are ignored. */
void tally_start(struct tally *tally, const char *set, const char *identity);
void tally_free(struct tally *tally);
/* Reads the results that were added since the last call. If a worker came into quarantine, or the
 * number of jobs became known and contradicts what was counted, counts all again. */
swathe_status tally_update(struct tally *tally, struct queue *queue);
/* Counts one message; for tests. */
swathe_status tally_count(struct tally *tally, const struct queue_record_view *view);
/* True if messages that were counted or ignored would not be with the present `limit`. */
bool tally_is_stale(const struct tally *tally);
void tally_sum(const struct tally *tally, int64_t jobs, struct tally_sum *sum);
bool tally_has(const struct tally *tally, int64_t id);
/* True if the last outcome of the job is a result, and it was not submitted again since. */
bool tally_is_done(const struct tally *tally, int64_t id);
/* True if the job has no outcome since it was last submitted. */
bool tally_is_open(const struct tally *tally, int64_t id);
/* The generation of a job that is submitted once more. */
int64_t tally_next_generation(const struct tally *tally, int64_t id);

/* Trouble of a job; NULL: none. */
const struct tally_trouble *tally_find_trouble(const struct tally *tally, int64_t id);

#endif

/* What the files of the queue share. */
#ifndef FLEET_QUEUE_INSIDE_H
#define FLEET_QUEUE_INSIDE_H

#include "queue/queue.h"
#include "set/message.h"

#include <nats/nats.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    QUEUE_WAIT_MS = 5000,   /* for one answer of the server */
    QUEUE_PATIENCE_S = 60,  /* for a call, while the server restarts or elects a leader */
    QUEUE_SUBJECT = 3 * 64, /* bytes of a subject or a stream's name with two names in it */
    QUEUE_WINDOW = 256,     /* jobs published and not yet acknowledged */
    QUEUE_DENIALS = 16
};

#define SETS_STREAM "SWATHE_SETS"

typedef char queue_text[QUEUE_SUBJECT];
typedef char queue_prefix[128]; /* of the subjects of an inbox, with a dot at the end */

typedef char queue_denial[256];

struct queue_puller; /* requests for the jobs of a set, and the inbox where they arrive */

struct queue {
    natsConnection *connection;
    jsCtx *js;
    char name[NAME_BYTES + 1]; /* of the worker; may be empty */
    atomic_int denied;         /* permission errors that the server has reported */
    atomic_bool closed;        /* the connection; no callback follows */
    atomic_int lost;           /* connections that were lost */
    atomic_int interrupts;     /* of pulls */
    atomic_bool uncounted;     /* the user may not ask how many jobs the stream has */

    natsSubscription *answers; /* to the messages of queue_finish; NULL before the first */
    queue_prefix answers_prefix;
    uint64_t answers_next; /* the number of the next one */

    pthread_mutex_t lock; /* of what follows */
    queue_denial
        denials[QUEUE_DENIALS]; /* texts of the last errors; number n at n % QUEUE_DENIALS */
    struct queue_puller *pullers;
    natsMsg *unsent[2 * QUEUE_WINDOW]; /* jobs whose acknowledgement did not arrive */
    int unsent_count;
    char refusal[256]; /* why the server refused a job; empty: it did not */
};

struct queue_message {
    struct queue *queue;
    natsMsg *message;
};

/* Fails unless the name is safe, so that it cannot change a subject. */
swathe_status queue_check_name(const char *name);
swathe_status queue_outcome_subject(const char *set, enum queue_outcome kind, const char *worker,
                                    queue_text subject);
/* Subscribes to an inbox of its own below the connection's prefix, which permissions name. */
swathe_status queue_inbox(struct queue *queue, queue_prefix prefix, natsSubscription **inbox);

/* Before a call: the permission errors so far, and texts of which the subjects of the call have
 * one. Both NULL: any subject, for calls of programs with one thread. */
struct queue_mark {
    int denied;
    const char *places[2];
};
struct queue_mark queue_mark(struct queue *queue, const char *place, const char *other);
/* True if the server has reported since that this call is not permitted. */
bool queue_denied(struct queue *queue, const struct queue_mark *mark);

/* The time at which a call that starts now gives up, in ms. */
static inline int64_t queue_deadline(void)
{
    return nats_Now() + QUEUE_PATIENCE_S * 1000;
}
/* True if the call failed because the server was not there, and should be tried again. Waits
 * briefly before it returns true. */
bool queue_again(struct queue *queue, natsStatus status, jsErrCode code,
                 const struct queue_mark *mark, int64_t deadline);
/* SWATHE_OK, or the failure of a call: "what: why". `mark` NULL: it needs no permission. */
swathe_status queue_status(struct queue *queue, natsStatus status, jsErrCode code,
                           const struct queue_mark *mark, const char *what);

/* Repeats `call`, an expression that returns natsStatus and may set `code`, and returns the status
 * of the last attempt. */
#define QUEUE_TRY(queue, what, call) QUEUE_TRY_AT(queue, what, NULL, call)
/* The same for threads of a worker; a denial of it has the text `place`. */
#define QUEUE_TRY_AT(queue, what, place, call)                                                     \
    do {                                                                                           \
        jsErrCode code = 0;                                                                        \
        natsStatus status_;                                                                        \
        int64_t deadline_ = queue_deadline();                                                      \
        struct queue_mark mark_ = queue_mark(queue, place, NULL);                                  \
        do                                                                                         \
            status_ = (call);                                                                      \
        while (queue_again(queue, status_, code, &mark_, deadline_));                              \
        swathe_status result_ = queue_status(queue, status_, code, &mark_, what);                  \
        if (result_ != SWATHE_OK)                                                                  \
            return result_;                                                                        \
    } while (0)

/* Frees what the jobs of the queue need. */
void queue_pullers_free(struct queue *queue);
/* The handler of acknowledgements of queue_submit_later. */
void queue_acknowledged(jsCtx *js, natsMsg *message, jsPubAck *ack, jsPubAckErr *error, void *user);

#endif

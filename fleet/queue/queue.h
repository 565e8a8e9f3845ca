/* The queue of a fleet: NATS JetStream. Failures are recorded by swathe_error_record. Connections
 * are restored without limit; calls wait for that up to their time-out. */
#ifndef FLEET_QUEUE_QUEUE_H
#define FLEET_QUEUE_QUEUE_H

#include "swathe/swathe.h"

#include <stdbool.h>

struct queue;
struct queue_message; /* a job that was delivered, until it is settled */

/* Priorities of jobs: 0 is served first. */
enum { QUEUE_PRIORITIES = 3 };

struct queue_options {
    const char *url;         /* nats://HOST:PORT[,…]; without user and password in it (refused) */
    const char *name;        /* of the worker; NULL: none; also the inbox prefix */
    const char *credentials; /* file (NATS .creds), or NULL: $SWATHE_NATS_USER and
                                $SWATHE_NATS_PASSWORD, $NATS_CREDS */
    const char *ca;          /* file with certificates for tls:// */
};

swathe_status queue_connect(const struct queue_options *options, struct queue **queue);
void queue_close(struct queue *queue);

/* ---- Sets: records of SWATHE_SETS; bytes are JSON, freed with free ---- */
enum queue_record { QUEUE_SET, QUEUE_PROGRESS };
swathe_status queue_set_create(struct queue *queue, const char *set,
                               int replicas); /* streams and consumers; exists: OK */
swathe_status queue_set_delete(struct queue *queue, const char *set);
swathe_status queue_record_put(struct queue *queue, const char *set, enum queue_record kind,
                               const char *json);
/* Fails with EEXIST if there is a record. */
swathe_status queue_record_create(struct queue *queue, const char *set, enum queue_record kind,
                                  const char *json);
/* ENOENT if there is none. */
swathe_status queue_record_get(struct queue *queue, const char *set, enum queue_record kind,
                               char **json);
/* The state of a set: a short text, at first empty. It is no record, because those cannot be stored
 * when the queue is full, and then sets must be cancelled. ENOENT if the set has no streams. */
swathe_status queue_state_put(struct queue *queue, const char *set, const char *text);
swathe_status queue_state_get(struct queue *queue, const char *set, char **text);
swathe_status queue_quarantine_put(struct queue *queue, const char *set, const char *worker,
                                   const char *json);
swathe_status queue_quarantine_get(struct queue *queue, const char *set, const char *worker,
                                   char **json);
swathe_status queue_quarantine_list(struct queue *queue, const char *set,
                                    swathe_status (*visit)(void *user, const char *worker),
                                    void *user);

/* ---- Jobs ---- */
/* *sequence is what queue_withdraw needs; it may be NULL. */
swathe_status queue_submit(struct queue *queue, const char *set, int priority,
                           const char *message_id, const char *json, size_t size,
                           uint64_t *sequence);
/* Removes a job that no worker did. OK if it is gone. */
swathe_status queue_withdraw(struct queue *queue, const char *set, uint64_t sequence);
/* Asynchronous publishing with a window; queue_flush waits for all acknowledgements. */
swathe_status queue_submit_later(struct queue *queue, const char *set, int priority,
                                 const char *message_id, const char *json, size_t size);
swathe_status queue_flush(struct queue *queue);
/* Up to `count` jobs, the highest priority first; waits up to timeout_ms for the first one. *got 0:
 * none. */
swathe_status queue_pull(struct queue *queue, const char *set, int count, int timeout_ms,
                         struct queue_message **messages, int *got);
/* Ends the pulls that wait now, in any thread, within a moment. */
void queue_interrupt(struct queue *queue);
/* Gives back jobs that arrived after the pull that asked for them had ended. Call it more often
 * than the server delivers again (30 s), unless jobs are pulled that often. */
void queue_give_back_late(struct queue *queue, const char *set);
const char *queue_message_data(const struct queue_message *message, size_t *size);
int64_t queue_message_attempt(const struct queue_message *message); /* from 1 */
double queue_message_age(const struct queue_message *message);      /* seconds since submission */
/* Where its answers go: for queue_working, because the message can be settled meanwhile. */
const char *queue_message_reply(const struct queue_message *message);
swathe_status queue_working(struct queue *queue,
                            const char *reply); /* keeps it from being delivered again */
/* These settle the message and free it; `done` waits for the server's answer. */
swathe_status queue_done(struct queue_message *message);
swathe_status queue_back(struct queue_message *message, int delay_ms);
swathe_status queue_drop(struct queue_message *message);
struct queue_lag {
    int64_t waiting, delivered;
}; /* not yet delivered; delivered, not settled */
swathe_status queue_lag(struct queue *queue, const char *set, struct queue_lag *lag);
/* Jobs that nobody has acknowledged. */
swathe_status queue_stored(struct queue *queue, const char *set, int64_t *count);
/* Jobs that were ever submitted, whether they are still there or not. */
swathe_status queue_submitted(struct queue *queue, const char *set, uint64_t *count);
swathe_status queue_purge(struct queue *queue, const char *set); /* removes all jobs */

/* ---- Results ---- */
/* QUEUE_RETRY: a job was submitted again; published by those who submit, without a name. */
enum queue_outcome { QUEUE_RESULT, QUEUE_DEAD, QUEUE_RETRY };
/* Waits for the stream's acknowledgement. */
swathe_status queue_publish(struct queue *queue, const char *set, enum queue_outcome kind,
                            const char *json, size_t size);
/* A finished job on its way out of the queue. */
struct queue_finished {
    struct queue_message *message;
    const char *json; /* the result */
    size_t size;
    enum queue_finished_state { QUEUE_UNPUBLISHED, QUEUE_PUBLISHED, QUEUE_ACKNOWLEDGED } state;
    bool awaits; /* an answer; for queue_finish */
};
/* Publishes the result of each job and, when the stream has confirmed it, acknowledges the job, as
 * queue_publish and queue_done do, but for many jobs at once. Tries once. After a failure, which is
 * that of one of them, `state` tells how far each came; call it again with the others. Frees no
 * message. For one thread. */
swathe_status queue_finish(struct queue *queue, const char *set, struct queue_finished *jobs,
                           int count);
/* Frees a message without settling it. */
void queue_release(struct queue_message *message);
struct queue_record_view {
    enum queue_outcome kind;
    const char *worker;
    const char *json;
    size_t size;
    uint64_t sequence;
};
/* Every message after sequence `after`, in order, up to those that are there now. `worker` is the
 * token of the subject: the server guarantees it, the message does not. */
swathe_status
queue_results(struct queue *queue, const char *set, uint64_t after,
              swathe_status (*visit)(void *user, const struct queue_record_view *view), void *user);
/* The same for one kind of messages of one worker; without a name for QUEUE_RETRY. */
swathe_status queue_results_of(struct queue *queue, const char *set, enum queue_outcome kind,
                               const char *worker, uint64_t after,
                               swathe_status (*visit)(void *user,
                                                      const struct queue_record_view *view),
                               void *user);
/* One message. ENOENT if there is none. */
swathe_status queue_result_at(struct queue *queue, const char *set, uint64_t sequence,
                              swathe_status (*visit)(void *user,
                                                     const struct queue_record_view *view),
                              void *user);
/* The sequence of the last message; 0: none. */
swathe_status queue_results_last(struct queue *queue, const char *set, uint64_t *last);

#endif

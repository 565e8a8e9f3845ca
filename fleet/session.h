/* What the commands that administer a set share. */
#ifndef FLEET_SESSION_H
#define FLEET_SESSION_H

#include "options.h"
#include "queue/queue.h"
#include "set/set.h"

swathe_status session_open(const struct fleet_options *options, struct queue **queue);
/* Fails: there is no such set. */
swathe_status session_no_set(const char *name);
/* Fails with a text that names the set if there is none. */
swathe_status session_set(struct queue *queue, const char *name, struct set **set);
/* If there is no record, nothing was submitted. */
swathe_status session_progress(struct queue *queue, const char *name,
                               struct set_progress *progress);
swathe_status session_put_progress(struct queue *queue, const char *name,
                                   const struct set_progress *progress);
swathe_status session_state(struct queue *queue, const char *name, enum set_state *state);
/* Publishes a job and waits for the acknowledgement. *sequence is what queue_withdraw needs; it may
 * be NULL. */
swathe_status session_submit(struct queue *queue, const char *name, int priority,
                             const char *message_id, const struct job *job, uint64_t *sequence);
/* Publishes the mark of a job that was submitted again. */
swathe_status session_mark(struct queue *queue, const struct set *set,
                           const struct set_retry *retry);
/* 0 to 2 from --priority. */
int session_priority(const struct fleet_options *options);
/* The failure of a command that needs a set that is not cancelled. */
swathe_status session_cancelled(const char *name);

#endif

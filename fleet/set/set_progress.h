/* The records of a set that change: how far it was submitted, and its state. */
#ifndef FLEET_SET_SET_PROGRESS_H
#define FLEET_SET_SET_PROGRESS_H

#include "set/job_message.h"

struct set_progress {
    int64_t jobs, images; /* submitted */
    char *last;           /* the last key of these; empty: none */
    uint64_t hash;        /* of these jobs; 0: none */
    int64_t promised;     /* jobs up to this number may be submitted, too, with this hash */
    uint64_t promised_hash;
    bool complete;
};
swathe_status set_progress_parse(const char *json, struct set_progress *progress);
swathe_status set_progress_format(const struct set_progress *progress, char **json);
void set_progress_free(struct set_progress *progress);

enum set_state { SET_ACTIVE, SET_DRAINING, SET_CANCELLED };
const char *set_state_name(enum set_state state);
/* An empty name is that of the first state. */
swathe_status set_state_parse(const char *name, enum set_state *state);

/* The mark of a job that was submitted again. */
struct set_retry {
    int64_t id, generation;
    int64_t repairs; /* sequence of the result of a worker in quarantine; 0: none */
};
/* Fails if it is of another set; `set` is an identity. */
swathe_status set_retry_parse(const char *json, size_t size, const char *set,
                              struct set_retry *retry);
swathe_status set_retry_format(const char *set, const struct set_retry *retry, char **json,
                               size_t *size);

#endif

/* Keys that results and dead letters name, until the source confirms that they belong to the job.
 */
#ifndef FLEET_SET_NAMED_KEYS_H
#define FLEET_SET_NAMED_KEYS_H

#include "set/job_message.h"

#include <stddef.h>

struct named_key {
    const char *key; /* not owned */
    int64_t id;      /* of the job whose message names it */
    bool own;        /* the job has it */
    bool known;      /* the source has it */
};

struct named_keys {
    struct named_key *list;
    size_t count, room;
};

swathe_status named_keys_add(struct named_keys *keys, int64_t id, const char *key);
/* After the last one was added. */
void named_keys_sort(struct named_keys *keys);
/* Notes the keys of a job of the source. */
void named_keys_see(struct named_keys *keys, const struct job *job);
/* NULL: it was never added. */
const struct named_key *named_keys_find(const struct named_keys *keys, int64_t id, const char *key);
void named_keys_free(struct named_keys *keys);

#endif

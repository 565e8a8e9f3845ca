/* Keys that results and dead letters name, until the source confirms that they belong to the job.
 */
#ifndef FLEET_SUSPECTS_H
#define FLEET_SUSPECTS_H

#include "fleet_job.h"

#include <stddef.h>

struct suspect {
    const char *key; /* not owned */
    int64_t id;      /* of the job whose message names it */
    bool own;        /* the job has it */
    bool known;      /* the source has it */
};

struct suspects {
    struct suspect *list;
    size_t count, room;
};

swathe_status suspects_add(struct suspects *suspects, int64_t id, const char *key);
/* After the last one was added. */
void suspects_sort(struct suspects *suspects);
/* Notes the keys of a job of the source. */
void suspects_see(struct suspects *suspects, const struct job *job);
/* NULL: it was never added. */
const struct suspect *suspects_find(const struct suspects *suspects, int64_t id, const char *key);
void suspects_free(struct suspects *suspects);

#endif

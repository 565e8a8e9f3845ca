/* Plans by image shape: images of equal shape are planned once. */
#ifndef SWATHE_CLI_BATCH_PLAN_CACHE_H
#define SWATHE_CLI_BATCH_PLAN_CACHE_H

#include "file/file_job.h"

#include <pthread.h>

enum { PLANS_KEPT = 64 };

enum { PLAN_EXTENSION = 16 };

struct kept_plan {
    swathe_shape shape;
    char extension[PLAN_EXTENSION]; /* of the results */
    char nodata[NODATA_TEXT];
    swathe_plan *plan;
    int64_t used; /* counter value of its last use */
    int users;    /* runs that use it now */
};

struct plan_cache {
    pthread_mutex_t mutex;
    const swathe_chain *chain;
    struct kept_plan kept[PLANS_KEPT];
    int64_t clock;
};

void plan_cache_init(struct plan_cache *cache, const swathe_chain *chain);
/* Sets job->plan to the plan for the job's source. 0, or the exit code after a message. */
int plan_cache_take(struct plan_cache *cache, struct file_job *job);
void plan_cache_release(struct plan_cache *cache, struct file_job *job);
void plan_cache_destroy(struct plan_cache *cache);

#endif

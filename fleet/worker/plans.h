/* Plans by image shape and missing data: images that are equal in both are planned once. */
#ifndef FLEET_WORKER_PLANS_H
#define FLEET_WORKER_PLANS_H

#include "swathe/swathe.h"

#include <pthread.h>

enum { WORKER_PLANS = 64, WORKER_NODATA = 128 };

struct worker_plan {
    swathe_shape shape;
    char nodata[WORKER_NODATA]; /* empty: nothing is missing */
    swathe_plan *plan;
    int64_t used; /* number of the last use */
    int users;    /* runs that use it now */
};

struct worker_plans {
    pthread_mutex_t mutex;
    swathe_context *context;
    const swathe_chain *chain;
    swathe_plan_options options;
    struct worker_plan kept[WORKER_PLANS];
    int64_t clock;
};

void worker_plans_init(struct worker_plans *plans, swathe_context *context,
                       const swathe_chain *chain, const swathe_plan_options *options);
void worker_plans_destroy(struct worker_plans *plans);
/* Returns the plan for a shape and its missing data (NULL: none); give it back with
 * worker_plans_release. */
swathe_status worker_plans_take(struct worker_plans *plans, const swathe_shape *shape,
                                const char *nodata, swathe_plan **plan);
void worker_plans_release(struct worker_plans *plans, swathe_plan *plan);

#endif

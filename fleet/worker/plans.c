#include "worker/plans.h"

#include "fail.h"

#include <stdbool.h>
#include <string.h>

void worker_plans_init(struct worker_plans *plans, swathe_context *context,
                       const swathe_chain *chain, const swathe_plan_options *options)
{
    memset(plans, 0, sizeof *plans);
    plans->context = context;
    plans->chain = chain;
    plans->options = *options;
    pthread_mutex_init(&plans->mutex, NULL);
}

void worker_plans_destroy(struct worker_plans *plans)
{
    for (int i = 0; i < WORKER_PLANS; i++)
        swathe_plan_destroy(plans->kept[i].plan);
    pthread_mutex_destroy(&plans->mutex);
}

static bool same(const swathe_shape *a, const swathe_shape *b)
{
    return a->width == b->width && a->height == b->height && a->channels == b->channels &&
           a->type == b->type && a->color == b->color && a->alpha == b->alpha;
}

static swathe_plan *find(struct worker_plans *plans, const swathe_shape *shape, const char *nodata)
{
    for (int i = 0; i < WORKER_PLANS; i++) {
        struct worker_plan *kept = &plans->kept[i];
        if (!kept->plan || !same(&kept->shape, shape) || strcmp(kept->nodata, nodata) != 0)
            continue;
        kept->users++;
        kept->used = ++plans->clock;
        return kept->plan;
    }
    return NULL;
}

/* Replaces the least recently used plan. If all are in use, the caller owns the new one. */
static void keep(struct worker_plans *plans, const swathe_shape *shape, const char *nodata,
                 swathe_plan *plan)
{
    struct worker_plan *place = NULL;
    for (int i = 0; i < WORKER_PLANS; i++) {
        struct worker_plan *kept = &plans->kept[i];
        if (kept->users == 0 && (!place || kept->used < place->used))
            place = kept;
    }
    if (!place || strlen(nodata) >= WORKER_NODATA)
        return;
    swathe_plan_destroy(place->plan);
    *place =
        (struct worker_plan){.shape = *shape, .plan = plan, .used = ++plans->clock, .users = 1};
    memcpy(place->nodata, nodata, strlen(nodata) + 1);
}

/* Plans are created without holding the lock, so that other threads do not wait. */
swathe_status worker_plans_take(struct worker_plans *plans, const swathe_shape *shape,
                                const char *nodata, swathe_plan **plan)
{
    swathe_plan *made;
    swathe_plan_options options = plans->options;
    const char *key = nodata ? nodata : "";
    options.nodata = nodata;
    pthread_mutex_lock(&plans->mutex);
    swathe_plan *found = find(plans, shape, key);
    pthread_mutex_unlock(&plans->mutex);
    if (!found) {
        TRY(swathe_plan_create(plans->context, plans->chain, shape, &options, &made));
        pthread_mutex_lock(&plans->mutex);
        found = find(plans, shape, key);
        if (!found)
            keep(plans, shape, key, made);
        pthread_mutex_unlock(&plans->mutex);
        if (found)
            swathe_plan_destroy(made);
        else
            found = made;
    }
    *plan = found;
    return SWATHE_OK;
}

void worker_plans_release(struct worker_plans *plans, swathe_plan *plan)
{
    bool own = plan != NULL;
    pthread_mutex_lock(&plans->mutex);
    for (int i = 0; own && i < WORKER_PLANS; i++)
        if (plans->kept[i].plan == plan) {
            plans->kept[i].users--;
            own = false;
        }
    pthread_mutex_unlock(&plans->mutex);
    if (own)
        swathe_plan_destroy(plan);
}

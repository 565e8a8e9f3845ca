#include "batch/plan_cache.h"

#include "file/file_curves.h"

#include <string.h>

void plan_cache_init(struct plan_cache *cache, const swathe_chain *chain)
{
    memset(cache, 0, sizeof *cache);
    cache->chain = chain;
    pthread_mutex_init(&cache->mutex, NULL);
}

static bool same(const swathe_shape *a, const swathe_shape *b)
{
    return a->width == b->width && a->height == b->height && a->channels == b->channels &&
           a->type == b->type && a->color == b->color && a->alpha == b->alpha;
}

/* The type of a result depends on its format. */
static const char *extension(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strlen(dot) < PLAN_EXTENSION ? dot : "";
}

/* Uses an existing plan. */
static bool find(struct plan_cache *cache, struct file_job *job)
{
    for (int i = 0; i < PLANS_KEPT; i++) {
        struct kept_plan *kept = &cache->kept[i];
        if (!kept->plan || !same(&kept->shape, &job->source->shape) ||
            strcmp(kept->extension, extension(job->out)) != 0 ||
            strcmp(kept->nodata, job->nodata.text) != 0)
            continue;
        kept->users++;
        kept->used = ++cache->clock;
        job->plan = kept->plan;
        return true;
    }
    return false;
}

/* Returns an empty entry, or the least recently used one that is not in use. */
static struct kept_plan *free_place(struct plan_cache *cache)
{
    struct kept_plan *best = NULL;
    for (int i = 0; i < PLANS_KEPT; i++) {
        struct kept_plan *kept = &cache->kept[i];
        if (kept->users == 0 && (!best || kept->used < best->used))
            best = kept;
    }
    return best;
}

/* Stores a new plan in the cache. If all entries are in use, the job owns the plan. */
static void keep(struct plan_cache *cache, const struct file_job *job, swathe_plan *plan)
{
    struct kept_plan *place = free_place(cache);
    if (!place)
        return;
    swathe_plan_destroy(place->plan);
    *place = (struct kept_plan){
        .shape = job->source->shape, .plan = plan, .used = ++cache->clock, .users = 1};
    memcpy(place->nodata, job->nodata.text, sizeof place->nodata);
    memcpy(place->extension, extension(job->out), strlen(extension(job->out)) + 1);
}

/* Plans are created without holding the lock, so that other threads do not wait. */
int plan_cache_take(struct plan_cache *cache, struct file_job *job)
{
    swathe_plan *plan;
    int code = nodata_find(job->options, job->source, &job->nodata);
    if (code != 0)
        return code;
    swathe_curves curves; /* of the profile of this image */
    bool own = file_curves(job->options, job->source, &curves) != NULL;
    pthread_mutex_lock(&cache->mutex);
    bool found = !own && find(cache, job);
    pthread_mutex_unlock(&cache->mutex);
    if (found)
        return 0;
    code = file_job_plan(job, cache->chain, &plan);
    if (code != 0)
        return code;
    job->plan = plan;
    if (job->fits || own) /* the range of this image */
        return 0;
    pthread_mutex_lock(&cache->mutex);
    keep(cache, job, plan);
    pthread_mutex_unlock(&cache->mutex);
    return 0;
}

void plan_cache_release(struct plan_cache *cache, struct file_job *job)
{
    bool own = job->plan != NULL;
    pthread_mutex_lock(&cache->mutex);
    for (int i = 0; own && i < PLANS_KEPT; i++)
        if (cache->kept[i].plan == job->plan) {
            cache->kept[i].users--;
            own = false;
        }
    pthread_mutex_unlock(&cache->mutex);
    if (own)
        swathe_plan_destroy((swathe_plan *)job->plan);
    job->plan = NULL;
}

void plan_cache_destroy(struct plan_cache *cache)
{
    for (int i = 0; i < PLANS_KEPT; i++)
        swathe_plan_destroy(cache->kept[i].plan);
    pthread_mutex_destroy(&cache->mutex);
}

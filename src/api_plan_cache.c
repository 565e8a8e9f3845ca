/* Plans that a context keeps, because programs ask for the same ones again: by chain, shape and
 * options. The least recently used ones go first. */
#include "api.h"

#include "base/hash.h"
#include "base/os_machine.h"

#include <string.h>

enum { PLANS = 64, KEY_BYTES = 1 << 18 };
#define PLAN_BYTES ((int64_t)64 << 20)

void plan_cache_init(struct plan_cache *cache, int32_t most)
{
    *cache = (struct plan_cache){.most = most > 0   ? most
                                         : most < 0 ? 0
                                                    : PLANS,
                                 .process = os_process()};
    pthread_mutex_init(&cache->mutex, NULL);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* What the texts of the options and of the chain do not contain. */
struct fixed_key {
    swathe_shape shape;
    swathe_plan_options options;
    bool pageable;
};

/* A key that is being written; `bytes` is NULL while its size is added up. */
struct key_writer {
    char *bytes;
    size_t size;
};

static void api_plan_cache_put(struct key_writer *key, const void *bytes, size_t size)
{
    if (key->bytes)
        memcpy(key->bytes + key->size, bytes, size);
    key->size += size;
}

static void put_text(struct key_writer *key, const char *text)
{
    char given = text != NULL;
    api_plan_cache_put(key, &given, 1);
    if (text)
        api_plan_cache_put(key, text, strlen(text) + 1);
}

/* Masks that the text of a stage omits. */
static void put_masks(struct key_writer *key, const struct stage *stage)
{
    int32_t numbers[] = {stage->mask_count, stage->dilate_x, stage->dilate_y};
    api_plan_cache_put(key, numbers, sizeof numbers);
    api_plan_cache_put(key, &stage->bias, sizeof stage->bias);
    for (int32_t i = 0; i < stage->mask_count; i++) {
        const struct mask *mask = &stage->masks[i];
        int32_t size[] = {mask->width, mask->height, mask->anchor_x, mask->anchor_y};
        api_plan_cache_put(key, size, sizeof size);
        if (mask->k)
            api_plan_cache_put(key, mask->k,
                               (size_t)mask->width * (size_t)mask->height * sizeof *mask->k);
    }
}

static void put_all(struct key_writer *key, const struct fixed_key *fixed,
                    const swathe_plan_options *o, const struct chain *chain)
{
    api_plan_cache_put(key, fixed, sizeof *fixed);
    put_text(key, o->nodata);
    put_text(key, o->device);
    put_text(key, o->algorithm);
    put_text(key, o->strategy);
    put_text(key, o->isa);
    put_text(key, o->arithmetic);
    for (int32_t i = 0; i < chain->count; i++) {
        put_text(key, chain->stages[i].text);
        if (chain->stages[i].array)
            put_masks(key, &chain->stages[i]);
    }
}

void plan_key_make(struct plan_key *key, const swathe_context *context, const swathe_chain *chain,
                   const swathe_shape *source, const swathe_plan_options *o)
{
    struct fixed_key fixed;
    struct key_writer writer = {0};
    *key = (struct plan_key){.memory = &context->memory};
    bool chosen = o->device && strcmp(o->device, "auto") == 0; /* anew, by what is known then */
    if (context->plans.most == 0 || o->tune || o->curves || chosen ||
        o->values == SWATHE_VALUES_FIT)
        return;
    memset(&fixed, 0, sizeof fixed);
    fixed.shape = *source;
    fixed.options = *o;
    fixed.options.nodata = fixed.options.device = fixed.options.algorithm = NULL;
    fixed.options.strategy = fixed.options.isa = fixed.options.arithmetic = NULL;
    fixed.options.cancelled = NULL;
    fixed.options.cancel_user = NULL;
    fixed.pageable = atomic_load(&context->pageable);
    put_all(&writer, &fixed, o, chain->chain);
    struct failure kept = fail_keep();
    if (writer.size > KEY_BYTES || memory_new_raw(&context->memory, (int64_t)writer.size, 1,
                                                  "a key", &writer.bytes) != SWATHE_OK) {
        fail_release(&kept, SWATHE_OK); /* such a plan is not kept */
        return;
    }
    writer.size = 0;
    put_all(&writer, &fixed, o, chain->chain);
    key->bytes = writer.bytes;
    key->size = writer.size;
    key->hash = hash_bytes(HASH_START, key->bytes, key->size);
}

void plan_key_free(struct plan_key *key)
{
    memory_free(key->memory, key->bytes);
    key->bytes = NULL;
}

/* ---- Finding and keeping --------------------------------------------------------------------- */

static void free_plan(swathe_plan *plan)
{
    plan_key_free(&plan->key);
    plan_free(plan->plan);
    memory_free(plan->memory, plan);
}

static int64_t bytes_of(const swathe_plan *plan)
{
    return plan->plan->arena.bytes + (int64_t)plan->key.size;
}

/* Takes a plan out of the cache, into a list of plans to free: drivers of GPUs and callers'
 * allocators are not called while the mutex is held. If it has users, the last one frees it. */
static void take_out(struct plan_cache *cache, swathe_plan **link, swathe_plan **unused)
{
    swathe_plan *plan = *link;
    *link = plan->next;
    plan->kept = false;
    cache->count--;
    cache->bytes -= bytes_of(plan);
    if (plan->users > 0)
        return;
    plan->next = *unused;
    *unused = plan;
}

static void free_unused(swathe_plan *unused)
{
    while (unused) {
        swathe_plan *next = unused->next;
        free_plan(unused);
        unused = next;
    }
}

/* A child of fork has no part in the cache: a thread that no longer exists may hold the mutex. */
static bool in_child(const struct plan_cache *cache)
{
    return cache->process != os_process();
}

/* The link to the plan with this key, or to the end of the list. */
static swathe_plan **find_link(struct plan_cache *cache, const struct plan_key *key)
{
    swathe_plan **link = &cache->first;
    while (*link && !((*link)->key.hash == key->hash && (*link)->key.size == key->size &&
                      memcmp((*link)->key.bytes, key->bytes, key->size) == 0))
        link = &(*link)->next;
    return link;
}

/* Counts a user, and moves the plan to the start of the list. */
static swathe_plan *api_plan_cache_use(struct plan_cache *cache, swathe_plan **link)
{
    swathe_plan *plan = *link;
    *link = plan->next;
    plan->next = cache->first;
    cache->first = plan;
    plan->users++;
    return plan;
}

swathe_plan *plan_cache_find(struct plan_cache *cache, struct plan_key *key)
{
    swathe_plan *found = NULL;
    if (!key->bytes || in_child(cache))
        return NULL;
    pthread_mutex_lock(&cache->mutex);
    swathe_plan **link = find_link(cache, key);
    if (*link)
        found = api_plan_cache_use(cache, link);
    key->cleared = cache->cleared;
    pthread_mutex_unlock(&cache->mutex);
    return found;
}

/* Puts a plan at the start of the list, and takes out those for which there is no room. */
static void put_first(struct plan_cache *cache, struct plan_key *key, swathe_plan *plan,
                      swathe_plan **unused)
{
    plan->key = *key;
    key->bytes = NULL;
    plan->kept = true;
    plan->next = cache->first;
    cache->first = plan;
    cache->count++;
    cache->bytes += bytes_of(plan);
    while (cache->count > cache->most || cache->bytes > PLAN_BYTES) {
        swathe_plan **last = &cache->first;
        while ((*last)->next)
            last = &(*last)->next;
        take_out(cache, last, unused);
    }
}

/* Plans are created without holding the lock: another thread may have been faster, or the cache may
 * have been cleared because plans would be others now. */
swathe_plan *plan_cache_add(struct plan_cache *cache, struct plan_key *key, swathe_plan *plan)
{
    swathe_plan *unused = NULL, *result = plan;
    if (!key->bytes || in_child(cache) || plan->plan->arena.bytes > PLAN_BYTES)
        return plan;
    pthread_mutex_lock(&cache->mutex);
    swathe_plan **same = find_link(cache, key);
    if (*same) {
        result = api_plan_cache_use(cache, same);
        plan->next = unused;
        unused = plan;
    } else if (key->cleared == cache->cleared) {
        put_first(cache, key, plan, &unused);
    }
    pthread_mutex_unlock(&cache->mutex);
    free_unused(unused);
    return result;
}

void plan_cache_release(struct plan_cache *cache, swathe_plan *plan)
{
    bool child = in_child(cache);
    if (!child)
        pthread_mutex_lock(&cache->mutex);
    bool last = --plan->users == 0 && !plan->kept;
    if (!child)
        pthread_mutex_unlock(&cache->mutex);
    if (last)
        free_plan(plan);
}

void plan_cache_clear(struct plan_cache *cache)
{
    swathe_plan *unused = NULL;
    if (in_child(cache))
        return;
    pthread_mutex_lock(&cache->mutex);
    cache->cleared++;
    while (cache->first)
        take_out(cache, &cache->first, &unused);
    pthread_mutex_unlock(&cache->mutex);
    free_unused(unused);
}

void plan_cache_destroy(struct plan_cache *cache)
{
    plan_cache_clear(cache);
    if (!in_child(cache))
        pthread_mutex_destroy(&cache->mutex);
}

/* Plans that a context keeps, because programs ask for the same ones again: by chain, shape and
 * options. The least recently used ones go first. */
#include "api.h"

#include "base/checked.h"
#include "base/hash.h"

#include <string.h>

enum { PLANS = 64, KEY_BYTES = 1 << 16 };
#define PLAN_BYTES ((int64_t)64 << 20)

void plan_cache_init(struct plan_cache *cache, int32_t most)
{
    *cache = (struct plan_cache){.most = most > 0 ? most : most < 0 ? 0 : PLANS};
    pthread_mutex_init(&cache->mutex, NULL);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static const char *const *texts_of(const swathe_plan_options *o, const char *texts[5])
{
    texts[0] = o->nodata;
    texts[1] = o->device;
    texts[2] = o->algorithm;
    texts[3] = o->strategy;
    texts[4] = o->isa;
    return texts;
}

/* What the texts of the options and of the chain do not contain. */
struct fixed_key {
    swathe_shape shape;
    swathe_plan_options options;
    bool pageable;
};

static size_t put(char *key, size_t at, const void *bytes, size_t size)
{
    memcpy(key + at, bytes, size);
    return at + size;
}

void plan_key_make(struct plan_key *key, const swathe_context *context, const swathe_chain *chain,
                   const swathe_shape *source, const swathe_plan_options *o)
{
    const char *texts[5];
    size_t size = sizeof(struct fixed_key), chain_size = 0;
    struct fixed_key fixed;
    *key = (struct plan_key){.memory = &context->memory};
    if (context->plans.most == 0 || o->tune || o->curves)
        return;
    texts_of(o, texts);
    for (int i = 0; i < 5; i++)
        size += texts[i] ? strlen(texts[i]) + 2 : 1;
    struct failure kept = fail_keep();
    chain_text(chain->chain, NULL, 0, &chain_size);
    if (size + chain_size > KEY_BYTES ||
        memory_new_raw(&context->memory, (int64_t)(size + chain_size), 1, "a key", &key->bytes) !=
            SWATHE_OK) {
        fail_release(&kept, SWATHE_OK); /* such a plan is not kept */
        return;
    }
    memset(&fixed, 0, sizeof fixed);
    fixed.shape = *source;
    fixed.options = *o;
    fixed.options.nodata = fixed.options.device = fixed.options.algorithm = NULL;
    fixed.options.strategy = fixed.options.isa = NULL;
    fixed.options.cancelled = NULL;
    fixed.options.cancel_user = NULL;
    fixed.pageable = atomic_load(&context->pageable);
    size_t at = put(key->bytes, 0, &fixed, sizeof fixed);
    for (int i = 0; i < 5; i++) {
        key->bytes[at++] = texts[i] != NULL;
        if (texts[i])
            at = put(key->bytes, at, texts[i], strlen(texts[i]) + 1);
    }
    chain_text(chain->chain, key->bytes + at, chain_size, &chain_size);
    key->size = at + chain_size;
    key->hash = hash_bytes(HASH_START, key->bytes, key->size);
}

void plan_key_free(struct plan_key *key)
{
    memory_free(key->memory, key->bytes);
    key->bytes = NULL;
}

/* ---- Finding and keeping ----------------------------------------------------------------------
 */

static void free_plan(swathe_plan *plan)
{
    plan_key_free(&plan->key);
    plan_free(plan->plan);
    memory_free(plan->memory, plan);
}

/* Takes the plan out of the cache. It is freed now, or by its last user. */
static void drop(struct plan_cache *cache, swathe_plan **link)
{
    swathe_plan *plan = *link;
    *link = plan->next;
    plan->kept = false;
    cache->count--;
    cache->bytes -= plan->plan->arena.bytes;
    if (plan->users == 0)
        free_plan(plan);
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
static swathe_plan *use(struct plan_cache *cache, swathe_plan **link)
{
    swathe_plan *plan = *link;
    *link = plan->next;
    plan->next = cache->first;
    cache->first = plan;
    plan->users++;
    return plan;
}

swathe_plan *plan_cache_find(struct plan_cache *cache, const struct plan_key *key)
{
    swathe_plan *found = NULL;
    if (!key->bytes)
        return NULL;
    pthread_mutex_lock(&cache->mutex);
    swathe_plan **link = find_link(cache, key);
    if (*link)
        found = use(cache, link);
    pthread_mutex_unlock(&cache->mutex);
    return found;
}

/* Plans are created without holding the lock, so another thread may have been faster. */
swathe_plan *plan_cache_add(struct plan_cache *cache, struct plan_key *key, swathe_plan *plan)
{
    if (!key->bytes || plan->plan->arena.bytes > PLAN_BYTES)
        return plan;
    pthread_mutex_lock(&cache->mutex);
    swathe_plan **same = find_link(cache, key), *other = NULL;
    if (*same) {
        other = use(cache, same);
    } else {
        plan->key = *key;
        key->bytes = NULL;
        plan->kept = true;
        plan->next = cache->first;
        cache->first = plan;
        cache->count++;
        cache->bytes += plan->plan->arena.bytes;
        while (cache->count > cache->most || cache->bytes > PLAN_BYTES) {
            swathe_plan **last = &cache->first;
            while ((*last)->next)
                last = &(*last)->next;
            drop(cache, last);
        }
    }
    pthread_mutex_unlock(&cache->mutex);
    if (!other)
        return plan;
    free_plan(plan);
    return other;
}

void plan_cache_release(struct plan_cache *cache, swathe_plan *plan)
{
    pthread_mutex_lock(&cache->mutex);
    bool last = --plan->users == 0 && !plan->kept;
    pthread_mutex_unlock(&cache->mutex);
    if (last)
        free_plan(plan);
}

void plan_cache_clear(struct plan_cache *cache)
{
    pthread_mutex_lock(&cache->mutex);
    while (cache->first)
        drop(cache, &cache->first);
    pthread_mutex_unlock(&cache->mutex);
}

void plan_cache_destroy(struct plan_cache *cache)
{
    plan_cache_clear(cache);
    pthread_mutex_destroy(&cache->mutex);
}

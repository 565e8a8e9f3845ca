/* swathe-fleet retry: failed images, jobs that were given up and jobs that are missing, once more.
 */
#include "fail.h"
#include "mosaic/mosaic.h"
#include "session.h"
#include "status/tally.h"
#include "submit/submit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Keys that results and dead letters name, until the source confirms that the job has them
 * ----
 */

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

static int retry_order(const void *a, const void *b)
{
    const struct named_key *first = a, *second = b;
    int keys = strcmp(first->key, second->key);
    return keys ? keys : (first->id > second->id) - (first->id < second->id);
}

static swathe_status named_keys_add(struct named_keys *keys, int64_t id, const char *key)
{
    if (keys->count == keys->room) {
        size_t room = keys->room ? 2 * keys->room : 64;
        TRY(fleet_reallocate(room, sizeof *keys->list, &keys->list));
        keys->room = room;
    }
    keys->list[keys->count++] = (struct named_key){.key = key, .id = id};
    return SWATHE_OK;
}

/* After the last one was added. */
static void named_keys_sort(struct named_keys *keys)
{
    if (keys->count > 0)
        qsort(keys->list, keys->count, sizeof *keys->list, retry_order);
}

/* Index of the first one that is not before the key and the number. */
static size_t lower_bound(const struct named_keys *keys, int64_t id, const char *key)
{
    const struct named_key wanted = {.key = key, .id = id};
    size_t first = 0, end = keys->count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (retry_order(&keys->list[middle], &wanted) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Notes the keys of a job of the source. */
static void named_keys_see(struct named_keys *keys, const struct job *job)
{
    for (int32_t i = 0; i < job->count; i++)
        for (size_t at = lower_bound(keys, 0, job->keys[i]);
             at < keys->count && strcmp(keys->list[at].key, job->keys[i]) == 0; at++) {
            keys->list[at].known = true;
            keys->list[at].own |= keys->list[at].id == job->id;
        }
}

/* NULL: it was never added. */
static const struct named_key *named_keys_find(const struct named_keys *keys, int64_t id,
                                               const char *key)
{
    size_t at = lower_bound(keys, id, key);
    if (at == keys->count || keys->list[at].id != id || strcmp(keys->list[at].key, key) != 0)
        return NULL;
    return &keys->list[at];
}

static void named_keys_free(struct named_keys *keys)
{
    free(keys->list);
}

/* swathe-fleet retry: failed images, jobs that were given up and jobs that are missing, once more.
 */

/* ---- The set ----------------------------------------------------------------------------------
 */

enum { MOST_NAMED = 20 };

struct retry {
    struct queue *queue;
    const char *name;
    const struct set *set;
    const struct set_progress *progress;
    const struct tally *tally;
    struct named_keys keys;
    int priority;
    int64_t jobs, images, lost;
    bool queue_empty; /* so that jobs without an outcome are missing */
    bool same;        /* the source is the one that was submitted */
};

/* The job first, then the mark: without the mark it is only done once more than counted. */
static swathe_status retry_submit(struct retry *retry, const struct job *job)
{
    char id[IDENTITY_BYTES + 64];
    snprintf(id, sizeof id, "%s.%" PRId64 ".%" PRId64, job->set, job->id, job->generation);
    /* Jobs that assemble a mosaic come after its tiles. */
    bool late = mosaic_kind(job->kind) && job->kind != JOB_TILES;
    TRY(session_submit(retry->queue, retry->name, late ? QUEUE_PRIORITIES - 1 : retry->priority, id,
                       job, NULL));
    TRY(session_mark(retry->queue, retry->set,
                     &(struct set_retry){.id = job->id, .generation = job->generation}));
    retry->jobs++;
    return SWATHE_OK;
}

/* ---- What must be done again ------------------------------------------------------------------
 */

/* True if the job has failed images that can be submitted now. */
static bool has_failures(const struct retry *retry, const struct tally_trouble *trouble)
{
    bool on_its_way = trouble->submitted > trouble->seen && !retry->queue_empty;
    return trouble->count > 0 && !trouble->dead && !on_its_way;
}

/* True if the whole job is missing, or was given up. */
static bool needs_all(const struct retry *retry, int64_t id)
{
    const struct tally_trouble *trouble = tally_find_trouble(retry->tally, id);
    if (trouble && trouble->count > 0 && !trouble->dead)
        return retry->set->is_mosaic && has_failures(retry, trouble);
    if (tally_is_open(retry->tally, id))
        return retry->queue_empty;
    return trouble && trouble->dead;
}

/* True if the source must be looked at. */
static bool needs_source(const struct retry *retry)
{
    bool needed = retry->keys.count > 0;
    for (int64_t id = 0; !needed && id < retry->progress->jobs; id++)
        needed = needs_all(retry, id);
    return needed;
}

/* Keys that messages of workers name. Those of a dead letter serve if the source has changed. */
static swathe_status retry_collect(struct retry *retry)
{
    for (size_t i = 0; i < retry->tally->trouble_room; i++) {
        const struct tally_trouble *trouble = retry->tally->troubles[i];
        if (!trouble || retry->set->is_mosaic)
            continue;
        for (int32_t k = 0; has_failures(retry, trouble) && k < trouble->count; k++)
            TRY(named_keys_add(&retry->keys, trouble->id, trouble->failures[k].key));
        bool given_up = trouble->job && needs_all(retry, trouble->id);
        for (int32_t k = 0; given_up && k < trouble->job->count; k++)
            TRY(named_keys_add(&retry->keys, trouble->id, trouble->job->keys[k]));
    }
    named_keys_sort(&retry->keys);
    return SWATHE_OK;
}

/* ---- From the source --------------------------------------------------------------------------
 */

/* True if a worker says that an image failed which the job does not have. */
static bool names_others(const struct retry *retry, const struct tally_trouble *trouble)
{
    for (int32_t i = 0; i < trouble->count; i++) {
        const struct named_key *named =
            named_keys_find(&retry->keys, trouble->id, trouble->failures[i].key);
        if (named && !named->own)
            return true;
    }
    return false;
}

static bool retry_look(void *user, const struct job *job)
{
    struct retry *retry = user;
    const struct tally_trouble *trouble = tally_find_trouble(retry->tally, job->id);
    named_keys_see(&retry->keys, job);
    return needs_all(retry, job->id) || (trouble && names_others(retry, trouble));
}

static swathe_status retry_take(void *user, const struct job *job)
{
    struct retry *retry = user;
    struct job again = *job;
    again.generation = tally_next_generation(retry->tally, job->id);
    return retry_submit(retry, &again);
}

/* ---- From messages of workers -----------------------------------------------------------------
 */

static void retry_complain(struct retry *retry, const struct tally_trouble *trouble,
                           const char *key)
{
    if (retry->lost++ < MOST_NAMED)
        fleet_complain(SWATHE_OK,
                       "%s: not submitted: worker %s says that it is an image of job %" PRId64
                       ", but %s; audit this worker",
                       key, trouble->worker, trouble->id,
                       retry->same ? "the job does not have it" : "the source does not have it");
}

/* Submits those of the keys that the source confirms. `keys` is changed. */
static swathe_status submit_keys(struct retry *retry, const struct tally_trouble *trouble,
                                 char **keys, int32_t count)
{
    struct job job = {.id = trouble->id, .kind = JOB_IMAGES_KEYS, .keys = keys};
    snprintf(job.set, sizeof job.set, "%s", retry->set->identity);
    for (int32_t i = 0; i < count; i++) {
        const struct named_key *named = named_keys_find(&retry->keys, trouble->id, keys[i]);
        if (named && (retry->same ? named->own : named->known))
            keys[job.count++] = keys[i];
        else
            retry_complain(retry, trouble, keys[i]);
    }
    if (job.count == 0 || (retry->same && names_others(retry, trouble)))
        return SWATHE_OK; /* the whole job is taken from the source */
    job.generation = tally_next_generation(retry->tally, trouble->id);
    retry->images += job.count;
    return retry_submit(retry, &job);
}

static swathe_status retry_one(struct retry *retry, const struct tally_trouble *trouble)
{
    bool given_up = (trouble->count == 0 || trouble->dead) && trouble->job && !retry->same;
    int32_t count = given_up ? trouble->job->count : trouble->count;
    char **keys;
    if (retry->set->is_mosaic ||
        (given_up ? !needs_all(retry, trouble->id) : !has_failures(retry, trouble)))
        return SWATHE_OK;
    TRY(fleet_allocate((size_t)count, sizeof *keys, &keys));
    for (int32_t i = 0; i < count; i++)
        keys[i] = given_up ? trouble->job->keys[i] : trouble->failures[i].key;
    swathe_status status = submit_keys(retry, trouble, keys, count);
    free(keys);
    return status;
}

static int retry_by_id(const void *a, const void *b)
{
    const struct tally_trouble *const *first = a, *const *second = b;
    return ((*first)->id > (*second)->id) - ((*first)->id < (*second)->id);
}

static swathe_status retry_troubles(struct retry *retry)
{
    const struct tally *tally = retry->tally;
    struct tally_trouble **sorted;
    size_t count = 0;
    TRY(fleet_allocate(tally->trouble_count, sizeof *sorted, &sorted));
    for (size_t i = 0; i < tally->trouble_room; i++)
        if (tally->troubles[i])
            sorted[count++] = tally->troubles[i];
    if (count > 0)
        qsort(sorted, count, sizeof *sorted, retry_by_id);
    swathe_status status = SWATHE_OK;
    for (size_t i = 0; status == SWATHE_OK && i < count; i++)
        status = retry_one(retry, sorted[i]);
    free(sorted);
    return status;
}

/* If the source has changed, jobs without keys in a message cannot be made again. */
static swathe_status check_rest(const struct retry *retry)
{
    for (int64_t id = 0; !retry->same && id < retry->progress->jobs; id++) {
        const struct tally_trouble *trouble = tally_find_trouble(retry->tally, id);
        if (needs_all(retry, id) && !(trouble && trouble->job && trouble->job->count > 0))
            return source_jobs_changed(retry->set);
    }
    return SWATHE_OK;
}

/* Jobs that the record of submit does not cover cannot be compared with the source. */
static swathe_status retry_known(struct retry *retry)
{
    struct source_jobs jobs = {retry->set, retry->progress, retry_look, retry_take, retry};
    TRY(retry_collect(retry));
    if (!needs_source(retry))
        return SWATHE_OK;
    TRY(source_jobs_list(&jobs, &retry->same));
    TRY(retry_troubles(retry));
    return check_rest(retry);
}

/* The queue is asked before the results are read and after, so that a job that is done, or
 * submitted, meanwhile is not missing. */
static swathe_status read_results(struct retry *retry, struct tally *tally)
{
    int64_t before, after;
    TRY(queue_stored(retry->queue, retry->name, &before));
    TRY(tally_update(tally, retry->queue));
    TRY(queue_stored(retry->queue, retry->name, &after));
    retry->queue_empty = retry->progress->complete && before == 0 && after == 0;
    return SWATHE_OK;
}

static swathe_status retry_set(struct retry *retry)
{
    struct tally tally;
    tally_start(&tally, retry->name, retry->set->identity);
    tally.limit = retry->progress->jobs;
    retry->tally = &tally;
    swathe_status status = read_results(retry, &tally);
    if (status == SWATHE_OK)
        status = retry_known(retry);
    named_keys_free(&retry->keys);
    tally_free(&tally);
    return status;
}

static swathe_status retry_all(struct retry *retry)
{
    struct set *set;
    enum set_state state;
    struct set_progress progress = {0};
    retry->progress = &progress;
    TRY(session_set(retry->queue, retry->name, &set));
    retry->set = set;
    swathe_status status = session_state(retry->queue, retry->name, &state);
    if (status == SWATHE_OK && state == SET_CANCELLED)
        status = session_cancelled(retry->name);
    if (status == SWATHE_OK)
        status = session_progress(retry->queue, retry->name, &progress);
    if (status == SWATHE_OK)
        status = retry_set(retry);
    set_progress_free(&progress);
    set_free(set);
    return status;
}

int command_retry(const struct fleet_options *options)
{
    struct retry retry = {.name = fleet_option_text(options, OPTION_SET),
                          .priority = session_priority(options)};
    swathe_status status = session_open(options, &retry.queue);
    if (status == SWATHE_OK)
        status = retry_all(&retry);
    queue_close(retry.queue);
    if (status != SWATHE_OK)
        return fleet_complain_last(status);
    printf("%s: submitted %" PRId64 " job%s again, with %" PRId64 " failed image%s\n", retry.name,
           retry.jobs, plural(retry.jobs), retry.images, plural(retry.images));
    return retry.lost ? 1 : 0;
}

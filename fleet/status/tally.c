#include "status/tally.h"

#include "fail.h"
#include "set/set.h"

#include <stdlib.h>
#include <string.h>

/* ---- Jobs that failed, in a hash table by id: there are few of them ---------------------------
 */

static size_t tally_slot(const struct tally *tally, int64_t id)
{
    size_t at = (size_t)((uint64_t)id * 0x9e3779b97f4a7c15u >> 20) & (tally->trouble_room - 1);
    while (tally->troubles[at] && tally->troubles[at]->id != id)
        at = (at + 1) & (tally->trouble_room - 1);
    return at;
}

/* At most half of the table is used. */
static bool tally_grow(struct tally *tally)
{
    struct tally_trouble **old = tally->troubles, **table;
    size_t room = tally->trouble_room;
    if (2 * tally->trouble_count < room)
        return true;
    if (fleet_allocate(room ? 2 * room : 64, sizeof *table, &table) != SWATHE_OK)
        return false;
    tally->troubles = table;
    tally->trouble_room = room ? 2 * room : 64;
    for (size_t i = 0; i < room; i++)
        if (old[i])
            table[tally_slot(tally, old[i]->id)] = old[i];
    free(old);
    return true;
}

const struct tally_trouble *tally_find_trouble(const struct tally *tally, int64_t id)
{
    return tally->trouble_room ? tally->troubles[tally_slot(tally, id)] : NULL;
}

/* Trouble of a job; NULL: none. With `add` it is created; NULL: no memory. */
static struct tally_trouble *trouble_of(struct tally *tally, int64_t id, bool add)
{
    struct tally_trouble *made;
    if (tally->trouble_room && tally->troubles[tally_slot(tally, id)])
        return tally->troubles[tally_slot(tally, id)];
    if (!add || !tally_grow(tally) || fleet_allocate(1, sizeof *made, &made) != SWATHE_OK)
        return NULL;
    made->id = id;
    made->seen = tally_has(tally, id) ? 0 : -1;          /* later ones would have made a trouble */
    made->named = tally_has(tally, id) ? JOB_IMAGES : 0; /* a first result has all */
    tally->troubles[tally_slot(tally, id)] = made;
    tally->trouble_count++;
    return made;
}

static void tally_drop(struct tally_trouble *trouble, int32_t at)
{
    free(trouble->failures[at].key);
    free(trouble->failures[at].error);
    trouble->failures[at] = trouble->failures[--trouble->count];
}

static swathe_status tally_append(struct tally_trouble *trouble, const struct outcome_image *image)
{
    struct tally_failure made = {.status = image->status};
    if (trouble->count == trouble->room) {
        int32_t room = trouble->room ? 2 * trouble->room : 4;
        TRY(fleet_reallocate((size_t)room, sizeof made, &trouble->failures));
        trouble->room = room;
    }
    TRY(fleet_copy_text(image->key, &made.key));
    swathe_status status = fleet_copy_text(image->error, &made.error);
    if (status != SWATHE_OK) {
        free(made.key);
        return status;
    }
    trouble->failures[trouble->count++] = made;
    return SWATHE_OK;
}

/* Sets the status of an image; returns by how much the number of failed images grows. An error of
 * NULL: it succeeded. Negative status: no memory. */
static swathe_status set_image_status(struct tally_trouble *trouble,
                                      const struct outcome_image *image, int *grows)
{
    int32_t at = 0;
    while (at < trouble->count && strcmp(trouble->failures[at].key, image->key) != 0)
        at++;
    bool before = at < trouble->count, now = image->status != SWATHE_OK;
    *grows = (int)now - (int)before;
    if (before)
        tally_drop(trouble, at);
    return now ? tally_append(trouble, image) : SWATHE_OK;
}

static void free_troubles(struct tally *tally)
{
    for (size_t i = 0; i < tally->trouble_room; i++) {
        struct tally_trouble *trouble = tally->troubles[i];
        while (trouble && trouble->count > 0)
            tally_drop(trouble, trouble->count - 1);
        if (trouble) {
            free(trouble->failures);
            free(trouble->reason);
            job_free(trouble->job);
        }
        free(trouble);
    }
    free(tally->troubles);
    tally->troubles = NULL;
    tally->trouble_room = tally->trouble_count = 0;
}

/* ---- Counting ---------------------------------------------------------------------------------
 */

enum { PAGE_BITS = 65536, PAGE_WORDS = PAGE_BITS / 64, SPARE_PAGES = 64 };

void tally_start(struct tally *tally, const char *set, const char *identity)
{
    *tally = (struct tally){.limit = -1, .limited = -1, .highest = -1};
    memcpy(tally->set, set, strlen(set) + 1);
    memcpy(tally->identity, identity, strlen(identity) + 1);
}

void tally_free(struct tally *tally)
{
    for (size_t i = 0; i < tally->page_room; i++)
        free(tally->pages[i]);
    free(tally->pages);
    free(tally->barred);
    free_troubles(tally);
}

/* ---- Bits -------------------------------------------------------------------------------------
 */

bool tally_has(const struct tally *tally, int64_t id)
{
    size_t page = (size_t)(id / PAGE_BITS);
    if (page >= tally->page_room || !tally->pages[page])
        return false;
    return tally->pages[page][id % PAGE_BITS / 64] >> id % 64 & 1;
}

/* Ids of a set are dense. So the number of pages is bounded by the number of jobs, or, until it is
 * known, by the number of messages, whatever ids a wrong worker makes up. */
static bool page_allowed(const struct tally *tally, int64_t id)
{
    size_t page = (size_t)(id / PAGE_BITS);
    bool there = page < tally->page_room && tally->pages[page];
    if (id >= INT64_C(1) << 32)
        return false;
    if (tally->limit >= 0)
        return id < tally->limit;
    return there || tally->page_count < SPARE_PAGES + 2 * (tally->messages / PAGE_BITS);
}

bool tally_is_stale(const struct tally *tally)
{
    return tally->limit != tally->limited &&
           (tally->refused || (tally->limit >= 0 && tally->highest >= tally->limit));
}

static swathe_status set_bit(struct tally *tally, int64_t id)
{
    size_t page = (size_t)(id / PAGE_BITS);
    if (page >= tally->page_room) {
        size_t room = page + 1 + page / 2;
        TRY(fleet_reallocate(room, sizeof *tally->pages, &tally->pages));
        memset(tally->pages + tally->page_room, 0,
               (room - tally->page_room) * sizeof *tally->pages);
        tally->page_room = room;
    }
    if (!tally->pages[page]) {
        TRY(fleet_allocate(PAGE_WORDS, sizeof(uint64_t), &tally->pages[page]));
        tally->page_count++;
    }
    tally->pages[page][id % PAGE_BITS / 64] |= UINT64_C(1) << id % 64;
    return SWATHE_OK;
}

static int64_t count_bits(const struct tally *tally, int64_t jobs)
{
    int64_t count = 0;
    for (size_t page = 0; page < tally->page_room; page++)
        for (int64_t word = 0; tally->pages[page] && word < PAGE_WORDS; word++) {
            int64_t first = (int64_t)page * PAGE_BITS + word * 64;
            uint64_t bits = tally->pages[page][word];
            if (jobs - first < 64)
                bits &= jobs <= first ? 0 : (UINT64_C(1) << (jobs - first)) - 1;
            count += __builtin_popcountll(bits);
        }
    return count;
}

void tally_sum(const struct tally *tally, int64_t jobs, struct tally_sum *sum)
{
    *sum = (struct tally_sum){.done = count_bits(tally, jobs)};
    for (size_t i = 0; i < tally->trouble_room; i++) {
        const struct tally_trouble *trouble = tally->troubles[i];
        if (!trouble || trouble->id >= jobs)
            continue;
        bool pending = trouble->submitted > trouble->seen, has = tally_has(tally, trouble->id);
        sum->done -= has && (pending || trouble->dead);
        sum->dead += !pending && trouble->dead;
    }
}

bool tally_is_done(const struct tally *tally, int64_t id)
{
    const struct tally_trouble *trouble = tally_find_trouble(tally, id);
    return tally_has(tally, id) && !(trouble && trouble->dead) && !tally_is_open(tally, id);
}

bool tally_is_open(const struct tally *tally, int64_t id)
{
    const struct tally_trouble *trouble = tally_find_trouble(tally, id);
    if (trouble && trouble->submitted > trouble->seen)
        return true;
    return !tally_has(tally, id) && !(trouble && trouble->dead);
}

int64_t tally_next_generation(const struct tally *tally, int64_t id)
{
    const struct tally_trouble *trouble = tally_find_trouble(tally, id);
    int64_t last = trouble && trouble->submitted > 0 ? trouble->submitted : 0;
    return (trouble && trouble->seen > last ? trouble->seen : last) + 1;
}

/* ---- Messages ---------------------------------------------------------------------------------
 */

/* A result of a job that has one already changes only images that were made again since they
 * failed, and adds those that were not counted: a retry has only some images of a job, and is the
 * first result if the one before it was of a worker in quarantine. */
static swathe_status count_images(struct tally *tally, const struct outcome *outcome, bool first)
{
    for (int32_t i = 0; i < outcome->count; i++) {
        const struct outcome_image *image = &outcome->images[i];
        bool failed = image->status != SWATHE_OK;
        struct tally_trouble *trouble = trouble_of(tally, outcome->id, failed);
        int grows = 0;
        if (failed && !trouble)
            return SWATHE_ERROR_MEMORY;
        if (failed)
            memcpy(trouble->worker, outcome->worker, sizeof trouble->worker);
        if (trouble)
            TRY(set_image_status(trouble, image, &grows));
        tally->failed += grows;
        tally->images += first ? !failed : -grows;
    }
    return SWATHE_OK;
}

static swathe_status count_result(struct tally *tally, const struct outcome *outcome)
{
    bool first = !tally_has(tally, outcome->id);
    struct tally_trouble *trouble = trouble_of(tally, outcome->id, outcome->generation > 0);
    if (outcome->generation > 0 && !trouble)
        return SWATHE_ERROR_MEMORY;
    tally->duplicates += !first && (!trouble || outcome->generation <= trouble->seen);
    bool images = outcome->kind != JOB_TILES && /* those are parts of one */
                  (first || (trouble && outcome->generation > trouble->seen));
    if (images && !first && outcome->count > trouble->named)
        tally->images += outcome->count - trouble->named; /* not counted yet */
    if (images)
        TRY(count_images(tally, outcome, first));
    if (first)
        tally->seconds += outcome->seconds;
    TRY(set_bit(tally, outcome->id));
    trouble = trouble_of(tally, outcome->id, false);
    if (trouble && images && outcome->count > trouble->named)
        trouble->named = outcome->count;
    if (trouble && outcome->generation >= trouble->seen) {
        trouble->seen = outcome->generation;
        trouble->dead = false;
    }
    return SWATHE_OK;
}

/* A job with a result is given up only if it was submitted again since, as after a quarantine. */
static swathe_status count_dead(struct tally *tally, struct outcome *outcome)
{
    if (outcome->id < 0) {
        tally->unknown++;
        return SWATHE_OK;
    }
    struct tally_trouble *trouble = trouble_of(tally, outcome->id, true);
    if (!trouble)
        return SWATHE_ERROR_MEMORY;
    bool has = tally_has(tally, outcome->id) && !trouble->dead;
    if (outcome->generation < trouble->seen + (has ? 1 : 0))
        return SWATHE_OK;
    memcpy(trouble->worker, outcome->worker, sizeof trouble->worker);
    free(trouble->reason);
    trouble->reason = NULL;
    job_free(trouble->job);
    trouble->job = outcome->job;
    outcome->job = NULL;
    trouble->seen = outcome->generation;
    trouble->dead = true;
    return fleet_copy_text(outcome->reason, &trouble->reason);
}

static swathe_status count_retry(struct tally *tally, const struct queue_record_view *view)
{
    struct set_retry retry;
    if (set_retry_parse(view->json, view->size, tally->identity, &retry) != SWATHE_OK ||
        !page_allowed(tally, retry.id)) {
        tally->ignored++;
        return SWATHE_OK;
    }
    struct tally_trouble *trouble = trouble_of(tally, retry.id, true);
    if (!trouble)
        return SWATHE_ERROR_MEMORY;
    if (retry.generation > trouble->submitted)
        trouble->submitted = retry.generation;
    return SWATHE_OK;
}

static bool is_barred(const struct tally *tally, const char *worker)
{
    for (size_t i = 0; i < tally->barred_count; i++)
        if (strcmp(tally->barred[i], worker) == 0)
            return true;
    return false;
}

/* A job is submitted again with the next generation, and its result can come before the mark. A
 * worker that makes up a higher one would leave no generation for a repair. */
static bool id_allowed(struct tally *tally, const struct outcome *outcome)
{
    if (outcome->id < 0)
        return true;
    if (!page_allowed(tally, outcome->id)) {
        tally->refused = true;
        return false;
    }
    return outcome->generation <= tally_next_generation(tally, outcome->id);
}

/* The subject says who published a message; the message may lie. */
static bool tally_belongs(struct tally *tally, const struct queue_record_view *view,
                          const struct outcome *outcome)
{
    if (strcmp(outcome->worker, view->worker) != 0 || strcmp(outcome->set, tally->identity) != 0 ||
        (view->kind == QUEUE_DEAD) != (outcome->reason[0] != '\0') || !id_allowed(tally, outcome))
        return false;
    if (outcome->id > tally->highest)
        tally->highest = outcome->id;
    return true;
}

swathe_status tally_count(struct tally *tally, const struct queue_record_view *view)
{
    struct outcome *outcome = NULL;
    tally->messages++;
    tally->last = view->sequence;
    if (view->kind == QUEUE_RETRY)
        return count_retry(tally, view);
    if (is_barred(tally, view->worker))
        return SWATHE_OK;
    swathe_status status = outcome_parse(view->json, view->size, &outcome);
    if (status == SWATHE_ERROR_MEMORY)
        return status;
    status = SWATHE_OK;
    if (outcome && outcome->id >= JOB_AUDIT_FIRST)
        ; /* an audit repeats an image of another job */
    else if (!outcome || !tally_belongs(tally, view, outcome))
        tally->ignored++;
    else if (view->kind == QUEUE_DEAD)
        status = count_dead(tally, outcome);
    else if (outcome->kind != JOB_AUDIT)
        status = count_result(tally, outcome);
    outcome_free(outcome);
    return status;
}

/* ---- Reading ----------------------------------------------------------------------------------
 */

static swathe_status tally_bar(void *user, const char *worker)
{
    struct tally *tally = user;
    if (is_barred(tally, worker) || !name_is_safe(worker))
        return SWATHE_OK;
    TRY(fleet_reallocate(tally->barred_count + 1, sizeof *tally->barred, &tally->barred));
    memcpy(tally->barred[tally->barred_count++], worker, strlen(worker) + 1);
    return SWATHE_OK;
}

static swathe_status count_view(void *user, const struct queue_record_view *view)
{
    return tally_count(user, view);
}

swathe_status tally_update(struct tally *tally, struct queue *queue)
{
    size_t before = tally->barred_count;
    TRY(queue_quarantine_list(queue, tally->set, tally_bar, tally));
    if (tally->barred_count != before || tally_is_stale(tally)) {
        struct tally again;
        tally_start(&again, tally->set, tally->identity);
        again.limit = tally->limit;
        again.barred = tally->barred;
        again.barred_count = tally->barred_count;
        tally->barred = NULL;
        tally_free(tally);
        *tally = again;
    }
    tally->limited = tally->limit;
    return queue_results(queue, tally->set, tally->last, count_view, tally);
}

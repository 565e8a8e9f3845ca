#define _DEFAULT_SOURCE /* explicit_bzero */
/* Reads the results of a set: draws images, and compares results of the same job. */
#include "audit/audit.h"

#include "../../src/base/os_clock.h"
#include "fail.h"

#include <errno.h>
#include <math.h>
#include <openssl/evp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* ---- Which images are drawn -------------------------------------------------------------------
 */

enum { SEED_FILE_LEAST = 16, SEED_FILE_MOST = 4096 };

static swathe_status audit_read_digest(const void *bytes, size_t size, unsigned char result[32])
{
    unsigned length = 0;
    if (EVP_Digest(bytes, size, result, &length, EVP_sha256(), NULL) != 1 || length != 32)
        return fleet_fail(SWATHE_ERROR_INTERNAL, "the library for checksums (libcrypto) failed");
    return SWATHE_OK;
}

static swathe_status read_seed(const char *path, unsigned char seed[32])
{
    unsigned char bytes[SEED_FILE_MOST];
    FILE *file = fopen(path, "rb");
    if (!file)
        return fleet_fail(SWATHE_ERROR_IO, "--seed-file %s: %s", path, strerror(errno));
    size_t size = fread(bytes, 1, sizeof bytes, file);
    bool failed = ferror(file);
    fclose(file);
    if (failed)
        return fleet_fail(SWATHE_ERROR_IO, "--seed-file %s: cannot read it", path);
    if (size < SEED_FILE_LEAST)
        return fleet_fail(SWATHE_ERROR_INPUT,
                          "--seed-file %s: has %zu bytes, at least %d are needed; make one with "
                          "'head -c 32 /dev/urandom'",
                          path, size, SEED_FILE_LEAST);
    swathe_status status = audit_read_digest(bytes, size, seed);
    explicit_bzero(bytes, sizeof bytes);
    return status;
}

swathe_status audit_draw_start(struct audit_draw *draw, double share, const char *seed_file)
{
    draw->share = share;
    if (seed_file)
        return read_seed(seed_file, draw->seed);
    if (getrandom(draw->seed, sizeof draw->seed, 0) != (ssize_t)sizeof draw->seed)
        return fleet_fail(SWATHE_ERROR_IO, "no random numbers: %s", strerror(errno));
    return SWATHE_OK;
}

/* Uniform in (0, 1], from the seed and the place. */
static swathe_status audit_read_uniform(const struct audit_draw *draw, uint64_t sequence,
                                        int32_t drawn, double *number)
{
    unsigned char bytes[sizeof draw->seed + 12], result[32];
    uint64_t bits = 0;
    memcpy(bytes, draw->seed, sizeof draw->seed);
    for (int i = 0; i < 8; i++)
        bytes[sizeof draw->seed + i] = (unsigned char)(sequence >> 8 * i);
    for (int i = 0; i < 4; i++)
        bytes[sizeof draw->seed + 8 + i] = (unsigned char)((uint32_t)drawn >> 8 * i);
    TRY(audit_read_digest(bytes, sizeof bytes, result));
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | result[i];
    *number = ldexp((double)(bits >> 11) + 1, -53);
    return SWATHE_OK;
}

/* The number of images between two drawn ones has a geometric distribution, so one random number
 * serves many images: P(skip >= n) = (1 - share)^n. */
swathe_status audit_draw_next(const struct audit_draw *draw, uint64_t sequence, int32_t drawn,
                              int32_t count, int32_t *at)
{
    double number;
    TRY(audit_read_uniform(draw, sequence, drawn, &number));
    double skip = draw->share < 1 ? floor(log(number) / log1p(-draw->share)) : 0;
    *at = skip < count - 1 - *at ? *at + 1 + (int32_t)skip : count;
    return SWATHE_OK;
}

/* ---- Results ----------------------------------------------------------------------------------
 */

/* Reads the results of a set: draws images, and compares results of the same job. */

enum { PRINTED_MOST = 20 };

int64_t audit_now(void)
{
    return (int64_t)(clock_now() * 1e3);
}

void audit_free(struct audit *audit)
{
    while (audit->case_count > 0) {
        struct audit_case *last = audit->cases[--audit->case_count];
        free(last->key);
        free(last);
    }
    audit_numbers_free(&audit->first);
    audit_numbers_free(&audit->repaired);
    audit_repairs_free(&audit->repairs);
    free(audit->redo);
    set_free(audit->record);
}

void audit_leave_open(struct audit *audit, const char *format, ...)
{
    char text[KEY_BYTES + 1024];
    va_list arguments;
    audit->counts.open++;
    if (audit->counts.complaints++ >= PRINTED_MOST)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fleet_complain(SWATHE_OK, "%s%s", text,
                   audit->counts.complaints == PRINTED_MOST ? " (more are only counted)" : "");
}

swathe_status audit_parse(const struct audit *audit, const struct queue_record_view *view,
                          struct outcome **outcome)
{
    struct outcome *made = NULL;
    swathe_status status = outcome_parse(view->json, view->size, &made);
    if (status == SWATHE_ERROR_MEMORY)
        return status;
    if (made && (strcmp(made->worker, view->worker) != 0 ||
                 strcmp(made->set, audit->record->identity) != 0 ||
                 (view->kind == QUEUE_DEAD) != (made->reason[0] != '\0'))) {
        outcome_free(made);
        made = NULL;
    }
    *outcome = made;
    return SWATHE_OK;
}

static swathe_status start_case(struct audit *audit, const struct outcome *outcome,
                                const struct outcome_image *image, const struct audit_claim *other)
{
    struct audit_case *made = audit_open(audit, outcome->id, image->key);
    if (!made)
        return fleet_fail(SWATHE_ERROR_MEMORY, "no memory for an audit");
    audit_case_claim(made, outcome->worker, image->samples);
    if (other)
        audit_case_claim(made, other->worker, other->samples);
    return audit_consider(audit, made);
}

/* Images that failed have no output, and are counted by status. */
static swathe_status draw_images(struct audit *audit, const struct outcome *outcome,
                                 uint64_t sequence)
{
    int32_t at = -1;
    for (int32_t drawn = 0;; drawn++) {
        TRY(audit_draw_next(&audit->draw, sequence, drawn, outcome->count, &at));
        if (at >= outcome->count)
            break;
        if (outcome->images[at].status != SWATHE_OK)
            continue;
        audit->counts.drawn++;
        TRY(start_case(audit, outcome, &outcome->images[at], NULL));
    }
    for (int32_t i = 0; i < outcome->count; i++)
        audit->counts.images += outcome->images[i].status == SWATHE_OK;
    return SWATHE_OK;
}

/* ---- Results of the same job ------------------------------------------------------------------
 */

struct earlier {
    struct audit *audit;
    struct outcome *outcome;
};

static swathe_status take_earlier(void *user, const struct queue_record_view *view)
{
    struct earlier *earlier = user;
    if (view->kind != QUEUE_RESULT || audit_is_barred(earlier->audit, view->worker))
        return SWATHE_OK;
    return audit_parse(earlier->audit, view, &earlier->outcome);
}

static const struct outcome_image *find_image(const struct outcome *outcome, const char *key,
                                              int32_t near)
{
    if (near < outcome->count && strcmp(outcome->images[near].key, key) == 0)
        return &outcome->images[near];
    for (int32_t i = 0; i < outcome->count; i++)
        if (strcmp(outcome->images[i].key, key) == 0)
            return &outcome->images[i];
    return NULL;
}

/* One difference is enough for a judgement of the workers. */
static swathe_status audit_read_compare(struct audit *audit, const struct outcome *earlier,
                                        const struct outcome *outcome)
{
    struct audit_claim other;
    audit->counts.compared++;
    for (int32_t i = 0; i < outcome->count; i++) {
        const struct outcome_image *image = &outcome->images[i];
        const struct outcome_image *before = find_image(earlier, image->key, i);
        if (!before || before->status != SWATHE_OK || image->status != SWATHE_OK ||
            strcmp(before->samples, image->samples) == 0)
            continue;
        snprintf(other.worker, sizeof other.worker, "%s", earlier->worker);
        snprintf(other.samples, sizeof other.samples, "%s", before->samples);
        return start_case(audit, outcome, image, &other);
    }
    return SWATHE_OK;
}

/* A job may have several results, because it was delivered again. They must be equal. */
static swathe_status audit_read_compare_with_earlier(struct audit *audit,
                                                     const struct outcome *outcome,
                                                     uint64_t sequence)
{
    uint64_t first = audit_numbers_get(&audit->first, (uint64_t)outcome->id);
    struct earlier earlier = {.audit = audit};
    if (first != 0)
        TRY(queue_result_at(audit->queue, audit->set, first, take_earlier, &earlier));
    swathe_status status = SWATHE_OK;
    if (earlier.outcome)
        status = audit_read_compare(audit, earlier.outcome, outcome);
    else
        status = audit_numbers_set(&audit->first, (uint64_t)outcome->id, sequence, audit->messages);
    outcome_free(earlier.outcome);
    return status;
}

static swathe_status take_outcome(struct audit *audit, const struct outcome *outcome,
                                  uint64_t sequence)
{
    bool repair = audit_repair_done(audit, outcome);
    if (outcome->reason[0] || (sequence > audit->end && !repair))
        return SWATHE_OK;
    if (outcome->kind != JOB_IMAGES_KEYS && outcome->kind != JOB_MANIFEST)
        return SWATHE_OK;
    TRY(audit_read_compare_with_earlier(audit, outcome, sequence));
    return draw_images(audit, outcome, sequence);
}

static swathe_status read_one(void *user, const struct queue_record_view *view)
{
    struct audit *audit = user;
    struct outcome *outcome = NULL;
    if (audit->case_count >= AUDIT_WINDOW) {
        audit->stopped = true;
        return SWATHE_ERROR_CANCELLED;
    }
    audit->read = view->sequence;
    audit->messages++;
    if (view->kind == QUEUE_RETRY || audit_is_barred(audit, view->worker))
        return SWATHE_OK;
    TRY(audit_parse(audit, view, &outcome));
    swathe_status status = SWATHE_OK;
    if (outcome && outcome->id >= 0 && outcome->id < JOB_AUDIT_FIRST)
        status = take_outcome(audit, outcome, view->sequence);
    outcome_free(outcome);
    return status;
}

swathe_status audit_read(struct audit *audit)
{
    if (audit->case_count > AUDIT_WINDOW / 2)
        return SWATHE_OK;
    audit->stopped = false;
    swathe_status status = queue_results(audit->queue, audit->set, audit->read, read_one, audit);
    return audit->stopped ? SWATHE_OK : status;
}

/* Messages and keys when memory is short: each allocation of the fleet, and of Jansson for it,
 * fails once. The call must fail with SWATHE_ERROR_MEMORY, or give the same as with enough memory.
 * Linked with --wrap of these functions. */
#include "fleet_check.h"
#include "fleet_fail.h"
#include "submit/submit.h"

#include <stdlib.h>
#include <string.h>

static int fail_at, calls;

/* The linker's names. */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);

void *__wrap_malloc(size_t size)
{
    return ++calls == fail_at ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return ++calls == fail_at ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return ++calls == fail_at ? NULL : __real_realloc(block, size);
}

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char *const jobs[] = {
    "{\"v\":1,\"set\":\"s.0123456789abcdef\",\"id\":123,\"generation\":0,\"kind\":\"images\","
    "\"keys\":[\"a\",\"b\"]"
    "}",
    "{\"v\":1,\"set\":\"s.0123456789abcdef\",\"id\":7,\"generation\":0,\"kind\":\"audit\",\"of\":3,"
    "\"key\":\"k\","
    "\"not\":[\"w1\",\"w2\"]}",
};

static const char *const outcomes[] = {
    "{\"v\":1,\"set\":\"s.0123456789abcdef\",\"id\":5,\"worker\":\"w\",\"generation\":0,"
    "\"attempt\":1,"
    "\"kind\":\"images\",\"seconds\":1.5,\"images\":[{\"key\":\"a\",\"samples\":\"" HASH
    "\",\"bytes\":\"" HASH "\",\"size\":100},{\"key\":\"b\",\"status\":3,\"error\":\"bad\"}]}",
    "{\"v\":1,\"set\":\"s.0123456789abcdef\",\"id\":3,\"worker\":\"w\",\"generation\":0,"
    "\"attempt\":6,"
    "\"reason\":\"late\",\"job\":{\"v\":1,\"set\":\"s.0123456789abcdef\",\"id\":3,\"generation\":0,"
    "\"kind\":\"images\",\"keys\":[\"a\"]}}",
};

static swathe_status rewrite_job(const char *json, char **again)
{
    struct job *job;
    TRY(job_parse(json, strlen(json), &job));
    swathe_status status = job_format(job, again, NULL);
    job_free(job);
    return status;
}

static swathe_status rewrite_outcome(const char *json, char **again)
{
    struct outcome *outcome;
    TRY(outcome_parse(json, strlen(json), &outcome));
    swathe_status status = outcome_format(outcome, again, NULL);
    outcome_free(outcome);
    return status;
}

static void check_message(swathe_status (*rewrite)(const char *json, char **again),
                          const char *json)
{
    bool failed = true;
    for (int at = 1; failed; at++) {
        char *again = NULL;
        calls = 0;
        fail_at = at;
        swathe_status status = rewrite(json, &again);
        failed = calls >= at;
        fail_at = 0;
        CHECK(status == SWATHE_OK || (failed && status == SWATHE_ERROR_MEMORY));
        CHECK(status != SWATHE_OK || strcmp(again, json) == 0);
        if (status == SWATHE_OK)
            free(again);
    }
}

/* A key must not be skipped. */
static void check_keys(void)
{
    struct set set = {.name = "s"};
    const struct submission_key key = {.key = "a.jpg", .mark = "a.jpg", .length = 6};
    bool failed = true;
    for (int at = 1; failed; at++) {
        struct submission submission = {.set = &set};
        submission_start(&submission);
        calls = 0;
        fail_at = at;
        swathe_status status = submission_add(&submission, &key);
        failed = calls >= at;
        fail_at = 0;
        CHECK(status == SWATHE_OK || (failed && status == SWATHE_ERROR_MEMORY));
        CHECK(submission.skipped == 0 && submission.job.count == (status == SWATHE_OK));
        submission_free(&submission);
    }
}

int main(void)
{
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        check_message(rewrite_job, jobs[i]);
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++)
        check_message(rewrite_outcome, outcomes[i]);
    check_keys();
    printf("ok\n");
    return 0;
}

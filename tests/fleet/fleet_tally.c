/* What is done of a set, counted from messages in any order. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include "fail.h"
#include "fleet_check.h"
#include "set/set.h"
#include "status/report.h"
#include "status/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SET "s.0123456789abcdef"

static void count(struct tally *tally, enum queue_outcome kind, const char *worker,
                  const char *json, size_t size)
{
    struct queue_record_view view = {kind, worker, json, size, tally->last + 1};
    CHECK(tally_count(tally, &view) == SWATHE_OK);
}

static struct outcome blank(const char *worker, int64_t id, int64_t generation)
{
    struct outcome outcome = {.set = SET, .id = id, .generation = generation, .attempt = 1};
    snprintf(outcome.worker, sizeof outcome.worker, "%s", worker);
    return outcome;
}

/* Two images, "a" and "b"; a letter of `failed` fails; generations after the first have only the
 * letters of `made`. */
static void result(struct tally *tally, const char *worker, int64_t id, int64_t generation,
                   const char *made, const char *failed)
{
    struct outcome outcome = blank(worker, id, generation);
    struct outcome_image images[2];
    char keys[2][2], *json;
    size_t size;
    memset(images, 0, sizeof images);
    for (const char *c = made; *c; c++) {
        struct outcome_image *image = &images[outcome.count];
        snprintf(keys[outcome.count], 2, "%c", *c);
        image->key = keys[outcome.count++];
        image->status = strchr(failed, *c) ? SWATHE_ERROR_INPUT : SWATHE_OK;
        memset(image->samples, '0', 64);
        memset(image->bytes, '0', 64);
    }
    outcome.images = images;
    CHECK(outcome_format(&outcome, &json, &size) == SWATHE_OK);
    count(tally, QUEUE_RESULT, worker, json, size);
    free(json);
}

static void dead(struct tally *tally, const char *worker, int64_t id, int64_t generation)
{
    struct outcome outcome = blank(worker, id, generation);
    char *json;
    size_t size;
    snprintf(outcome.reason, sizeof outcome.reason, "no luck");
    CHECK(outcome_format(&outcome, &json, &size) == SWATHE_OK);
    count(tally, QUEUE_DEAD, worker, json, size);
    free(json);
}

static void retry(struct tally *tally, int64_t id, int64_t generation)
{
    char *json;
    size_t size;
    CHECK(set_retry_format(SET, &(struct set_retry){id, generation, 0}, &json, &size) == SWATHE_OK);
    count(tally, QUEUE_RETRY, "", json, size);
    free(json);
}

static void expect(const struct tally *tally, int64_t done, int64_t given_up, int64_t images,
                   int64_t failed, int line)
{
    struct tally_sum sum;
    tally_sum(tally, 1000, &sum);
    if (sum.done != done || sum.dead != given_up || tally->images != images ||
        tally->failed != failed) {
        printf("FAILED tally %s:%d: done %lld, dead %lld, images %lld, failed %lld\n", __FILE__,
               line, (long long)sum.done, (long long)sum.dead, (long long)tally->images,
               (long long)tally->failed);
        exit(1);
    }
}
#define EXPECT(...) expect(&tally, __VA_ARGS__, __LINE__)

static void check_counts(void)
{
    struct tally tally;
    tally_start(&tally, "s", SET);
    result(&tally, "w", 0, 0, "ab", "");
    EXPECT(1, 0, 2, 0);
    result(&tally, "w", 0, 0, "ab", ""); /* twice: counts once */
    EXPECT(1, 0, 2, 0);
    CHECK(tally.duplicates == 1);
    result(&tally, "w", 1, 0, "ab", "b");
    EXPECT(2, 0, 3, 1);
    result(&tally, "v", 1, 0, "ab", ""); /* the first outcome stands */
    EXPECT(2, 0, 3, 1);
    retry(&tally, 1, 1);
    EXPECT(1, 0, 3, 1);
    result(&tally, "w", 1, 1, "b", "b");
    EXPECT(2, 0, 3, 1);
    result(&tally, "w", 1, 2, "b", ""); /* before its mark */
    retry(&tally, 1, 2);
    EXPECT(2, 0, 4, 0);
    dead(&tally, "w", 2, 0);
    EXPECT(2, 1, 4, 0);
    retry(&tally, 2, 1);
    EXPECT(2, 0, 4, 0);
    dead(&tally, "w", 2, 1);
    EXPECT(2, 1, 4, 0);
    result(&tally, "w", 2, 0, "ab", ""); /* late: the dead letter is newer */
    EXPECT(2, 1, 6, 0);
    retry(&tally, 2, 2);
    result(&tally, "w", 2, 2, "ab", "");
    EXPECT(3, 0, 6, 0);
    dead(&tally, "w", 0, 0); /* a dead letter after a result: done */
    EXPECT(3, 0, 6, 0);
    CHECK(tally.ignored == 0);
    tally_free(&tally);
}

static void check_lies(void)
{
    struct tally tally;
    tally_start(&tally, "s", SET);
    const char *json = "{\"v\":1,\"set\":\"" SET "\",\"id\":0,\"worker\":\"w\",\"generation\":0,"
                       "\"attempt\":1,\"kind\":\"images\",\"seconds\":1.0,\"images\":[]}";
    count(&tally, QUEUE_RESULT, "v", json, strlen(json)); /* says that it is another worker */
    count(&tally, QUEUE_DEAD, "w", json, strlen(json));   /* a result as a dead letter */
    count(&tally, QUEUE_RESULT, "w", "{", 1);
    json = "{\"v\":1,\"set\":\"s.0123456789abcdee\",\"id\":0,\"generation\":1}";
    count(&tally, QUEUE_RETRY, "", json, strlen(json)); /* of another set with this name */
    EXPECT(0, 0, 0, 0);
    CHECK(tally.ignored == 4 && !tally_find_trouble(&tally, 0));
    for (int i = 0; i < 1000; i++) /* ids that need much memory */
        result(&tally, "w", (INT64_C(1) << 32) - 1 - i * INT64_C(65536), 0, "a", "");
    CHECK(tally.page_count <= 64);
    /* Numbers near known ones still count. */
    result(&tally, "w", (INT64_C(1) << 32) - 2, 0, "a", "");
    CHECK(tally_has(&tally, (INT64_C(1) << 32) - 2));
    tally.limit = 5;
    result(&tally, "w", 5, 0, "a", "");
    CHECK(!tally_has(&tally, 5));
    result(&tally, "w", 4, 0, "a", "");
    tally_free(&tally);
    tally_start(&tally, "s", SET);
    CHECK(fleet_allocate(1, sizeof *tally.barred, &tally.barred) == SWATHE_OK);
    snprintf(tally.barred[tally.barred_count++], NAME_BYTES, "bad");
    result(&tally, "bad", 0, 0, "ab", "");
    dead(&tally, "bad", 1, 0);
    EXPECT(0, 0, 0, 0);
    result(&tally, "good", 0, 1, "ab", "");
    EXPECT(1, 0, 2, 0);
    tally_free(&tally);
}

/* A retry of one image is the first result that counts, if the one before it was of a worker in
 * quarantine. The job is redone after that. */
static void check_part_first(void)
{
    struct tally tally;
    tally_start(&tally, "s", SET);
    retry(&tally, 0, 1);
    result(&tally, "w", 0, 1, "b", "");
    EXPECT(1, 0, 1, 0);
    retry(&tally, 0, 2);
    result(&tally, "w", 0, 2, "ab", "a");
    EXPECT(1, 0, 1, 1);
    retry(&tally, 0, 3);
    result(&tally, "w", 0, 3, "a", "");
    EXPECT(1, 0, 2, 0);
    result(&tally, "w", 1, 0, "ab", ""); /* a whole job, then a part of it */
    retry(&tally, 1, 1);
    result(&tally, "w", 1, 1, "b", "b");
    EXPECT(2, 0, 3, 1);
    tally_free(&tally);
}

/* A job with results that is submitted again, and then given up, is not done. */
static void check_dead_repair(void)
{
    struct tally tally;
    tally_start(&tally, "s", SET);
    result(&tally, "w", 0, 0, "ab", "a");
    result(&tally, "w", 1, 0, "ab", "");
    dead(&tally, "v", 0, 0); /* done by another worker */
    dead(&tally, "v", 1, 0);
    EXPECT(2, 0, 3, 1);
    for (int64_t id = 0; id < 2; id++) {
        retry(&tally, id, 1);
        dead(&tally, "w", id, 1);
    }
    EXPECT(0, 2, 3, 1);
    result(&tally, "v", 1, 0, "ab", ""); /* late, of the first generation */
    EXPECT(0, 2, 3, 1);
    CHECK(!tally_is_open(&tally, 1) && tally_next_generation(&tally, 1) == 2);
    retry(&tally, 1, 2);
    EXPECT(0, 1, 3, 1);
    CHECK(tally_is_open(&tally, 1));
    result(&tally, "w", 1, 2, "ab", "");
    EXPECT(1, 1, 3, 1);
    tally_free(&tally);
}

/* A worker cannot use up the generations of a job. */
static void check_generations(void)
{
    struct tally tally;
    tally_start(&tally, "s", SET);
    result(&tally, "w", 0, INT32_MAX, "ab", "b");
    dead(&tally, "w", 1, INT32_MAX);
    EXPECT(0, 0, 0, 0);
    CHECK(tally.ignored == 2);
    CHECK(tally_next_generation(&tally, 0) == 1 && tally_next_generation(&tally, 1) == 1);
    result(&tally, "w", 0, 0, "ab", "b");
    retry(&tally, 0, 1);
    result(&tally, "w", 0, 3, "b", ""); /* only 1 was submitted */
    EXPECT(0, 0, 1, 1);
    CHECK(tally_next_generation(&tally, 0) == 2);
    tally_free(&tally);
}

/* What was counted or ignored before the number of jobs was known is looked at again. */
static void check_limit(void)
{
    struct tally tally;
    tally_start(&tally, "s", SET);
    result(&tally, "w", 4, 0, "a", "");
    tally.limit = 5;
    CHECK(!tally_is_stale(&tally));
    tally.limit = 4;
    CHECK(tally_is_stale(&tally)); /* a job that does not exist was counted */
    tally.limit = -1;
    for (int i = 0; i < 100; i++)
        result(&tally, "w", i * INT64_C(65536), 0, "a", "");
    CHECK(tally.ignored > 0);
    tally.limit = 100 * INT64_C(65536);
    CHECK(tally_is_stale(&tally)); /* jobs that exist were ignored */
    tally_free(&tally);
    tally_start(&tally, "s", SET);
    tally.limit = 100 * INT64_C(65536);
    for (int i = 99; i >= 0; i--)
        result(&tally, "w", i * INT64_C(65536), 0, "a", "");
    CHECK(tally.ignored == 0 && tally.images == 100);
    tally_free(&tally);
}

/* The states of a thousand jobs in an order that is not theirs. */
static void check_many(void)
{
    struct tally tally;
    tally_start(&tally, "s", SET);
    for (int64_t i = 0; i < 3000; i++) {
        int64_t id = i * 7919 % 1000;
        if (id % 10 == 3)
            dead(&tally, "w", id, 0);
        else
            result(&tally, "w", id, 0, "ab", id % 10 == 5 ? "a" : "");
    }
    EXPECT(900, 100, 1700, 100);
    tally_free(&tally);
}

/* 2 a second, then 10 a second: after a minute only the latter counts. */
static void check_rate(void)
{
    struct status_rate rate = {0};
    double found = status_rate_add(&rate, 1000, 100);
    CHECK(found < 0);
    for (int i = 1; i <= 20; i++)
        found = status_rate_add(&rate, 1000 + i * 500, 100 + i);
    CHECK(found > 1.999 && found < 2.001);
    for (int i = 1; i <= 140; i++)
        found = status_rate_add(&rate, 11000 + i * 500, 120 + 5 * i);
    CHECK(found > 9.999 && found < 10.001);
    CHECK(status_rate_add(&rate, 82000, 50) < 0); /* results of a worker in quarantine */
    found = status_rate_add(&rate, 84000, 56);
    CHECK(found > 2.999 && found < 3.001);
    CHECK(status_rate_left(found, 300) > 99 && status_rate_left(found, 300) < 101);
    CHECK(status_rate_left(0, 300) < 0 && status_rate_left(-1, 300) < 0);
}

static void check_duration(double seconds, const char *expected)
{
    char text[64] = "";
    status_rate_text(seconds, text, sizeof text);
    CHECK(strcmp(text, expected) == 0);
}

/* A line of a terminal has the time left, and fits 80 columns. */
static void check_live(const char *set, int64_t jobs)
{
    struct status_report report = {.set = set, .jobs = jobs, .listed = 1000 * jobs};
    char text[512] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    report.state = SET_DRAINING;
    report.sum.done = report.waiting = report.running = jobs - 1;
    report.sum.dead = report.tally.failed = report.missing = 12345;
    report.rate = 12345;
    report.left = 86400.0 * 1234;
    CHECK(out);
    status_print_live(out, &report, false);
    fclose(out);
    CHECK(strlen(text) <= 80 + strlen("\r\033[K\033[?7l\033[?7h"));
    CHECK(strstr(text, "%, about 1234 d 0 h left"));
}

int main(void)
{
    check_live("s", 10);
    check_live("a-name-of-64-characters-which-is-the-longest-that-a-set-can-have", INT64_C(1)
                                                                                       << 32);
    check_rate();
    check_duration(59.4, "59 s");
    check_duration(59.6, "1 min");
    check_duration(3 * 3600 + 12 * 60 + 59, "3 h 12 min");
    check_duration(51 * 3600, "2 d 3 h");
    check_counts();
    check_lies();
    check_part_first();
    check_dead_repair();
    check_generations();
    check_limit();
    check_many();
    printf("results are counted once\n");
    return 0;
}

/* Messages of a fleet: what is written is read again, and damaged messages are refused or mean the
 * same after they were written again. When memory is short, the call fails with
 * SWATHE_ERROR_MEMORY, or gives the same as with enough memory. Linked with --wrap of malloc,
 * calloc and realloc.
 *
 *     fleet_messages [COUNT [SEED]] */
#include "../../cli/rng.h"
#include "fail.h"
#include "fleet_check.h"
#include "mosaic/mosaic.h"
#include "set/set.h"
#include "submit/submit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory --------------------------------------------------------------------------------- */

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

/* ---- One kind of message -------------------------------------------------------------------- */

/* Reads a message and writes it again, which only fails for lack of memory. */
typedef swathe_status rewrite(const char *json, size_t size, char **again, size_t *again_size);

static swathe_status rewrite_job(const char *json, size_t size, char **again, size_t *again_size)
{
    struct job *job;
    TRY(job_parse(json, size, &job));
    swathe_status status = job_format(job, again, again_size);
    CHECK(status == SWATHE_OK || fail_at > 0);
    job_free(job);
    return status;
}

static swathe_status rewrite_outcome(const char *json, size_t size, char **again,
                                     size_t *again_size)
{
    struct outcome *outcome;
    TRY(outcome_parse(json, size, &outcome));
    swathe_status status = outcome_format(outcome, again, again_size);
    CHECK(status == SWATHE_OK || fail_at > 0);
    outcome_free(outcome);
    return status;
}

static swathe_status rewrite_set(const char *json, size_t size, char **again, size_t *again_size)
{
    struct set *set;
    TRY(set_parse(json, size, &set));
    swathe_status status = set_format(set, again, again_size);
    CHECK(status == SWATHE_OK || fail_at > 0);
    set_free(set);
    return status;
}

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct {
    rewrite *rewrite;
    const char *json;
} samples[] = {
    {rewrite_job,
     "{\"v\":1,\"set\":\"photos.0123456789abcdef\",\"id\":123,\"generation\":0,\"kind\":\"images\","
     "\"keys\":[\"a.jpg\",\"b/\xc3\xa9 c.png\",\"x\\\\\\\"y.tif\"]}"},
    {rewrite_job,
     "{\"v\":1,\"set\":\"s.0123456789abcdef\",\"id\":0,\"generation\":2,\"kind\":\"manifest\","
     "\"offset\":0,\"size\":1000}"},
    {rewrite_job, "{\"v\":1,\"set\":\"s.0123456789abcdef\",\"id\":7,\"generation\":0,\"kind\":"
                  "\"audit\",\"of\":3,"
                  "\"key\":\"k.jpg\",\"not\":[\"w1\",\"w2\"]}"},
    {rewrite_job,
     "{\"v\":1,\"set\":\"s.0123456789abcdef\",\"id\":7,\"generation\":0,\"kind\":\"tiles\","
     "\"offset\":12,\"size\":64}"},
    {rewrite_job,
     "{\"v\":1,\"set\":\"s.0123456789abcdef\",\"id\":7,\"generation\":0,\"kind\":\"finish\"}"},
    {rewrite_outcome,
     "{\"v\":1,\"set\":\"s.0123456789abcdef\",\"id\":5,\"worker\":\"w-1\",\"generation\":0,"
     "\"attempt\":1,"
     "\"kind\":\"images\",\"seconds\":1.5,\"images\":[{\"key\":\"a.jpg\",\"samples\":\"" HASH
     "\",\"bytes\":\"" HASH
     "\",\"size\":100},{\"key\":\"b.jpg\",\"status\":3,\"error\":\"bad\"}]}"},
    {rewrite_outcome,
     "{\"v\":1,\"set\":\"s.0123456789abcdef\",\"id\":null,\"worker\":\"w\",\"generation\":0,"
     "\"attempt\":6,\"reason\":\"store: timed out\",\"job\":null}"},
    {rewrite_outcome,
     "{\"v\":1,\"set\":\"s.0123456789abcdef\",\"id\":3,\"worker\":\"w\",\"generation\":0,"
     "\"attempt\":6,\"reason\":\"timed out\",\"job\":{\"v\":1,\"set\":\"s.0123456789abcdef\","
     "\"id\":3,\"generation\":0,\"kind\":\"images\",\"keys\":[\"a.jpg\"]}}"},
    {rewrite_set,
     "{\"v\":1,\"set\":\"s\",\"instance\":\"0123456789abcdef\",\"chain\":\"sharpen\",\"border\":"
     "\"wrap\",\"alpha\":\"filter\",\"nodata\":\"-9999:fill\","
     "\"contract\":1,\"version\":\"0.1.0\","
     "\"codecs\":\"libpng 1\",\"from\":\"s3://b/in/\",\"to\":\"s3://b/out/\",\"manifest\":null,"
     "\"attempts\":5,\"images_per_job\":0,\"write\":{\"format\":\"jpeg\",\"compression\":null,"
     "\"quality\":80,\"lossless\":false,\"subsampling\":0,\"tile\":0},\"limits\":{\"max_pixels\":0,"
     "\"max_memory\":0,\"max_bytes\":0,\"requests\":0.0,\"bytes\":0.0},\"mosaic\":null}"},
    {rewrite_set,
     "{\"v\":1,\"set\":\"m\",\"instance\":\"0123456789abcdef\",\"chain\":\"gaussian:9\",\"border\":"
     "null,\"alpha\":null,\"nodata\":null,"
     "\"contract\":1,\"version\":\"0.1.0\","
     "\"codecs\":\"\",\"from\":\"/in/a.tif\",\"to\":\"/out/a.tif\",\"manifest\":null,"
     "\"attempts\":5,\"images_per_job\":0,\"write\":{\"format\":null,\"compression\":\"zstd\","
     "\"quality\":0,\"lossless\":false,\"subsampling\":0,\"tile\":512},\"limits\":{\"max_pixels\":"
     "0,"
     "\"max_memory\":0,\"max_bytes\":0,\"requests\":100.0,\"bytes\":1000000.0},"
     "\"mosaic\":{\"width\":40000,\"height\":40000,\"channels\":3,\"type\":1,\"color\":2,"
     "\"alpha\":0,\"tiles\":6241,\"tile_rows\":79,\"column_tiles\":79,\"planes\":1,"
     "\"tiles_per_job\":64,\"parts\":143,\"source\":\"9 etag\",\"upload\":null}}"},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static void check_samples(void)
{
    for (int i = 0; i < SAMPLES; i++) {
        char *again;
        size_t size;
        CHECK(samples[i].rewrite(samples[i].json, strlen(samples[i].json), &again, &size) ==
              SWATHE_OK);
        if (strcmp(again, samples[i].json) != 0) {
            printf("sample %d was written as %s\n", i, again);
            exit(1);
        }
        free(again);
    }
}

/* Each allocation of the fleet, and of Jansson for it, fails once. */
static void check_memory(rewrite *rewrite_one, const char *json)
{
    bool failed = true;
    for (int at = 1; failed; at++) {
        char *again = NULL;
        size_t size;
        calls = 0;
        fail_at = at;
        swathe_status status = rewrite_one(json, strlen(json), &again, &size);
        failed = calls >= at;
        fail_at = 0;
        CHECK(status == SWATHE_OK || (failed && status == SWATHE_ERROR_MEMORY));
        CHECK(status != SWATHE_OK || strcmp(again, json) == 0);
        if (status == SWATHE_OK)
            free(again);
    }
}

/* A key must not be skipped. */
static void check_submission(void)
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

static int64_t below(struct rng *rng, int64_t limit)
{
    return rng_between(rng, 0, limit - 1);
}

/* ---- Damage --------------------------------------------------------------------------------- */

static const char *const pieces[] = {"\"..\"",   "../",
                                     "/",        "//",
                                     "\\u0000",  "\\n",
                                     "1e999",    "99999999999999999999",
                                     "-1",       "null",
                                     "[]",       "{}",
                                     "\"v\":2",  "\"kind\":",
                                     "true",     "0.5",
                                     "\xff\xfe", "[[[[",
                                     "\"",       ",",
                                     "}",        "\\ud800",
                                     "a.jpg",    "..",
                                     "\x7f",     "9007199254740993",
                                     "s3://x"};

static size_t damage(struct rng *rng, char *text, size_t size, size_t most)
{
    size_t at = size ? (size_t)below(rng, (int64_t)size) : 0, span;
    switch (below(rng, 4)) {
    case 0: /* a byte changes */
        text[at] = (char)below(rng, 256);
        return size;
    case 1: /* bytes are missing */
        span = 1 + (size_t)below(rng, 16);
        span = span > size - at ? size - at : span;
        memmove(text + at, text + at + span, size - at - span);
        return size - span;
    case 2: { /* bytes are added */
        const char *piece = pieces[below(rng, (int64_t)(sizeof pieces / sizeof *pieces))];
        span = strlen(piece);
        if (size + span > most)
            return size;
        memmove(text + at + span, text + at, size - at);
        memcpy(text + at, piece, span);
        return size + span;
    }
    default: /* bytes are replaced */
        span = strlen(pieces[below(rng, (int64_t)(sizeof pieces / sizeof *pieces))]);
        if (at + span <= size)
            memcpy(text + at, pieces[below(rng, 3)], span < 3 ? span : 2);
        return size;
    }
}

/* Memory of exactly this size, so that sanitizers see a read beyond it. */
static swathe_status rewrite_exactly(rewrite *rewrite_one, const char *text, size_t size,
                                     char **again, size_t *again_size)
{
    char *exact = malloc(size ? size : 1);
    CHECK(exact);
    memcpy(exact, text, size);
    swathe_status status = rewrite_one(exact, size, again, again_size);
    free(exact);
    return status;
}

static bool try_one(struct rng *rng, int index)
{
    char text[4096];
    char *again, *third;
    size_t size = strlen(samples[index].json), again_size, third_size;
    memcpy(text, samples[index].json, size);
    for (int64_t i = 1 + below(rng, 4); i > 0 && size > 0; i--)
        size = damage(rng, text, size, sizeof text);
    if (rewrite_exactly(samples[index].rewrite, text, size, &again, &again_size) != SWATHE_OK)
        return false;
    CHECK(samples[index].rewrite(again, again_size, &third, &third_size) == SWATHE_OK);
    CHECK(again_size == third_size && memcmp(again, third, again_size) == 0);
    free(again);
    free(third);
    return true;
}

static void check_damage(int64_t count, uint64_t seed)
{
    int64_t accepted = 0;
    for (int64_t i = 0; i < count; i++) {
        struct rng rng = {seed + (uint64_t)i};
        accepted += try_one(&rng, (int)(i % SAMPLES));
    }
    printf("%lld damaged messages: %lld refused, %lld valid and equal after writing\n",
           (long long)count, (long long)(count - accepted), (long long)accepted);
    CHECK(accepted < count / 3);
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static void check_keys(void)
{
    static const char *const bad[] = {"",     "/a",  "a/",    "a//b", ".",    "..", "../a",
                                      "a/..", "./a", "a/./b", "a\nb", "\x1b", NULL};
    static const char *const good[] = {"a", "a/b.c", "...", "a..b", ".hidden", "\xc3\xa9", NULL};
    char longest[KEY_BYTES + 2];
    for (int i = 0; bad[i]; i++)
        CHECK(!key_is_safe(bad[i]));
    for (int i = 0; good[i]; i++)
        CHECK(key_is_safe(good[i]));
    memset(longest, 'a', sizeof longest);
    longest[KEY_BYTES + 1] = '\0';
    CHECK(!key_is_safe(longest));
    longest[KEY_BYTES] = '\0';
    CHECK(key_is_safe(longest));
    CHECK(!name_is_safe("") && !name_is_safe("a.b") && !name_is_safe("a*") && !name_is_safe(">"));
    CHECK(name_is_safe("A_b-9"));
}

static void refuse(const char *json)
{
    struct job *job = NULL;
    if (job_parse(json, strlen(json), &job) == SWATHE_OK) {
        printf("accepted: %s\n", json);
        exit(1);
    }
    CHECK(!job && *swathe_error_text());
}

static void check_refusals(void)
{
#define HEAD "{\"v\":1,\"set\":\"s.0123456789abcdef\",\"id\":0,\"generation\":0,"
    refuse("");
    refuse("[]");
    refuse(
        "{\"v\":2,\"set\":\"s.0123456789abcdef\",\"id\":0,\"generation\":0,\"kind\":\"finish\"}");
    refuse(HEAD "\"kind\":\"finish\",\"more\":1}");
    refuse(HEAD "\"kind\":\"finish\",\"kind\":\"finish\"}");
    refuse(HEAD "\"kind\":\"images\",\"keys\":[]}");
    refuse(HEAD "\"kind\":\"images\",\"keys\":[\"../../etc/passwd\"]}");
    refuse(HEAD "\"kind\":\"images\",\"keys\":[\"a\\u0000b\"]}");
    refuse(HEAD "\"kind\":\"images\",\"keys\":[1]}");
    refuse(HEAD "\"kind\":\"images\",\"keys\":[\"a\"],\"to\":\"s3://other/\"}");
    refuse(HEAD "\"kind\":\"tiles\",\"offset\":0,\"size\":9223372036854775807}");
    refuse(HEAD "\"kind\":\"tiles\",\"offset\":-1,\"size\":1}");
    refuse("{\"v\":1,\"set\":\"s\",\"id\":0,\"generation\":0,\"kind\":\"finish\"}");
    refuse("{\"v\":1,\"set\":\"s.0123456789abcdef0\",\"id\":0,\"generation\":0,"
           "\"kind\":\"finish\"}");
    refuse("{\"v\":1,\"set\":\"a.b\",\"id\":0,\"generation\":0,\"kind\":\"finish\"}");
    size_t size = MESSAGE_BYTES + 1;
    char *text = malloc(size + 1);
    CHECK(text);
    memset(text, '[', size);
    text[size] = '\0';
    refuse(text);
    text[MESSAGE_BYTES] = '\0';
    refuse(text);
    free(text);
}

/* The largest job has a result that fits, too, also if all its images fail. */
static void check_sizes(void)
{
    static struct outcome_image images[JOB_IMAGES];
    struct outcome outcome = {
        .set = "s.0123456789abcdef", .worker = "w", .attempt = 1, .count = JOB_IMAGES};
    char key[65], *json;
    size_t size;
    memset(key, 'k', 64);
    key[64] = '\0';
    outcome.images = images;
    for (int i = 0; i < JOB_IMAGES; i++) {
        images[i] = (struct outcome_image){.key = key, .status = SWATHE_ERROR_INPUT};
        memset(images[i].error, '"', OUTCOME_ERROR_BYTES);
    }
    CHECK(outcome_format(&outcome, &json, &size) == SWATHE_OK && size <= MESSAGE_BYTES);
    free(json);
    snprintf(images[0].error, sizeof images[0].error, "a\nb\xff");
    outcome.count = 1;
    CHECK(outcome_format(&outcome, &json, &size) == SWATHE_OK);
    CHECK(strstr(json, "\"a?b?\""));
    free(json);
}

static void check_target(const char *format, const char *key, const char *expected)
{
    struct set set = {.to = (char *)"s3://b/out/"};
    char *url = NULL;
    set.write.format = format;
    swathe_status status = set_target(&set, key, &url);
    CHECK(expected ? status == SWATHE_OK && strcmp(url, expected) == 0 : status != SWATHE_OK);
    free(url);
}

static void check_pins(void)
{
    struct set set = {.name = "s"};
    CHECK(set_pin(&set) == SWATHE_OK && set_check_pins(&set) == SWATHE_OK);
    printf("codecs: %s\n", set.codecs);
    set.contract++;
    CHECK(set_check_pins(&set) == SWATHE_ERROR_UNSUPPORTED);
    set.contract--;
    if (set.codecs[0]) {
        set.codecs[strlen(set.codecs) - 1] ^= 1;
        CHECK(set_check_pins(&set) == SWATHE_ERROR_UNSUPPORTED);
    }
    free(set.codecs);
}

/* Jobs of a mosaic that wait: rarely at first, soon before the tiles end, and never for more than a
 * small share of what the set took. */
static void check_waits(void)
{
    struct set set = {
        .tiles = 157 * 157, .tile_rows = 157, .column_tiles = 157, .planes = 1, .parts = 100};
    mosaic_divide(&set, 0, 256 * 256, INT64_C(4800000000));
    int64_t tiles = mosaic_tile_jobs(&set), rest = set.parts + 2;
    CHECK(tiles == 20);
    CHECK(mosaic_check_tiles(&set) == SWATHE_OK);
    set.planes = 500;
    CHECK(mosaic_check_tiles(&set) == SWATHE_ERROR_LIMIT);
    CHECK(strstr(swathe_error_text(), "--tile"));
    set.planes = 1;
    CHECK(mosaic_wait_ms(&set, tiles + rest, 60) == 4000);
    CHECK(mosaic_wait_ms(&set, tiles / 2 + rest, 8) == 2000);
    CHECK(mosaic_wait_ms(&set, 1 + rest, 19) == 250);
    CHECK(mosaic_wait_ms(&set, rest, 60) == 300);
    CHECK(mosaic_wait_ms(&set, 1, 2) == 100);
    CHECK(mosaic_wait_ms(&set, rest, 1e6) == 4000);
    CHECK(mosaic_wait_ms(&set, INT64_MAX, 1) == 4000);
}

int main(int argc, char **argv)
{
    int64_t count = argc > 1 ? strtoll(argv[1], NULL, 10) : 10000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    check_keys();
    check_samples();
    for (int i = 0; i < SAMPLES; i++)
        check_memory(samples[i].rewrite, samples[i].json);
    check_submission();
    check_refusals();
    check_sizes();
    check_target(NULL, "x/a.png", "s3://b/out/x/a.png");
    check_target("pfm", "x/a.b.png", "s3://b/out/x/a.b.pfm");
    check_target("pfm", "x.y/a", "s3://b/out/x.y/a.pfm");
    check_target("pfm", ".a", "s3://b/out/.a.pfm");
    check_target(NULL, "../a", NULL);
    check_pins();
    check_waits();
    check_damage(count, seed);
    return 0;
}

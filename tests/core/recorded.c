/* Results that an earlier version computed: a contract may add to the one before, but keeps its
 * bytes.
 *     recorded FILE COUNT            checks FILE, which must have COUNT lines
 *     recorded --problem LINE        checks one line, as a failure printed it
 *     recorded --record COUNT SEED   prints COUNT new lines
 * A line is CHECKSUM FILL SEED PROBLEM. FILL and SEED specify the source's samples. The
 * checksum is that of the result's type, size and samples, or "refused". The planner's choice and
 * the reference must both give it: a change of the definition changes both, and other tests do not
 * find it. */
#include "recorded.h"

#include "base/hash.h"
#include "swathe/swathe.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096, SAMPLES = 1 << 18, CHECKSUM = 17, MOST_FAILURES = 20 };

static swathe_context *context;
static float source_samples[SAMPLES], result_samples[SAMPLES]; /* of any type */

/* ---- Samples. The record depends on them, so they are independent of other tests' images. ---- */

enum fill { NOISE, SMALL, STEPS, SPECIAL, FILLS };
static const char *const fill_names[FILLS] = {"noise", "small", "steps", "special"};

/* Noise of the whole range, noise within the range of every type, the extremes. */
static int64_t draw_integer(struct rng *rng, enum fill fill, int64_t low, int64_t high)
{
    uint64_t bits = rng_next(rng) >> 16;
    if (fill == STEPS)
        return bits & 1 ? high : low;
    if (fill == SMALL) {
        low = low < -150 ? -150 : low;
        high = high > 299 ? 299 : high;
    }
    return low + (int64_t)(bits % (uint64_t)(high - low + 1));
}

static float draw_float(struct rng *rng, enum fill fill)
{
    static const float special[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1e-40f, -1e-45f, 3e38f};
    uint64_t bits = rng_next(rng);
    double unit = (double)(int64_t)(bits >> 11) * 0x1p-52 - 1.0;
    if (fill == SPECIAL && bits % 25 == 0)
        return special[bits / 25 % 8];
    if (fill == STEPS)
        return unit < 0.0 ? 0.0f : 1.0f;
    return (float)(fill == SMALL ? unit * 300.0 : unit);
}

static void fill_source(swathe_type type, int64_t count, enum fill fill, uint64_t seed)
{
    struct rng rng = {seed};
    for (int64_t i = 0; i < count; i++)
        if (type == SWATHE_U8)
            ((uint8_t *)source_samples)[i] = (uint8_t)draw_integer(&rng, fill, 0, 255);
        else if (type == SWATHE_U16)
            ((uint16_t *)source_samples)[i] = (uint16_t)draw_integer(&rng, fill, 0, 65535);
        else if (type == SWATHE_S16)
            ((int16_t *)source_samples)[i] = (int16_t)draw_integer(&rng, fill, -32768, 32767);
        else
            source_samples[i] = draw_float(&rng, fill);
}

/* All NaNs count as equal. */
static uint32_t result_bits(swathe_type type, int64_t i)
{
    uint32_t bits;
    if (type == SWATHE_U8)
        return ((uint8_t *)result_samples)[i];
    if (type != SWATHE_F32)
        return ((uint16_t *)result_samples)[i];
    memcpy(&bits, &result_samples[i], sizeof bits);
    return isnan(result_samples[i]) ? 0x7fc00000u : bits;
}

/* Least significant byte first, on machines of either byte order. */
static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    uint8_t bytes[4] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                        (uint8_t)(number >> 24)};
    return hash_bytes(hash, bytes, sizeof bytes);
}

/* `varied` is set if not all samples are equal. */
static uint64_t hash_result(const swathe_shape *shape, int *varied)
{
    uint64_t hash = hash_number(HASH_START, (uint64_t)shape->type);
    hash = hash_number(hash, (uint64_t)shape->width);
    hash = hash_number(hash, (uint64_t)shape->height);
    hash = hash_number(hash, (uint64_t)shape->channels);
    uint32_t first = result_bits(shape->type, 0);
    *varied = 0;
    for (int64_t i = 0; i < shape->width * shape->height * shape->channels; i++) {
        uint32_t bits = result_bits(shape->type, i);
        hash = hash_number(hash, bits);
        *varied |= bits != first;
    }
    return hash;
}

/* ---- One problem ----------------------------------------------------------------------------- */

struct entry {
    char checksum[CHECKSUM];
    enum fill fill;
    uint64_t seed;
    int32_t contract;
    char problem[LINE]; /* without contract= */
};

static bool parse(const char *line, struct entry *e)
{
    char name[16];
    int end = 0;
    sscanf(line, "%16s %15s %" SCNu64 " contract=%" SCNd32 " %n", e->checksum, name, &e->seed,
           &e->contract, &end);
    if (end == 0 || strlen(line + end) >= sizeof e->problem)
        return false;
    memcpy(e->problem, line + end, strlen(line + end) + 1);
    for (e->fill = NOISE; e->fill < FILLS; e->fill++)
        if (strcmp(name, fill_names[e->fill]) == 0)
            return e->contract >= 3 && e->contract <= swathe_contract();
    return false;
}

static void print(const struct entry *e)
{
    printf("%s %s %" PRIu64 " contract=%" PRId32 " %s", e->checksum, fill_names[e->fill], e->seed,
           e->contract, e->problem);
}

static swathe_status run_plan(const swathe_plan *plan, const struct entry *e, char *checksum,
                              int *varied)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_image from = SWATHE_INIT(swathe_image), to = SWATHE_INIT(swathe_image);
    swathe_plan_get(plan, &info);
    const swathe_shape *s = &info.source;
    if (s->width * s->height * s->channels > SAMPLES) {
        fprintf(stderr, "recorded: an image is larger than %d samples\n", SAMPLES);
        exit(2);
    }
    fill_source(s->type, s->width * s->height * s->channels, e->fill, e->seed);
    swathe_image_init(s, SWATHE_INTERLEAVED, source_samples, &from);
    swathe_image_init(&info.result, SWATHE_INTERLEAVED, result_samples, &to);
    swathe_status status = swathe_run(context, plan, &from, &to, NULL);
    if (status == SWATHE_OK)
        snprintf(checksum, CHECKSUM, "%016" PRIx64, hash_result(&info.result, varied));
    return status;
}

/* The checksum of a problem's result, or "refused", or "error". The contract's number is replaced.
 */
static void find_checksum(const struct entry *e, const char *algorithm, char *checksum, int *varied)
{
    static char text[LINE + 128];
    swathe_plan *plan = NULL;
    snprintf(text, sizeof text, "contract=%d %s%s", swathe_contract(), algorithm, e->problem);
    swathe_status status = swathe_plan_parse(context, text, &plan);
    const char *instead = status == SWATHE_ERROR_ARGUMENT ? "refused" : "error";
    if (status == SWATHE_OK)
        status = run_plan(plan, e, checksum, varied);
    if (status != SWATHE_OK)
        snprintf(checksum, CHECKSUM, "%s", instead);
    swathe_plan_destroy(plan);
}

/* 1 if it failed. */
static int check(const struct entry *e)
{
    static const char *const algorithms[] = {"", "algorithm=reference "};
    for (int i = 0; i < 2; i++) {
        char checksum[CHECKSUM];
        int varied;
        find_checksum(e, algorithms[i], checksum, &varied);
        if (strcmp(checksum, e->checksum) == 0)
            continue;
        bool hex = strspn(checksum, "0123456789abcdef") == CHECKSUM - 1;
        printf("FAILED %s: %s%s%s, must be %s\n  recorded --problem '",
               i ? "by the reference" : "by the planner's choice", checksum, hex ? "" : ": ",
               hex ? "" : swathe_error_text(), e->checksum);
        print(e);
        printf("'\n");
        return 1;
    }
    return 0;
}

/* ---- The record ------------------------------------------------------------------------------ */

static int check_file(const char *path, int64_t count)
{
    static char line[LINE];
    static struct entry entry;
    int64_t passed = 0, failed = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return fprintf(stderr, "recorded: cannot open %s\n", path), 2;
    while (failed < MOST_FAILURES && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        bool readable = parse(line, &entry);
        if (!readable)
            printf("FAILED: '%.80s' is not CHECKSUM FILL SEED PROBLEM\n", line);
        bool good = readable && check(&entry) == 0;
        passed += good;
        failed += !good;
    }
    fclose(file);
    if (failed == 0 && passed != count) {
        printf("FAILED: %s has %" PRId64 " lines, must have %" PRId64 "\n", path, passed, count);
        failed = 1;
    }
    printf("%" PRId64 " passed, %" PRId64 " failed\n", passed, failed);
    return failed > 0;
}

static int record(int64_t count, uint64_t seed)
{
    static struct entry e;
    struct rng rng = {seed};
    e.contract = swathe_contract();
    for (int64_t done = 0; done < count;) {
        int varied = 0, refused;
        e.seed = (uint64_t)done;
        e.fill = (enum fill)rng_between(&rng, NOISE, SPECIAL);
        recorded_draw(&rng, done, e.problem, sizeof e.problem);
        if (e.fill == SPECIAL && !strstr(e.problem, ":f32 "))
            e.fill = SMALL;
        find_checksum(&e, "", e.checksum, &varied);
        refused = strcmp(e.checksum, "refused") == 0;
        /* Few refusals, and few results of one value, which say little. */
        if ((refused || !varied) && !rng_once_in(&rng, refused ? 2 : 20))
            continue;
        if (check(&e))
            return 1;
        print(&e);
        printf("\n");
        done++;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static struct entry entry;
    swathe_context_options o = SWATHE_INIT(swathe_context_options);
    o.threads = 1;
    o.wisdom = "off";
    if (swathe_context_create(&o, &context) != SWATHE_OK)
        return fprintf(stderr, "recorded: %s\n", swathe_error_text()), 2;
    int result = 2;
    if (argc == 4 && strcmp(argv[1], "--record") == 0) {
        result = record(strtoll(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
    } else if (argc == 3 && strcmp(argv[1], "--problem") == 0 && parse(argv[2], &entry)) {
        result = check(&entry);
        printf("%d passed, %d failed\n", !result, result);
    } else if (argc == 3 && argv[1][0] != '-') {
        result = check_file(argv[1], strtoll(argv[2], NULL, 10));
    } else {
        fprintf(stderr,
                "usage: recorded FILE COUNT | --problem 'LINE' | --record COUNT SEED\n"
                "LINE is CHECKSUM FILL SEED PROBLEM, of contracts up to %d\n",
                swathe_contract());
    }
    swathe_context_destroy(context);
    return result;
}

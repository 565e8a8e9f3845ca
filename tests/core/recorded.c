/* Results that an earlier version computed: a contract may add to the one before, but keeps its
 * bytes.
 *     recorded FILE COUNT            checks FILE, which must have COUNT lines
 *     recorded --problem LINE        checks one line, as a failure printed it
 *     recorded --record COUNT SEED   prints COUNT new lines
 * A line is CHECKSUM FILL SEED PROBLEM. FILL and SEED specify the source's samples. The
 * checksum is that of the result's type, size and samples, or "refused". The planner's choice and
 * the reference must both give it: a change of the definition changes both, and other tests do not
 * find it. */
#include "../../cli/rng.h"

#include "base/hash.h"
#include "base/text.h"
#include "swathe/unstable.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096, SAMPLES = 1 << 18, CHECKSUM = 17, MOST_FAILURES = 20 };

static swathe_context *context;
static float source_samples[SAMPLES], result_samples[SAMPLES]; /* of any type */

/* ---- Problems ------------------------------------------------------------------------------- */

/* Problems whose results contract 3 defines, and later contracts keep: names, types and options are
 * listed here and not taken from tables that grow. Whatever later contracts
 * may choose differently by default is written out or not used: how alpha is treated, and the
 * values after a change of integer type that the plan asks for. */
/* Problems per round: every pair of types with every border and every rule. */
enum { RECORDED_ROUND = 4 * 4 * 7 * 9 };

enum { TYPES = 4, BORDERS = 7, F32 = 3 };
static const char *const types[TYPES] = {"u8", "u16", "s16", "f32"};
static const char *const borders[BORDERS] = {"reflect", "reflect101", "replicate", "wrap",
                                             "zero",    "constant",   "valid"};

enum rule {
    REAL,      /* a mask of reals */
    WHOLE,     /* a mask of whole numbers or halves: rounding ties */
    SEPARABLE, /* a mask that is a product of a column and a row */
    EACH,      /* one mask per channel */
    NAMED,
    GAUSSIAN,
    BOX,
    LARGE, /* large masks */
    CHAIN, /* two or three stages of the rules above, except LARGE */
    RULES
};
static_assert(RECORDED_ROUND == TYPES * TYPES * BORDERS * RULES, "every combination once");

struct sketch {
    struct rng *rng;
    struct text text;
    int source, result; /* types */
    int channels;
};

/* One of `count` texts. */
static const char *pick(struct rng *rng, const char *const *texts, size_t count)
{
    return texts[rng_between(rng, 0, (int64_t)count - 1)];
}

#define PICK(rng, texts) pick(rng, texts, sizeof(texts) / sizeof *(texts))

static void put_size(struct sketch *s, const char *before, int64_t low, int64_t high)
{
    int width = (int)rng_between(s->rng, low, high);
    text_add(&s->text, "%s%dx%d", before, width, (int)rng_between(s->rng, low, high));
}

static void put_border(struct sketch *s, int border, bool any_type)
{
    text_add(&s->text, "border=%s", borders[border]);
    if (strcmp(borders[border], "constant") != 0)
        return;
    if (!any_type && s->source == F32)
        text_add(&s->text, "(%.4g)", 3.0 * rng_unit(s->rng));
    else if (!any_type && strcmp(types[s->source], "s16") == 0)
        text_add(&s->text, "(%d)", (int)rng_between(s->rng, -300, 300));
    else
        text_add(&s->text, "(%d)", (int)rng_between(s->rng, 1, 255));
}

/* The taps of one mask. */
static void put_taps(struct sketch *s, enum rule rule, int64_t width, int64_t height)
{
    static const double scales[] = {1.0, 2.0, 0.5, 40.0, 0.01, 5e3, 2e6};
    double scale = scales[rng_skewed(s->rng, 0, 6)] / (double)(width * height);
    int64_t column[8], row[8], half = rng_once_in(s->rng, 2) ? 2 : 1;
    for (int i = 0; i < 8; i++) {
        column[i] = rng_between(s->rng, -2, 4);
        row[i] = rng_between(s->rng, -1, 3);
    }
    text_add(&s->text, ":(");
    for (int64_t i = 0; i < width * height; i++) {
        text_add(&s->text, "%s", i == 0 ? "" : i % width == 0 ? ";" : " ");
        double unit = rng_unit(s->rng);
        if (rule == SEPARABLE)
            text_add(&s->text, "%.4g", (double)(column[i / width] * row[i % width]) / 16.0);
        else if (rule == WHOLE)
            text_add(&s->text, "%.3g", (double)(int64_t)(unit * 6.0) / (double)half);
        else
            text_add(&s->text, "%.4g", unit > 0.8 ? 0.0 : scale * (unit + 0.7));
    }
    text_add(&s->text, ")");
}

static void put_mask(struct sketch *s, enum rule rule)
{
    int64_t most = rule == EACH ? 3 : rule == REAL ? 5 : 7;
    int width = (int)rng_between(s->rng, 1, most), height = (int)rng_between(s->rng, 1, most);
    text_add(&s->text, "mask");
    for (int i = 0; i < (rule == EACH ? s->channels : 1); i++)
        put_taps(s, rule, width, height);
    if (rng_once_in(s->rng, 4)) {
        int x = (int)rng_between(s->rng, 0, width - 1);
        text_add(&s->text, ":anchor=%dx%d", x, (int)rng_between(s->rng, 0, height - 1));
    }
    if (rng_once_in(s->rng, 6))
        text_add(&s->text, ":normalise");
}

static void put_gaussian(struct sketch *s)
{
    text_add(&s->text, "gaussian");
    if (rng_once_in(s->rng, 3))
        text_add(&s->text, ":%d", (int)rng_between(s->rng, 1, 11));
    else if (rng_once_in(s->rng, 2))
        put_size(s, ":", 1, 15);
    if (rng_once_in(s->rng, 3))
        text_add(&s->text, ":sigma=%.3g", 1.1 + 0.9 * rng_unit(s->rng));
    if (rng_once_in(s->rng, 3))
        text_add(&s->text, ":dense");
}

static void put_box(struct sketch *s)
{
    text_add(&s->text, "box");
    if (rng_once_in(s->rng, 2))
        text_add(&s->text, ":%d", (int)rng_between(s->rng, 1, 9));
    else
        put_size(s, ":", 1, 13);
}

static void put_named(struct sketch *s)
{
    static const char *const named[] = {"identity",
                                        "sharpen",
                                        "unsharp",
                                        "unsharp:sigma=0.7:amount=2.5",
                                        "edge",
                                        "laplacian",
                                        "laplacian:8",
                                        "log",
                                        "log:sigma=0.8",
                                        "sobel-x",
                                        "sobel-y",
                                        "scharr-x",
                                        "scharr-y",
                                        "prewitt-x",
                                        "prewitt-y",
                                        "emboss",
                                        "motion",
                                        "motion:7:angle=30",
                                        "motion:5:angle=-75",
                                        "disk",
                                        "disk:1.7",
                                        "dog",
                                        "dog:sigma=0.8:ratio=2"};
    text_add(&s->text, "%s", PICK(s->rng, named));
}

static void put_large(struct sketch *s)
{
    static const char *const large[] = {"disk:12.5",       "disk:40",
                                        "log:sigma=3.5",   "motion:41:angle=20",
                                        "unsharp:sigma=4", "unsharp:sigma=12:amount=5",
                                        "dog:sigma=5",     "gaussian:sigma=9",
                                        "gaussian:71",     "gaussian:sigma=20"};
    int64_t kind = rng_between(s->rng, 0, 3);
    if (kind == 0)
        text_add(&s->text, "%s", PICK(s->rng, large));
    else
        put_size(s, kind == 1 ? "box:" : "gaussian:", 15, 49);
    if (kind == 3)
        text_add(&s->text, ":dense");
}

/* Bias and clamp. Some biases exceed the limit of their rule. */
static void put_range(struct sketch *s)
{
    if (rng_once_in(s->rng, 4)) {
        int64_t most = rng_once_in(s->rng, 8) ? 9000 : 200;
        double bias = (double)rng_between(s->rng, 1, most);
        text_add(&s->text, ":bias=%.4g", bias * rng_unit(s->rng));
    }
    if (rng_once_in(s->rng, 6)) {
        int low = (int)rng_between(s->rng, -50, 60);
        text_add(&s->text, ":clamp=%d%s", low, rng_once_in(s->rng, 2) ? ".25" : "");
        text_add(&s->text, "..%d.5", (int)rng_between(s->rng, 90, 600));
    }
}

/* A filter with some of the options that all filters have, except type and border. */
static void put_filter(struct sketch *s, enum rule rule)
{
    if (rule == NAMED)
        put_named(s);
    else if (rule == GAUSSIAN)
        put_gaussian(s);
    else if (rule == BOX)
        put_box(s);
    else if (rule == LARGE)
        put_large(s);
    else
        put_mask(s, rule);
    if (rule != LARGE && rng_once_in(s->rng, 5))
        put_size(s, ":dilate=", 1, 3);
    if (rng_once_in(s->rng, 5))
        text_add(&s->text, ":flip");
    put_range(s);
}

/* Stages with types and borders of their own; the last one has the type of the result. */
static void put_chain(struct sketch *s)
{
    int64_t stages = rng_between(s->rng, 2, 3);
    bool typed = s->source != s->result;
    for (int64_t i = 0; i < stages; i++) {
        text_add(&s->text, i ? "," : "");
        put_filter(s, (enum rule)rng_between(s->rng, REAL, BOX));
        if (i == stages - 1 && typed)
            text_add(&s->text, ":type=%s", types[s->result]);
        if (i < stages - 1 && rng_once_in(s->rng, 3)) {
            text_add(&s->text, ":type=%s", types[rng_between(s->rng, 0, TYPES - 1)]);
            typed = true;
        }
        if (rng_once_in(s->rng, 4)) {
            text_add(&s->text, ":");
            put_border(s, (int)rng_between(s->rng, 0, BORDERS - 1), true);
        }
    }
}

static void put_shape(struct sketch *s, enum rule rule, bool valid)
{
    int64_t width = rng_skewed(s->rng, 1, 60), height = rng_skewed(s->rng, 1, 40);
    if (valid) {
        width += 24;
        height += 24;
    }
    if (rng_once_in(s->rng, 8)) /* long enough for whole vectors of every instruction set */
        width += rng_between(s->rng, 130, 300);
    if (rule == LARGE)
        width += 60, height += valid ? 60 : 0;
    text_add(&s->text, "shape=%dx%dx%d:%s", (int)width, (int)height, s->channels, types[s->source]);
    if (s->channels > 1 && rng_once_in(s->rng, 3)) {
        text_add(&s->text, " alpha-channel=%d", (int)rng_between(s->rng, 1, s->channels));
        text_add(&s->text, " alpha=%s", rng_once_in(s->rng, 2) ? "keep" : "filter");
    }
}

/* A single stage. Its type is the plan's only if floats are involved. */
static void put_single(struct sketch *s, enum rule rule, int border)
{
    bool floats = s->source == F32 || s->result == F32;
    bool by_plan = floats && rng_once_in(s->rng, 3), of_stage = rng_once_in(s->rng, 3);
    if (by_plan)
        text_add(&s->text, " type=%s", types[s->result]);
    if (!of_stage) {
        text_add(&s->text, " ");
        put_border(s, border, false);
    }
    text_add(&s->text, " exact=1 chain={");
    put_filter(s, rule);
    if (!by_plan && s->source != s->result)
        text_add(&s->text, ":type=%s", types[s->result]);
    if (of_stage) {
        text_add(&s->text, ":");
        put_border(s, border, false);
    }
}

/* Writes problem `index`, without its contract: "shape=… chain={…}". The index selects types,
 * border and rule, so that each combination occurs equally often; the rest is random. */
static void recorded_draw(struct rng *rng, int64_t index, char *text, size_t size)
{
    struct sketch s = {.rng = rng,
                       .source = (int)(index % TYPES),
                       .result = (int)(index / TYPES % TYPES),
                       .channels = (int)rng_between(rng, 1, 4)};
    int border = (int)(index / (TYPES * TYPES) % BORDERS);
    enum rule rule = (enum rule)(index / (TYPES * TYPES * BORDERS) % RULES);
    if (rule == EACH && s.channels == 1)
        s.channels = 3;
    text_init(&s.text, text, size);
    put_shape(&s, rule, strcmp(borders[border], "valid") == 0);
    if (rule != CHAIN) {
        put_single(&s, rule, border);
    } else {
        text_add(&s.text, " ");
        put_border(&s, border, true);
        if (rng_once_in(rng, 2))
            text_add(&s.text, " intermediate=%s",
                     types[rng_once_in(rng, 2) ? F32 : rng_between(rng, 0, TYPES - 1)]);
        text_add(&s.text, " exact=1 chain={");
        put_chain(&s);
    }
    text_add(&s.text, "}");
}

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

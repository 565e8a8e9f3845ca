/* Random problems on every instruction set and with every algorithm, compared with the reference,
 * which runs once per problem.
 *   random COUNT [SEED]        COUNT problems
 *   random --narrow            every border and type on images narrower than the mask
 *   random --problem TEXT      one problem, as a failure printed it
 * Integers and exact floats are compared byte by byte, fast floats within their stated bound. */
#include "maker.h"
#include "stream_ends.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 32 << 20, GAP = 0xa5, ENOUGH = 2 /* problems that failed */ };

struct bench {
    swathe_context *context;
    struct guarded source, result, expected, scratch;
    const char *isas[16], *algorithms[16];
    int isa_count, algorithm_count;
    int64_t checks;
};

static swathe_image source_view, expected_view;

static int failed(const struct trial *trial, const char *isa, const char *what)
{
    static char text[MAKER_TEXT + 512];
    maker_print(trial, text, sizeof text);
    printf("FAILED on %s: %s\n  random --problem '%s'\n", isa, what, text);
    return 1;
}

/* The plan of a trial with one additional option. */
static swathe_status make_plan(struct bench *b, const struct trial *trial, const char *extra,
                               swathe_plan **plan)
{
    static char text[MAKER_TEXT + 128];
    snprintf(text, sizeof text, "%s %s", extra, trial->problem);
    return swathe_plan_parse(b->context, text, plan);
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* The first difference of two images larger than `allowed`, as text; NULL if there is none. */
static const char *difference(const swathe_image *got, const swathe_image *want, double allowed)
{
    static char text[200];
    for (int64_t y = got->y; y < got->y + got->height; y++)
        for (int64_t x = got->x; x < got->x + got->width; x++)
            for (int32_t c = 0; c < got->channels; c++) {
                double a = canvas_get(got, x, y, c), b = canvas_get(want, x, y, c);
                if (same(a, b) || (allowed > 0.0 && fabs(a - b) <= allowed))
                    continue;
                snprintf(text, sizeof text,
                         "(%" PRId64 ", %" PRId64 ", channel %d) is %.9g, must be %.9g", x, y, c, a,
                         b);
                return text;
            }
    return NULL;
}

static swathe_status run_streaming(struct bench *b, const struct trial *trial, swathe_plan *plan,
                                   const swathe_plan_info *info, swathe_image *to,
                                   swathe_run_options *o)
{
    struct stream_ends ends;
    stream_ends_init(&ends, (enum stream_kind)trial->stream, &source_view, &info->result, to);
    ends.source.shape = info->source;
    o->region = (swathe_rect){to->x, to->y, to->width, to->height};
    return swathe_run_stream(b->context, plan, &ends.source, &ends.sink, o);
}

static swathe_status run_views(struct bench *b, swathe_plan *plan, swathe_image *to,
                               swathe_run_options *o)
{
    /* Only the tile of the source that is needed. */
    swathe_rect part = {to->x, to->y, to->width, to->height}, need;
    swathe_image tile = SWATHE_INIT(swathe_image);
    swathe_status status = swathe_plan_input(plan, &part, &need);
    if (status == SWATHE_OK)
        status = swathe_image_crop(&source_view, &need, &tile);
    return status == SWATHE_OK ? swathe_run(b->context, plan, &tile, to, o) : status;
}

static int check_plan(struct bench *b, const struct trial *trial, swathe_plan *plan,
                      const char *name, double allowed)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    swathe_plan_get(plan, &info);
    swathe_rect part = {0, 0, info.result.width, info.result.height};
    if (trial->region.width > 0)
        part = trial->region;
    swathe_image to = canvas_view(&b->result, &info.result, &part, (enum canvas_layout)trial->to);
    canvas_clear(&b->result, &to, GAP);
    o.threads = trial->threads;
    o.cell_rows = trial->cell_rows;
    o.span_columns = trial->span_columns;
    int64_t scratch = trial->threads * info.scratch_bytes;
    if (trial->span_columns == 0 && !trial->stream &&
        scratch <= b->scratch.end - b->scratch.start) {
        o.scratch = b->scratch.end - scratch; /* exactly as large as the plan states, followed by
                                               * the guard page */
        o.scratch_bytes = scratch;
    }
    swathe_status status =
        trial->stream ? run_streaming(b, trial, plan, &info, &to, &o) : run_views(b, plan, &to, &o);
    if (status != SWATHE_OK)
        return failed(trial, name, swathe_error_text());
    const char *where = difference(&to, &expected_view, allowed);
    if (where)
        return failed(trial, name, where);
    b->checks++;
    return 0;
}

/* Bytes between the samples must be unchanged; checked once, after the last instruction set. */
static int check_gaps(struct bench *b, const struct trial *trial, const swathe_plan_info *info)
{
    swathe_rect part = {0, 0, info->result.width, info->result.height};
    if (trial->region.width > 0)
        part = trial->region;
    swathe_image to = canvas_view(&b->result, &info->result, &part, (enum canvas_layout)trial->to);
    return canvas_untouched(&b->result, &to, GAP)
               ? 0
               : failed(trial, "all", "wrote bytes between samples");
}

/* The instruction set and the algorithm of every stage. */
static const char *name_of(const swathe_plan *plan, const char *isa)
{
    static char text[512];
    swathe_stage_info stage = SWATHE_INIT(swathe_stage_info);
    int end = snprintf(text, sizeof text, "%s by", isa);
    for (int32_t i = 0; i < 16 && swathe_plan_stage(plan, i, &stage) == SWATHE_OK; i++)
        end += snprintf(text + end, sizeof text - (size_t)end, " %.20s", stage.algorithm);
    return text;
}

/* Checks one instruction set and algorithm; NULL: the planner's choice. Results differ from the
 * reference by at most its bound plus the plan's. */
static int check_one(struct bench *b, const struct trial *trial, const char *isa,
                     const char *algorithm, double reference_bound)
{
    char extra[96];
    swathe_plan *plan = NULL;
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    snprintf(extra, sizeof extra, "isa=%s%s%s", isa, algorithm ? " algorithm=" : "",
             algorithm ? algorithm : "");
    if (make_plan(b, trial, extra, &plan) != SWATHE_OK)
        return failed(trial, extra, swathe_error_text());
    swathe_plan_get(plan, &info);
    double allowed = info.exact ? 0.0 : info.error_bound + reference_bound;
    const char *name = name_of(plan, isa);
    int bad = 0;
    if (!algorithm || strstr(name, algorithm)) /* otherwise it does not apply */
        bad = check_plan(b, trial, plan, name, allowed);
    swathe_plan_destroy(plan);
    return bad;
}

/* Checks the planner's choice on every instruction set, and every algorithm that applies on the
 * best one. */
static int check_all(struct bench *b, const struct trial *trial, double reference_bound)
{
    int bad = 0;
    for (int i = 0; i < b->isa_count && !bad; i++) {
        bad = check_one(b, trial, b->isas[i], NULL, reference_bound);
        for (int a = 0; i == b->isa_count - 1 && a < b->algorithm_count && !bad; a++)
            bad = check_one(b, trial, b->isas[i], b->algorithms[a], reference_bound);
    }
    return bad;
}

/* Checks fast mode: its results, and the exact results, are within its bound. */
static int check_fast(struct bench *b, const struct trial *trial, double reference_bound)
{
    static struct trial fast;
    bool has_floats = strstr(trial->problem, "f32") || strstr(trial->problem, "f64");
    if (trial->special || !has_floats)
        return 0;
    fast = *trial;
    memcpy(strstr(fast.problem, "exact=1"), "exact=0", 7);
    return check_all(b, &fast, reference_bound);
}

/* The problem string that a plan prints is that of the same plan. */
static int check_problem(struct bench *b, const struct trial *trial, const swathe_plan *plan)
{
    static char first[MAKER_TEXT + 512], second[MAKER_TEXT + 512];
    swathe_plan *again = NULL;
    if (swathe_plan_text(plan, SWATHE_TEXT_PROBLEM, first, sizeof first, NULL) != SWATHE_OK ||
        swathe_plan_parse(b->context, first, &again) != SWATHE_OK)
        return failed(trial, "problem string", swathe_error_text());
    swathe_plan_text(again, SWATHE_TEXT_PROBLEM, second, sizeof second, NULL);
    swathe_plan_destroy(again);
    return strcmp(first, second) == 0 ? 0 : failed(trial, "problem string", "it changes");
}

static double largest_alpha(swathe_type type)
{
    switch (type) {
    case SWATHE_U8:
        return 255.0;
    case SWATHE_U16:
        return 65535.0;
    case SWATHE_S16:
        return 32767.0;
    case SWATHE_U32:
        return 4294967295.0;
    case SWATHE_S32:
        return 2147483647.0;
    default:
        return 1.0;
    }
}

/* Makes samples missing or transparent, as the problem means it. */
static void make_holes(const struct trial *trial, const swathe_shape *shape)
{
    const char *nodata = strstr(trial->problem, "nodata=");
    double value = nodata ? strtod(nodata + strlen("nodata="), NULL) : 0.0; /* "mask" is 0 */
    bool by_channel = !nodata || strncmp(nodata, "nodata=mask", 11) == 0;
    if (!by_channel || (shape->alpha > 0 && trial->fill % 4 > 0))
        canvas_holes(&source_view, trial->fill, by_channel ? shape->alpha - 1 : -1, value);
    if (by_channel && shape->alpha > 0 && trial->fill % 4 > 1) /* opaque pixels, too */
        canvas_holes(&source_view, trial->fill + 1, shape->alpha - 1, largest_alpha(shape->type));
}

/* 1: failed; −1: the plan is refused (an image smaller than a valid mask, taps out of range). */
static int check(struct bench *b, struct trial *trial, struct rng *rng)
{
    swathe_plan *plan = NULL;
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_status status = make_plan(b, trial, "algorithm=reference", &plan);
    if (status == SWATHE_ERROR_ARGUMENT)
        return -1;
    if (status != SWATHE_OK)
        return failed(trial, "reference", swathe_error_text());
    swathe_plan_get(plan, &info);
    if (rng && rng_once_in(rng, 4)) {
        trial->region.width = rng_between(rng, 1, info.result.width);
        trial->region.height = rng_between(rng, 1, info.result.height);
        trial->region.x = rng_between(rng, 0, info.result.width - trial->region.width);
        trial->region.y = rng_between(rng, 0, info.result.height - trial->region.height);
    }
    swathe_rect in = {0, 0, info.source.width, info.source.height};
    swathe_rect out = {0, 0, info.result.width, info.result.height};
    source_view = canvas_view(&b->source, &info.source, &in, (enum canvas_layout)trial->from);
    expected_view = canvas_view(&b->expected, &info.result, &out, CANVAS_PLANAR);
    canvas_fill(&source_view, trial->fill, trial->special);
    make_holes(trial, &info.source);
    status = swathe_run(b->context, plan, &source_view, &expected_view, NULL);
    int bad = check_problem(b, trial, plan);
    swathe_plan_destroy(plan);
    if (status != SWATHE_OK)
        return failed(trial, "reference", swathe_error_text());
    if (!bad)
        bad = check_all(b, trial, info.error_bound);
    if (!bad)
        bad = check_gaps(b, trial, &info);
    return bad ? bad : check_fast(b, trial, info.error_bound);
}

static void find_isas(struct bench *b)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    for (int i = 0; swathe_table_get(SWATHE_TABLE_ISAS, i, &entry) == SWATHE_OK; i++)
        if (entry.available)
            b->isas[b->isa_count++] = entry.name;
        else
            printf("skipped: %s (this machine cannot run it)\n", entry.name);
}

static void find_algorithms(struct bench *b)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    for (int i = 0; swathe_table_get(SWATHE_TABLE_ALGORITHMS, i, &entry) == SWATHE_OK; i++)
        if (strcmp(entry.name, "reference") != 0)
            b->algorithms[b->algorithm_count++] = entry.name;
}

static int run_many(struct bench *b, int64_t count, uint64_t seed)
{
    struct rng rng = {seed};
    static struct trial trial;
    int64_t done = 0, refused = 0, bad = 0;
    while (done < count && bad < ENOUGH) {
        maker_random(&rng, &trial);
        int result = check(b, &trial, &rng);
        refused += result < 0;
        done += result >= 0;
        bad += result > 0;
    }
    printf("%" PRId64 " problems (and %" PRId64 " refused by their plan), %" PRId64
           " runs on %d instruction sets, seed %" PRIu64 "\n",
           done, refused, b->checks, b->isa_count, seed);
    printf("%" PRId64 " passed, %" PRId64 " failed\n", done - bad, bad);
    return bad > 0;
}

/* 1 x 1, 1 x N, N x 1 and other sizes smaller than the mask, for every border, type and rule. */
static int run_narrow(struct bench *b)
{
    static const int sizes[][2] = {{1, 1},  {1, 9},  {9, 1},  {2, 3}, {3, 2},
                                   {5, 14}, {14, 5}, {1, 70}, {70, 1}};
    static const char *const stages[] = {
        "gaussian:15",          "box:15",
        "log:sigma=1.7",        "motion:15:angle=30",
        "gaussian:7:dilate=3",  "box:9x1:anchor=0x0",
        "disk:7:flip",          "gaussian:11:sigma=2,box:13,sharpen",
        "gaussian:43x37:dense", "gaussian:5:anchor=0x0,gaussian:3:anchor=2x2"};
    swathe_table_entry border = SWATHE_INIT(swathe_table_entry),
                       type = SWATHE_INIT(swathe_table_entry);
    static struct trial trial;
    int64_t done = 0, bad = 0;
    for (int m = 0; swathe_table_get(SWATHE_TABLE_BORDERS, m, &border) == SWATHE_OK; m++)
        for (int t = 0; bad < ENOUGH && swathe_table_get(SWATHE_TABLE_TYPES, t, &type) == SWATHE_OK;
             t++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (size_t k = 0; k < sizeof stages / sizeof *stages; k++) {
                    const char *value = strcmp(border.name, "constant") == 0 ? "(1)" : "";
                    trial = (struct trial){.fill = (uint64_t)done,
                                           .threads = 1 + (int32_t)(s % 3),
                                           .cell_rows = (int64_t)k};
                    snprintf(trial.problem, sizeof trial.problem,
                             "contract=%d shape=%dx%dx3:%s border=%s%s exact=1 chain={%s}",
                             swathe_contract(), sizes[s][0], sizes[s][1], type.name, border.name,
                             value, stages[k]);
                    int result = check(b, &trial, NULL);
                    /* valid has no result here, every other border has one */
                    if (result < 0 && strcmp(border.name, "valid") != 0)
                        result = failed(&trial, "all", swathe_error_text());
                    done++;
                    bad += result > 0;
                }
    printf("%" PRId64 " passed, %" PRId64 " failed\n", done - bad, bad);
    return bad > 0;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a test that reads it may stop it */
    struct bench b = {.source = guarded_new(BUFFER),
                      .result = guarded_new(BUFFER),
                      .expected = guarded_new(BUFFER),
                      .scratch = guarded_new(BUFFER)};
    swathe_context_options o = SWATHE_INIT(swathe_context_options);
    o.threads = 3;
    o.max_memory = (int64_t)1 << 30;
    if (argc < 2 || swathe_context_create(&o, &b.context) != SWATHE_OK) {
        fprintf(stderr, "usage: random COUNT [SEED] | --narrow | --problem TEXT\n");
        return 2;
    }
    find_isas(&b);
    find_algorithms(&b);
    int result;
    if (strcmp(argv[1], "--problem") == 0) {
        static struct trial trial;
        if (argc < 3 || !maker_parse(argv[2], &trial))
            return fprintf(stderr, "not a problem\n"), 2;
        result = check(&b, &trial, NULL);
        if (result < 0)
            printf("refused: %s\n", swathe_error_text());
        printf("%d passed, %d failed\n", result == 0, result != 0);
    } else if (strcmp(argv[1], "--narrow") == 0) {
        result = run_narrow(&b);
    } else {
        result =
            run_many(&b, strtoll(argv[1], NULL, 10), argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
    }
    swathe_context_destroy(b.context);
    return result != 0;
}

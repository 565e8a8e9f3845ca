/* Measures how good the planner's choices are. For random problems it times every algorithm that
 * applies, interleaved, on one thread, and divides the time of the chosen one by the best time.
 *   planner [--quick] [--verbose] [--f64] [COUNT [SEED]]
 * Exits with status 1 if the geometric mean exceeds 1.10 or the worst ratio exceeds 1.5, except
 * with --quick, which only checks that the program works. Only problems with several algorithms
 * count. With --f64, all images are f64. */
#include "swathe/swathe.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ALGORITHMS_MOST = 16, TEXT_SIZE = 1 << 20 };
static const double mean_most = 1.10, worst_most = 1.5;
/* Bounds of the time for all rounds of a problem. An algorithm that is slower than the best by the
 * factor `hopeless` is not timed again. */
static const double seconds_least = 0.03, seconds_most = 0.6, hopeless = 1.6;
enum { ROUNDS_LEAST = 5, ROUNDS_MOST = 25 };

struct problem {
    char text[TEXT_SIZE]; /* of its chain */
    swathe_shape shape;
    int32_t exact;
};

struct contender {
    const char *name;
    swathe_plan *plan;
    double best; /* seconds */
};

struct bench {
    swathe_context *context;
    uint64_t state;
    bool quick, verbose, only_f64;
    uint8_t *from, *to;
    double log_sum, worst, log_predicted;
    int32_t counted, alone;
    char worst_text[200];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Returns a random number from 0 to 1. */
static double draw(struct bench *b)
{
    b->state = b->state * 6364136223846793005u + 1442695040888963407u;
    return (double)(b->state >> 11) * 0x1p-53;
}

static int32_t below(struct bench *b, int32_t n)
{
    return (int32_t)(draw(b) * n);
}

/* Uniform on a logarithmic scale. */
static int32_t draw_size(struct bench *b, double low, double high)
{
    return (int32_t)lround(low * pow(high / low, draw(b)));
}

static void draw_dense(struct bench *b, int32_t size, char *text)
{
    size_t at = (size_t)snprintf(text, TEXT_SIZE, "mask:(");
    for (int32_t i = 0; i < size * size; i++)
        at += (size_t)snprintf(text + at, TEXT_SIZE - at, "%s%.6f",
                               i == 0          ? ""
                               : i % size == 0 ? "; "
                                               : " ",
                               (draw(b) - 0.4) / size);
    snprintf(text + at, TEXT_SIZE - at, ")");
}

static void draw_chain(struct bench *b, char *text)
{
    static const char *const fixed[] = {"sharpen", "edge",      "sobel-x", "scharr-y",
                                        "emboss",  "laplacian", "unsharp", "identity"};
    static const char *const sized[] = {"gaussian:%d", "gaussian:%d:dense", "box:%d"};
    int32_t size = draw_size(b, 3, b->quick ? 33 : 129) | 1;
    int32_t kind = below(b, 12);
    if (kind < 6)
        draw_dense(b, size, text);
    else if (kind < 9)
        snprintf(text, TEXT_SIZE, sized[kind - 6], size);
    else if (kind == 9)
        snprintf(text, TEXT_SIZE, "disk:%d", size / 2);
    else if (kind == 10)
        snprintf(text, TEXT_SIZE, "motion:%d:angle=30", size);
    else
        snprintf(text, TEXT_SIZE, "%s", fixed[below(b, sizeof fixed / sizeof *fixed)]);
}

static void draw_problem(struct bench *b, struct problem *p)
{
    static const int32_t channels[] = {1, 3, 4};
    static const swathe_type types[] = {SWATHE_U8,  SWATHE_U8,  SWATHE_F32, SWATHE_F32,
                                        SWATHE_U16, SWATHE_S16, SWATHE_F64};
    p->shape = (swathe_shape){0};
    p->shape.type = types[below(b, sizeof types / sizeof *types)];
    p->shape.type = b->only_f64 ? SWATHE_F64 : p->shape.type;
    p->shape.channels = channels[below(b, 3)];
    p->shape.width = draw_size(b, 64, b->quick ? 400 : 2000);
    p->shape.height = draw_size(b, 64, b->quick ? 400 : 2000);
    bool is_float = p->shape.type == SWATHE_F32 || p->shape.type == SWATHE_F64;
    p->exact = is_float && below(b, 4) == 0;
    draw_chain(b, p->text);
}

static int complain(const char *what)
{
    fprintf(stderr, "planner: %.100s: %s\n", what, swathe_error_text());
    return 1;
}

/* Returns 1, 0 if the algorithm does not apply, or -1 after printing an error. */
static int make_plan(struct bench *b, const struct problem *p, const char *algorithm,
                     struct contender *made)
{
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_stage_info stage = SWATHE_INIT(swathe_stage_info);
    swathe_chain *chain = NULL;
    o.algorithm = algorithm;
    o.exact = p->exact;
    *made = (struct contender){.best = INFINITY};
    if (swathe_chain_parse(b->context, p->text, &chain) != SWATHE_OK)
        return -complain(p->text);
    swathe_status status = swathe_plan_create(b->context, chain, &p->shape, &o, &made->plan);
    swathe_chain_destroy(chain);
    if (status != SWATHE_OK)
        return -complain(p->text);
    swathe_plan_stage(made->plan, 0, &stage);
    made->name = stage.algorithm;
    if (!algorithm || strcmp(stage.algorithm, algorithm) == 0)
        return 1;
    swathe_plan_destroy(made->plan);
    return 0;
}

/* Fills `all`, with the planner's choice first, and returns the number of algorithms. */
static int find_contenders(struct bench *b, const struct problem *p, struct contender *all)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    int count = 1;
    if (make_plan(b, p, NULL, &all[0]) < 0)
        return 0;
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_ALGORITHMS, i, &entry) == SWATHE_OK; i++) {
        if (strcmp(entry.name, "reference") == 0 || strcmp(entry.name, all[0].name) == 0)
            continue;
        if (count < ALGORITHMS_MOST && make_plan(b, p, entry.name, &all[count]) > 0)
            count++;
    }
    return count;
}

static double give_up; /* the time at which a run is cancelled as too slow */

static int32_t too_slow(void *user, int64_t done, int64_t total)
{
    (void)user;
    (void)done;
    (void)total;
    return now() > give_up;
}

/* Returns the seconds of a run, or infinity if it takes longer than `most`. */
static double time_run(struct bench *b, const struct contender *c, const swathe_image *from,
                       const swathe_image *to, double most, int32_t repeats)
{
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    o.threads = 1;
    o.progress = most < INFINITY ? too_slow : NULL;
    double start = now();
    give_up = start + most;
    for (int32_t i = 0; i < repeats; i++)
        if (swathe_run(b->context, c->plan, from, to, &o) != SWATHE_OK)
            return INFINITY;
    return (now() - start) / repeats;
}

static void time_all(struct bench *b, struct contender *all, int count, const swathe_image *from,
                     const swathe_image *to)
{
    double best = all[0].best = time_run(b, &all[0], from, to, INFINITY, 1), start = now();
    for (int i = 1; i < count; i++) {
        all[i].best = time_run(b, &all[i], from, to, 2 * all[0].best + 1e-4, 1);
        best = fmin(best, all[i].best);
    }
    int32_t repeats = (int32_t)fmin(fmax(1.0, 1e-4 / best), 100.0);
    for (int r = 0; r < ROUNDS_MOST; r++) {
        double spent = now() - start, slow = r < 2 ? 2 * hopeless : hopeless;
        if (spent > seconds_most || (r >= ROUNDS_LEAST && spent > seconds_least))
            break;
        for (int i = 0; i < count; i++) {
            if (i > 0 && all[i].best > slow * best)
                continue;
            all[i].best = fmin(all[i].best, time_run(b, &all[i], from, to, INFINITY, repeats));
        }
        for (int i = 0; i < count; i++)
            best = fmin(best, all[i].best);
    }
}

static void describe(const struct problem *p, char *text, size_t size)
{
    static const char *const types[] = {"", "u8", "u16", "s16", "f32", "u32", "s32", "f64"};
    int32_t rows = 1;
    for (const char *at = p->text; *at; at++)
        rows += *at == ';';
    char dense[40];
    snprintf(dense, sizeof dense, "dense %dx%d", rows, rows);
    snprintf(text, size, "%.60s %" PRId64 "x%" PRId64 "x%d %s%s",
             strncmp(p->text, "mask:", 5) == 0 ? dense : p->text, p->shape.width, p->shape.height,
             p->shape.channels, types[p->shape.type], p->exact ? " exact" : "");
}

static void judge(struct bench *b, const struct problem *p, const struct contender *all, int count)
{
    char text[200];
    double best = INFINITY;
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    for (int i = 0; i < count; i++)
        best = fmin(best, all[i].best);
    double ratio = all[0].best / best;
    swathe_plan_get(all[0].plan, &info);
    describe(p, text, sizeof text);
    b->log_predicted += fabs(log(info.seconds / all[0].best));
    b->alone += count == 1;
    if (b->verbose) {
        printf("%5.2f  %-44s predicted %.3g ms:", ratio, text, info.seconds * 1e3);
        for (int i = 0; i < count; i++)
            printf(" %s %.3g", all[i].name, all[i].best * 1e3);
        printf("\n");
    }
    if (count == 1)
        return;
    b->log_sum += log(ratio);
    b->counted++;
    if (ratio >= b->worst) {
        b->worst = ratio;
        snprintf(b->worst_text, sizeof b->worst_text, "%s", text);
    }
}

static int run_problem(struct bench *b)
{
    static struct problem p;
    struct contender all[ALGORITHMS_MOST];
    swathe_image from = SWATHE_INIT(swathe_image), to = from;
    draw_problem(b, &p);
    int count = find_contenders(b, &p, all);
    if (count == 0)
        return 1;
    swathe_image_init(&p.shape, SWATHE_INTERLEAVED, b->from, &from);
    swathe_image_init(&p.shape, SWATHE_INTERLEAVED, b->to, &to);
    for (int64_t i = 0; i < p.shape.width * p.shape.height * p.shape.channels; i++)
        if (p.shape.type == SWATHE_F32)
            ((float *)(void *)b->from)[i] = (float)draw(b);
        else if (p.shape.type == SWATHE_F64)
            ((double *)(void *)b->from)[i] = draw(b);
        else if (p.shape.type == SWATHE_U8)
            b->from[i] = (uint8_t)below(b, 256);
        else
            ((uint16_t *)(void *)b->from)[i] = (uint16_t)below(b, 65536);
    time_all(b, all, count, &from, &to);
    judge(b, &p, all, count);
    for (int i = 0; i < count; i++)
        swathe_plan_destroy(all[i].plan);
    return 0;
}

static int report(const struct bench *b)
{
    double mean = b->counted ? exp(b->log_sum / b->counted) : 1.0;
    printf("%d problems with several algorithms (and %d with one): chosen / best %.3f in geometric "
           "mean (limit %.2f), %.2f in the worst case (limit %.1f): %s\n",
           b->counted, b->alone, mean, mean_most, b->worst, worst_most,
           b->counted ? b->worst_text : "none");
    printf("predictions are off by a factor of %.2f in geometric mean\n",
           exp(b->log_predicted / (b->counted + b->alone)));
    return !b->quick && (mean > mean_most || b->worst > worst_most);
}

int main(int argc, char **argv)
{
    struct bench b = {.state = 1, .worst = 1.0};
    int64_t numbers[2] = {200, 1};
    int given = 0, failed = 0;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--quick") == 0)
            b.quick = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            b.verbose = true;
        else if (strcmp(argv[i], "--f64") == 0)
            b.only_f64 = true;
        else if (given < 2)
            numbers[given++] = strtoll(argv[i], NULL, 10);
    if (b.quick && given == 0)
        numbers[0] = 40;
    b.state += (uint64_t)numbers[1] * 1000003;
    b.from = malloc((size_t)2000 * 2000 * 32);
    b.to = calloc((size_t)2000 * 2000, 32);
    if (!b.from || !b.to || swathe_context_create(NULL, &b.context) != SWATHE_OK)
        return complain("start");
    while (b.counted + b.alone < numbers[0] && !failed)
        failed = run_problem(&b);
    if (!failed)
        failed = report(&b);
    swathe_context_destroy(b.context);
    free(b.to);
    free(b.from);
    return failed;
}

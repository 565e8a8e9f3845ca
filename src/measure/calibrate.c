/* Measures the rates of all algorithms: each runs all probes to which it applies, and the rates
 * that fit the times best are stored. */
#include "measure/tune.h"

#include "base/checked.h"
#include "base/small_file.h"
#include "measure/time_plan.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Filters to measure: a text, or a dense mask of this size and full rank. Those of floats that may
 * be missing measure `weighted` only, because other times are those of three stages. Slow ones are
 * last. */
static const struct {
    const char *chain;
    int32_t dense;
    bool misses;
} probes[] = {
    {"sharpen", 0, false},
    {"sobel-x", 0, false},
    {"disk:7", 0, false},
    {"motion:31:angle=30", 0, false},
    {"gaussian:3", 0, false},
    {"gaussian:9", 0, false},
    {"gaussian:33", 0, false},
    {"gaussian:101", 0, false},
    {"box:3", 0, false},
    {"box:15", 0, false},
    {"box:63", 0, false},
    {"gaussian:3", 0, true},
    {"gaussian:9", 0, true},
    {"gaussian:33", 0, true},
    {"gaussian:101", 0, true},
    {"gaussian:9:dense", 0, false},
    {"gaussian:33:dense", 0, false},
    {"", 3, false},
    {"", 5, false},
    {"", 9, false},
    {"", 17, false},
    {"", 33, false},
    {"", 65, false},
    {"", 97, false},
};
enum { PROBE_COUNT = sizeof probes / sizeof *probes, DENSE_MOST = 97 };

/* Images that show the time per run, per row and per sample. The last one exceeds the second-level
 * caches of most CPUs. */
static const struct {
    int64_t width, height;
    int32_t channels;
} sizes[] = {{70, 48, 1}, {110, 64, 1}, {160, 100, 3}, {1800, 80, 1}, {1000, 500, 3}};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };

/* The time is the smallest of several, measured far apart, because other processes may use the
 * machine. Probes with more work than one that took too long are omitted. */
enum { PASSES = 2, BATCHES = 2, REPEATS_MOST = 32 };
static const double batch_ns = 1e5, long_ns = 4e6, slow_ns = 4e7;

enum { SLOTS = PROBE_COUNT * SIZE_COUNT };
static_assert((int)SLOTS <= (int)COST_FIT_MAX, "cost_fit takes all of them");

struct series {
    struct cost_load loads[SLOTS];
    double ns[SLOTS]; /* 0: not measured */
    double too_much;  /* amount of work that took too long */
};

struct calibration {
    struct plan_maker maker;
    struct pool *pool;
    swathe_plan_options options;
    struct series series[ALGORITHM_COUNT][COST_CLASSES];
    double taps[DENSE_MOST * DENSE_MOST];
};

static swathe_status make_chain(struct calibration *c, int probe, struct chain **chain)
{
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    int32_t size = probes[probe].dense;
    uint32_t state = 7;
    TRY(chain_parse(c->maker.memory, probes[probe].chain, chain));
    if (size == 0)
        return SWATHE_OK;
    for (int32_t i = 0; i < size * size; i++) {
        state = state * 1664525u + 1013904223u;
        c->taps[i] = ((double)(state >> 8) * 0x1p-24 - 0.4) / size;
    }
    mask.width = mask.height = size;
    mask.taps = c->taps;
    swathe_status status = chain_append_masks(*chain, &mask, 1, NULL);
    if (status != SWATHE_OK)
        chain_free(*chain);
    return status;
}

static swathe_status best_time(const struct measure *measure, const struct plan *plan, double *best)
{
    double ns;
    TRY(time_plan_run(measure, plan, 1, best)); /* also warms up */
    int32_t repeats = (int32_t)fmax(1.0, fmin(batch_ns / *best, REPEATS_MOST));
    for (int b = 0; b < BATCHES && *best < long_ns; b++) {
        TRY(time_plan_run(measure, plan, repeats, &ns));
        *best = fmin(*best, ns);
    }
    return SWATHE_OK;
}

static swathe_plan_options probe_options(const struct calibration *c, int slot)
{
    swathe_plan_options options = c->options;
    if (probes[slot / SIZE_COUNT].misses) {
        options.nodata = "nan";
        options.algorithm = "weighted";
    }
    return options;
}

static swathe_status time_candidate(struct calibration *c, const struct chain *chain,
                                    const struct plan *plan, const struct measure *measure,
                                    const struct candidate *candidate, int slot)
{
    const struct algorithm *algorithm = candidate->algorithm;
    const struct op *op = &plan->ops[0];
    struct series *series = &c->series[algorithm_index(algorithm)][cost_class(op)];
    struct cost_load load = cost_load(op, candidate->work);
    swathe_plan_options o = probe_options(c, slot);
    struct plan *forced;
    double ns;
    if (o.algorithm && strcmp(o.algorithm, algorithm->name) != 0)
        return SWATHE_OK;
    if (series->too_much > 0.0 && load.count[COST_WORK] >= series->too_much)
        return SWATHE_OK;
    o.algorithm = algorithm->name;
    TRY(plan_create(&c->maker, chain, &plan->source, &o, &forced));
    swathe_status status = best_time(measure, forced, &ns);
    plan_free(forced);
    TRY(status);
    series->loads[slot] = load;
    series->ns[slot] = series->ns[slot] > 0.0 ? fmin(series->ns[slot], ns) : ns;
    if (ns > slow_ns)
        series->too_much = load.count[COST_WORK];
    return SWATHE_OK;
}

static swathe_status calibrate_run_probe(struct calibration *c, const struct chain *chain,
                                         swathe_type type, int slot)
{
    struct plan *plan;
    struct measure measure;
    swathe_shape shape = {0};
    int size = slot % SIZE_COUNT;
    shape.type = type;
    shape.width = sizes[size].width;
    shape.height = sizes[size].height;
    shape.channels = sizes[size].channels;
    swathe_plan_options o = probe_options(c, slot);
    TRY(plan_create(&c->maker, chain, &shape, &o, &plan));
    swathe_status status = time_plan_begin(c->maker.memory, c->pool, plan, &measure);
    if (status == SWATHE_OK) {
        const struct candidates *candidates = &plan->candidates[0];
        for (int32_t i = 0; i < candidates->count && status == SWATHE_OK; i++)
            status = time_candidate(c, chain, plan, &measure, &candidates->list[i], slot);
        time_plan_end(&measure);
    }
    plan_free(plan);
    return status;
}

/* Sums of 32-bit integers are those of f64, except for means. */
static bool is_measured(int probe, swathe_type type)
{
    if (probes[probe].misses)
        return type == SWATHE_F32;
    return type != SWATHE_U32 || strncmp(probes[probe].chain, "box", 3) == 0;
}

static swathe_status run_pass(struct calibration *c)
{
    static const swathe_type types[] = {SWATHE_U8, SWATHE_U16, SWATHE_F32, SWATHE_F64, SWATHE_U32};
    enum { TYPES = sizeof types / sizeof *types };
    swathe_status status = SWATHE_OK;
    for (int p = 0; p < PROBE_COUNT && status == SWATHE_OK; p++) {
        struct chain *chain;
        TRY(make_chain(c, p, &chain));
        for (int i = 0; i < TYPES * SIZE_COUNT && status == SWATHE_OK; i++)
            if (is_measured(p, types[i / SIZE_COUNT]))
                status = calibrate_run_probe(c, chain, types[i / SIZE_COUNT],
                                             p * SIZE_COUNT + i % SIZE_COUNT);
        chain_free(chain);
    }
    return status;
}

/* Collects the measured times and fits the rate. */
static bool calibrate_fit(const struct series *series, struct cost_rate *rate)
{
    struct cost_load loads[SLOTS];
    double ns[SLOTS];
    int32_t count = 0;
    for (int i = 0; i < SLOTS; i++)
        if (series->ns[i] > 0.0) {
            loads[count] = series->loads[i];
            ns[count++] = series->ns[i];
        }
    return cost_fit(loads, ns, count, rate);
}

static swathe_status measure_calibrate(struct calibration *c)
{
    struct wisdom_rates rates = {.known = {{false}}};
    for (int pass = 0; pass < PASSES; pass++)
        TRY(run_pass(c));
    for (int a = 0; a < ALGORITHM_COUNT; a++)
        for (int k = 0; k < COST_CLASSES; k++)
            rates.known[a][k] = calibrate_fit(&c->series[a][k], &rates.rate[a][k]);
    int isa = c->options.isa ? isa_named(c->options.isa) : isa_best();
    return wisdom_learn_rates(c->maker.wisdom, isa, &rates);
}

swathe_status tune_machine(const struct plan_maker *maker, struct pool *pool, const char *isa)
{
    struct calibration *c;
    if (!wisdom_path(maker->wisdom))
        return fail(SWATHE_ERROR_ARGUMENT, "wisdom is off, so there is no file to write; unset "
                                           "SWATHE_WISDOM, or name a file");
    TRY(small_file_check(wisdom_path(maker->wisdom)));
    TRY(memory_new(maker->memory, 1, sizeof *c, "calibration", &c));
    c->maker = *maker;
    c->pool = pool;
    c->options = SWATHE_INIT(swathe_plan_options);
    c->options.isa = isa;
    swathe_status status = measure_calibrate(c);
    memory_free(maker->memory, c);
    return status;
}

#include "compare_runs.h"

#include "terminal/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of longer lists, evenly spaced samples are used, so that no file takes hours. */
enum { TESTED_MOST = 1000 };
/* The smallest possible p-value must stay significant after the correction for the number of
 * results. */
enum { PERMUTATIONS_PER_RESULT = 400, PERMUTATIONS_MOST = 1000000 };
static const double significant = 0.05;

/* ---- Results of the same name ---------------------------------------------------------------- */

static bool timed(const struct run_result *result)
{
    return result->samples != NULL;
}

static void add_alone(struct comparison *c, const struct run_result *result, bool in_before)
{
    if (timed(result))
        c->alone[c->alone_count++] = (struct only){result, in_before};
}

static void add_pair(struct comparison *c, const struct run_result *before,
                     const struct run_result *after)
{
    if (timed(before) && timed(after) && strcmp(before->scope, after->scope) == 0) {
        c->changes[c->count++] = (struct change){.before = before, .after = after};
        return;
    }
    add_alone(c, before, true);
    add_alone(c, after, false);
}

/* Both lists are sorted by name. */
static void match(struct comparison *c)
{
    const struct run_result *a = c->before.results, *a_end = a + c->before.count;
    const struct run_result *b = c->after.results, *b_end = b + c->after.count;
    while (a < a_end || b < b_end) {
        int order = a == a_end ? 1 : b == b_end ? -1 : strcmp(a->name, b->name);
        if (order == 0)
            add_pair(c, a++, b++);
        else if (order < 0)
            add_alone(c, a++, true);
        else
            add_alone(c, b++, false);
    }
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* At most TESTED_MOST of the samples, with their visits. */
struct thinned {
    double samples[TESTED_MOST];
    int32_t visit[TESTED_MOST];
    struct bench_side side;
};

static void thin(const struct run_result *result, double drift, struct thinned *to)
{
    int64_t count = result->count < TESTED_MOST ? result->count : TESTED_MOST;
    for (int64_t i = 0; i < count; i++) {
        to->samples[i] = result->samples[i * result->count / count];
        to->visit[i] = result->visit[i * result->count / count];
    }
    to->side = (struct bench_side){to->samples, to->visit, count, drift};
}

/* The drift of a run over all results of its file. `drifts` has an element for each. */
static double drift_of(const struct run_file *file, double *drifts, double *scratch)
{
    struct thinned result;
    for (int64_t i = 0; i < file->count; i++) {
        drifts[i] = -1;
        if (!timed(&file->results[i]))
            continue;
        thin(&file->results[i], 0, &result);
        drifts[i] = bench_drift(&result.side, scratch);
    }
    return bench_drift_of_all(drifts, file->count);
}

/* True for equal samples: a run does not differ from itself. */
static bool is_same(const struct run_result *a, const struct run_result *b)
{
    return a->count == b->count &&
           memcmp(a->samples, b->samples, (size_t)a->count * sizeof *a->samples) == 0;
}

static void measure(const struct comparison *c, struct change *change, double *scratch)
{
    struct thinned a, b;
    struct bench_statistics stated;
    thin(change->before, c->before.drift, &a);
    thin(change->after, c->after.drift, &b);
    bench_summarise(&a.side, 1, scratch, &stated);
    change->before_ms = bench_median_of(change->before->samples, change->before->count, scratch);
    change->after_ms = bench_median_of(change->after->samples, change->after->count, scratch);
    change->stated = !stated.no_interval;
    change->foreseen = change->after_ms >= stated.low && change->after_ms <= stated.high;
    change->ratio = (struct bench_ratio){1, 1, 1};
    change->p = 1;
    if (is_same(change->before, change->after))
        return;
    change->ratio = bench_compare_medians(&a.side, &b.side, 1, scratch);
    change->p = bench_permutation(a.samples, a.side.count, b.samples, b.side.count,
                                  BENCH_PERMUTATIONS, 1, scratch);
}

static int by_probability(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return (x->p > y->p) - (x->p < y->p);
}

static int by_change(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    int order = (x->ratio.ratio < y->ratio.ratio) - (x->ratio.ratio > y->ratio.ratio);
    return order ? order : strcmp(x->before->name, y->before->name);
}

/* Benjamini and Hochberg: of the results reported as different, at most one in twenty is expected
 * to be a false positive. */
static void adjust(struct comparison *c)
{
    double least = 1;
    qsort(c->changes, (size_t)c->count, sizeof *c->changes, by_probability);
    for (int64_t i = c->count - 1; i >= 0; i--) {
        least = fmin(least, c->changes[i].p * (double)c->count / (double)(i + 1));
        c->changes[i].adjusted = least;
    }
}

/* If no permutation was a hit, p is limited by their number. More permutations then decide whether
 * a single change among many results is significant after the correction. */
static void measure_again(struct comparison *c, double *scratch)
{
    int64_t more = PERMUTATIONS_PER_RESULT * c->count;
    more = more < PERMUTATIONS_MOST ? more : PERMUTATIONS_MOST;
    for (int64_t i = 0; i < c->count && more > BENCH_PERMUTATIONS; i++) {
        struct change *change = &c->changes[i];
        struct thinned a, b;
        if (change->adjusted < significant || change->p > 1.5 / BENCH_PERMUTATIONS)
            continue;
        thin(change->before, c->before.drift, &a);
        thin(change->after, c->after.drift, &b);
        change->p =
            bench_permutation(a.samples, a.side.count, b.samples, b.side.count, more, 2, scratch);
    }
    adjust(c);
}

/* Widens a result's interval so that all intervals together hold in 19 of 20 cases. The factor is
 * the quantile of the normal distribution for 0.05 ÷ results divided by that for 0.05, accurate to
 * 2 % up to a thousand results. */
static void widen(struct bench_ratio *ratio, int64_t results)
{
    double power = sqrt(1 + log((double)results) / 2),
           factor = pow(ratio->high / ratio->ratio, power);
    ratio->low = ratio->ratio / factor;
    ratio->high = ratio->ratio * factor;
}

/* CHANGE_FEW or CHANGE_WIDE if the samples allow no conclusion. A wide interval allows one if it
 * excludes 1. */
static enum change_verdict left_open(const struct change *change)
{
    int64_t a = change->before->count, b = change->after->count;
    const struct bench_ratio *ratio = &change->ratio;
    bool wide = ratio->high > BENCH_FACTOR_MOST * BENCH_FACTOR_MOST * ratio->ratio;
    if ((a < b ? a : b) < BENCH_RUNS_LEAST)
        return CHANGE_FEW;
    return wide && ratio->low <= 1 && ratio->high >= 1 ? CHANGE_WIDE : CHANGE_NONE;
}

/* The test alone would also detect differences between two processes, such as their pages and the
 * clock frequency. The interval allows for them. */
static enum change_verdict judge(const struct change *change)
{
    enum change_verdict open =
        is_same(change->before, change->after) ? CHANGE_NONE : left_open(change);
    if (open != CHANGE_NONE)
        return open;
    if (change->adjusted >= significant)
        return CHANGE_NONE;
    return change->ratio.low > 1    ? CHANGE_SLOWER
           : change->ratio.high < 1 ? CHANGE_FASTER
                                    : CHANGE_NONE;
}

/* ---- The comparison -------------------------------------------------------------------------- */

static int compare(struct comparison *c)
{
    int64_t results = c->before.count + c->after.count + 1;
    double *scratch = malloc(RUN_SAMPLES_MOST * sizeof *scratch);
    c->changes = calloc((size_t)results, sizeof *c->changes);
    c->alone = calloc((size_t)results, sizeof *c->alone);
    double *drifts = malloc((size_t)results * sizeof *drifts);
    if (!scratch || !drifts || !c->changes || !c->alone) {
        free(drifts);
        free(scratch);
        return complain(SWATHE_ERROR_MEMORY, "not enough memory to compare %s", c->before.path);
    }
    match(c);
    c->before.drift = drift_of(&c->before, drifts, scratch);
    c->after.drift = drift_of(&c->after, drifts, scratch);
    free(drifts);
    for (int64_t i = 0; i < c->count; i++)
        measure(c, &c->changes[i], scratch);
    adjust(c);
    measure_again(c, scratch);
    free(scratch);
    qsort(c->changes, (size_t)c->count, sizeof *c->changes, by_change);
    for (int64_t i = 0; i < c->count; i++) {
        widen(&c->changes[i].ratio, c->count);
        c->tally[c->changes[i].verdict = judge(&c->changes[i])]++;
        c->stated += c->changes[i].stated;
        c->foreseen += c->changes[i].foreseen;
    }
    return 0;
}

int bench_compare(const char *path_before, const char *path_after, bool json)
{
    struct comparison c = {0};
    int code = run_file_read(path_before, &c.before);
    if (code == 0)
        code = run_file_read(path_after, &c.after);
    if (code == 0)
        code = compare(&c);
    if (code == 0 && c.count == 0)
        code = complain(SWATHE_ERROR_INPUT, "%s and %s have no timed result in common", path_before,
                        path_after);
    if (code == 0) {
        (json ? compare_print_json : compare_print_people)(&c);
        code = c.tally[CHANGE_SLOWER] > 0 ? EXIT_DIFFERENT : 0;
    }
    free(c.alone);
    free(c.changes);
    run_file_free(&c.after);
    run_file_free(&c.before);
    return code;
}

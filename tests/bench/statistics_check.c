/* The statistics of `swathe bench` on known noise: how often the median of a repetition is in the
 * stated interval, how often the permutation test raises a false alarm, and whether it finds a
 * planted difference.
 *   statistics_check [TRIALS] */
#include "rng.h"
#include "statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 200 };
static int passed, failed;

static void verdict(bool good, const char *text)
{
    printf("%s: %s\n", good ? "passed" : "FAILED", text);
    passed += good;
    failed += !good;
}

/* ---- Noise ------------------------------------------------------------------------------------
 */

struct noise {
    const char *name;
    int32_t visits, per_visit;
    double within, between; /* standard deviations, relative to the median */
    double spikes;          /* fraction of samples that were disturbed */
    bool lognormal;
    double least; /* required coverage; 0: the model does not apply, only printed */
};

static double draw_gauss(struct rng *rng)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += rng_unit(rng);
    return sum / 2;
}

static double draw_sample(const struct noise *noise, double offset, struct rng *rng)
{
    double x = noise->within * draw_gauss(rng);
    double time = (noise->lognormal ? exp(x) : 1 + x) * (1 + offset);
    if (noise->spikes > 0 && fabs(rng_unit(rng)) < noise->spikes)
        time *= 1.2 + fabs(rng_unit(rng));
    return 5 * time;
}

static int64_t draw_run(const struct noise *noise, struct rng *rng, double *samples, int32_t *visit)
{
    int64_t count = 0;
    for (int32_t v = 0; v < noise->visits; v++) {
        double offset = noise->between * draw_gauss(rng);
        for (int32_t i = 0; i < noise->per_visit; i++) {
            visit[count] = v;
            samples[count++] = draw_sample(noise, offset, rng);
        }
    }
    return count;
}

/* ---- Coverage ---------------------------------------------------------------------------------
 */

/* The coverage of the stated intervals, and the fraction for which one is stated. `power` narrows
 * the intervals, to verify that the check would notice. */
static double coverage(const struct noise *noise, double power, int trials, struct rng *rng,
                       double *width, double *share)
{
    double samples[MOST], scratch[MOST];
    int32_t visit[MOST];
    int hits = 0, stated = 0;
    *width = 0;
    for (int i = 0; i < trials; i++) {
        struct bench_statistics found;
        int64_t count = draw_run(noise, rng, samples, visit);
        struct bench_side side = {samples, visit, count, 0};
        bench_summarise(&side, (uint64_t)i, scratch, &found);
        draw_run(noise, rng, samples, visit);
        if (found.no_interval)
            continue;
        stated++;
        *width += (found.high - found.low) / found.median;
        double again = bench_median(samples, count);
        hits += fabs(log(again / found.median)) <= power * log(found.high / found.median);
    }
    *width /= stated > 0 ? stated : 1;
    *share = (double)stated / trials;
    return stated > 0 ? (double)hits / stated : 0;
}

static const struct noise noises[] = {
    {"normal 5 %", 1, 10, 0.05, 0, 0, false, 0.9},
    {"normal 5 %", 2, 5, 0.05, 0, 0, false, 0.9},
    {"normal 5 %", 2, 10, 0.05, 0, 0, false, 0.9},
    {"normal 5 %", 3, 60, 0.05, 0, 0, false, 0.9},
    {"normal 0.1 %", 2, 10, 0.001, 0, 0, false, 0.9},
    {"lognormal 30 %", 1, 10, 0.3, 0, 0, true, 0.9},
    {"lognormal 30 %", 2, 20, 0.3, 0, 0, true, 0.9},
    {"lognormal 30 %", 4, 50, 0.3, 0, 0, true, 0.9},
    {"one in ten disturbed", 2, 10, 0.02, 0, 0.1, false, 0.9},
    {"drift 1 %", 1, 20, 0.01, 0.01, 0, false, 0.9},
    {"drift 1 %", 2, 10, 0.01, 0.01, 0, false, 0.9},
    {"drift 2 %", 3, 20, 0.01, 0.02, 0, false, 0.9},
    {"drift 5 %", 5, 10, 0.02, 0.05, 0, false, 0.9},
    {"normal 5 %, few", 1, 5, 0.05, 0, 0, false, 0},
    {"normal 5 %, few", 1, 7, 0.05, 0, 0, false, 0},
    {"drift 5 %, few visits", 2, 10, 0.02, 0.05, 0, false, 0},
    {"drift 5 %, one visit", 1, 20, 0.02, 0.05, 0, false, 0},
};

/* The deviation that this many trials allow by chance. */
static double slack(double share, int trials)
{
    return 2 * sqrt(share * (1 - share) / trials);
}

static void check_coverage(int trials)
{
    struct rng rng = {1};
    for (size_t i = 0; i < sizeof noises / sizeof *noises; i++) {
        const struct noise *noise = &noises[i];
        double width, share, found = coverage(noise, 1, trials, &rng, &width, &share);
        char text[160];
        snprintf(text, sizeof text,
                 "%-22s %d x %2d: interval of %5.2f %%, holds another median %.1f %% of the time",
                 noise->name, noise->visits, noise->per_visit, 100 * width, 100 * found);
        if (noise->least > 0)
            verdict(share > 0.95 && found >= noise->least - slack(noise->least, trials), text);
        else
            printf("seen:   %s\n", text);
    }
}

/* An interval for the true median instead of another run's is narrower by a factor of √2. */
static void check_planted(int trials)
{
    struct rng rng = {2};
    double width, share, found = coverage(&noises[0], sqrt(0.5), trials, &rng, &width, &share);
    verdict(found < 0.9 - slack(0.9, trials), "an interval that is too narrow is noticed");
}

/* ---- The permutation test ---------------------------------------------------------------------
 */

/* How often it reports "different" at 5 percent if the second run is slower by a factor. */
static double alarms(const struct noise *noise, double slower, int trials)
{
    double a[MOST], b[MOST], scratch[4 * MOST];
    int32_t visit[MOST];
    struct rng rng = {3};
    int found = 0;
    for (int i = 0; i < trials; i++) {
        int64_t na = draw_run(noise, &rng, a, visit), nb = draw_run(noise, &rng, b, visit);
        for (int64_t j = 0; j < nb; j++)
            b[j] *= slower;
        found += bench_permutation(a, na, b, nb, 1000, (uint64_t)i, scratch) < 0.05;
    }
    return (double)found / trials;
}

static void check_permutation(int trials)
{
    static const struct noise quiet = {"", 2, 10, 0.03, 0, 0, false, 0};
    static const struct noise spiky = {"", 2, 25, 0.05, 0, 0.1, true, 0};
    char text[100];
    double wrong = alarms(&quiet, 1, trials), wrong_spiky = alarms(&spiky, 1, trials);
    double right = alarms(&quiet, 1.1, trials), right_spiky = alarms(&spiky, 1.1, trials);
    snprintf(text, sizeof text, "equal times are called different %.1f %% and %.1f %% of the time",
             100 * wrong, 100 * wrong_spiky);
    verdict(fmax(wrong, wrong_spiky) < 0.05 + slack(0.05, trials) &&
                fmin(wrong, wrong_spiky) > 0.01,
            text);
    snprintf(text, sizeof text, "10 %% slower is found %.1f %% and %.1f %% of the time",
             100 * right, 100 * right_spiky);
    verdict(fmin(right, right_spiky) > 0.95, text);
}

/* A case that can be counted by hand: all 6 divisions of 1 2 | 3 4 are equally likely, and in two
 * of them the medians are as far apart. */
static void check_permutation_exactly(void)
{
    double a[] = {1, 2}, b[] = {3, 4}, scratch[8];
    double p = bench_permutation(a, 2, b, 2, 60000, 1, scratch);
    verdict(fabs(p - 2.0 / 6) < 0.01, "the smallest case has the counted probability");
    double q = bench_permutation(a, 2, a, 2, BENCH_PERMUTATIONS, 1, scratch);
    verdict(q == 1, "a list does not differ from itself");
}

static void check_ratio(int trials)
{
    static const struct noise noise = {"", 3, 10, 0.03, 0.01, 0, false, 0};
    double a[MOST], b[MOST], scratch[MOST];
    int32_t visit[MOST];
    struct rng rng = {4};
    int hits = 0, seen = 0;
    for (int i = 0; i < trials; i++) {
        struct bench_side side_a = {a, visit, draw_run(&noise, &rng, a, visit), 0};
        struct bench_side side_b = {b, visit, draw_run(&noise, &rng, b, visit), 0};
        for (int64_t j = 0; j < side_b.count; j++)
            b[j] *= 1.1;
        struct bench_ratio found = bench_compare_medians(&side_a, &side_b, (uint64_t)i, scratch);
        hits += found.low <= 1.1 && found.high >= 1.1;
        seen += found.low > 1;
    }
    verdict(hits >= (0.95 - slack(0.95, trials)) * trials,
            "the ratio's interval contains the true ratio");
    verdict(seen > 0.8 * trials, "the ratio's interval mostly excludes 1 when 10 % slower");
}

/* A result with one visit contains no information about drift; other results of the same run do. */
static void check_drift(int trials)
{
    static const struct noise long_rows = {"", 3, 10, 0.02, 0.15, 0, false, 0};
    static const struct noise short_row = {"", 1, 5, 0.02, 0.15, 0, false, 0};
    enum { OTHERS = 40 };
    double a[MOST], scratch[MOST], drifts[OTHERS];
    int32_t visit[MOST];
    struct rng rng = {5};
    int hits = 0;
    for (int i = 0; i < trials; i++) {
        for (int k = 0; k < OTHERS; k++) {
            struct bench_side row = {a, visit, draw_run(&long_rows, &rng, a, visit), 0};
            drifts[k] = bench_drift(&row, scratch);
        }
        drifts[i % OTHERS] = -1;
        struct bench_statistics stated;
        struct bench_side one = {a, visit, draw_run(&short_row, &rng, a, visit),
                                 bench_drift_of_all(drifts, OTHERS)};
        bench_summarise(&one, (uint64_t)i, scratch, &stated);
        draw_run(&short_row, &rng, a, visit);
        double again = bench_median(a, one.count);
        hits += again >= stated.low && again <= stated.high;
    }
    printf("seen:   one visit, drift 15 %% known from others: %.1f %%\n", 100.0 * hits / trials);
    verdict(hits > 0.8 * trials,
            "the drift of other results is part of the interval of a single visit");
    verdict(bench_drift_of_all(drifts, 0) == 0, "without other results the drift is unknown");
}

/* ---- Single lists -----------------------------------------------------------------------------
 */

static struct bench_statistics summary(const double *samples, const int32_t *visit, int64_t count)
{
    double scratch[MOST];
    struct bench_statistics found;
    struct bench_side side = {samples, visit, count, 0};
    bench_summarise(&side, 7, scratch, &found);
    return found;
}

static void check_single(void)
{
    struct bench_statistics one = summary((double[]){3}, NULL, 1);
    verdict(one.median == 3 && one.no_interval && strcmp(one.no_interval, BENCH_FEW) == 0 &&
                isnan(one.low) && isnan(one.high) && one.noisy,
            "one sample is too few for an interval");
    struct bench_statistics wild =
        summary((double[]){1, 2, 40, 44, 46, 300, 900}, (int32_t[]){0, 0, 1, 1, 1, 2, 2}, 7);
    verdict(wild.no_interval && strcmp(wild.no_interval, BENCH_WIDE) == 0 && isnan(wild.high),
            "visits that differ by orders of magnitude have no interval");
    struct bench_statistics five = summary((double[]){3, 3.1, 3, 2.9, 3}, NULL, 5);
    verdict(!five.no_interval && five.low < 3 && five.high > 3, "five samples have an interval");
    struct bench_statistics zeros = summary((double[]){0, 0, 0}, NULL, 3);
    verdict(zeros.no_interval && zeros.noisy, "times of 0 have no interval");
    struct bench_statistics none = summary(NULL, NULL, 0);
    verdict(none.runs == 0 && none.noisy, "an empty list is not an error");
    struct bench_statistics four = summary((double[]){4, 1, 3, 2}, NULL, 4);
    verdict(four.median == 2.5 && four.mean == 2.5 && four.best == 1 &&
                fabs(four.sd - 1.2909944487) < 1e-9,
            "median, mean, deviation and best of 4 1 3 2");
}

static void check_marks(void)
{
    double flat[20], apart[20];
    int32_t visit[20];
    for (int i = 0; i < 20; i++) {
        flat[i] = i == 7 ? 1.5 : 1;
        visit[i] = i / 10;
        apart[i] = visit[i] ? 1.2 : 1;
    }
    struct bench_statistics found = summary(flat, visit, 20), again = summary(flat, visit, 20);
    verdict(found.outliers == 1 && !found.noisy, "one outlier among equal times, and not noisy");
    verdict(found.low < 1 && found.high > 1, "equal times still have an interval");
    verdict(memcmp(&found.median, &again.median, 6 * sizeof(double)) == 0,
            "equal seeds give equal intervals");
    verdict(summary(apart, visit, 20).noisy, "visits that are 20 % apart are noisy");
    flat[8] = flat[9] = 1.5;
    verdict(summary(flat, visit, 20).noisy, "more than a tenth of outliers is noisy");
}

static void check_cost(void)
{
    static const struct noise noise = {"", 2, 100, 0.05, 0, 0, false, 0};
    double samples[MOST];
    int32_t visit[MOST];
    struct rng rng = {5};
    int64_t count = draw_run(&noise, &rng, samples, visit);
    clock_t start = clock();
    for (int i = 0; i < 20; i++)
        summary(samples, visit, count);
    printf("seen:   %.2f ms for a summary of 200 samples\n",
           (double)(clock() - start) * 1e3 / CLOCKS_PER_SEC / 20);
}

int main(int argc, char **argv)
{
    int trials = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 500;
    check_drift(trials);
    check_single();
    check_marks();
    check_coverage(trials);
    check_planted(trials);
    check_permutation_exactly();
    check_permutation(trials);
    check_ratio(trials);
    check_cost();
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

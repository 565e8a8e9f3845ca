#include "compare_runs.h"
#include "terminal/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const verdicts[] = {"no difference seen", "faster", "slower", BENCH_FEW,
                                       BENCH_WIDE};
static const char *const counts[] = {"no_difference_seen", "faster", "slower", "too_few_runs",
                                     "runs_differ_too_much"};

static bool is_open(const struct change *change)
{
    return change->verdict == CHANGE_FEW || change->verdict == CHANGE_WIDE;
}

static double percent(double ratio)
{
    return 100 * (ratio - 1);
}

static void print_facts(const struct comparison *c)
{
    for (int32_t i = 0; i < c->before.fact_count; i++) {
        const struct run_fact *a = &c->before.facts[i], *b = &c->after.facts[i];
        if (strcmp(a->value, b->value) != 0)
            printf("doubtful: %s %s differs: %s before, %s after\n", a->section, a->name, a->value,
                   b->value);
    }
}

static void print_changes(const struct comparison *c)
{
    printf("%10s %10s  %8s  %-18s %8s  %-20s  %s\n", "before ms", "after ms", "change", "interval",
           "p", "verdict", "contender");
    for (int64_t i = 0; i < c->count; i++) {
        const struct change *change = &c->changes[i];
        char interval[40] = "none";
        if (!is_open(change))
            snprintf(interval, sizeof interval, "%+.1f to %+.1f %%", percent(change->ratio.low),
                     percent(change->ratio.high));
        printf("%10.4g %10.4g  %+6.1f %%  %-18s %8.2g  %-20s  %s (%s)\n", change->before_ms,
               change->after_ms, percent(change->ratio.ratio), interval, change->adjusted,
               verdicts[change->verdict], change->before->name, change->before->scope);
    }
}

static void print_alone(const struct comparison *c)
{
    for (int64_t i = 0; i < c->alone_count; i++)
        printf("only timed %s: %s (%s)\n", c->alone[i].in_before ? "before" : "after",
               c->alone[i].result->name, c->alone[i].result->scope);
}

void compare_print_people(const struct comparison *c)
{
    print_facts(c);
    print_changes(c);
    print_alone(c);
    printf("%" PRId64 " slower, %" PRId64 " faster, %" PRId64 " with no difference seen, %" PRId64
           " with too few runs, %" PRId64 " whose runs differ too much, %" PRId64
           " only in one file\n",
           c->tally[CHANGE_SLOWER], c->tally[CHANGE_FASTER], c->tally[CHANGE_NONE],
           c->tally[CHANGE_FEW], c->tally[CHANGE_WIDE], c->alone_count);
    printf("%" PRId64 " of %" PRId64 " medians of the second run are in the interval of the first; "
           "without a change, 9 of 10 are expected\n",
           c->foreseen, c->stated);
    printf("p-values (permutation test on medians) are corrected for %" PRId64 " results by "
           "Benjamini-Hochberg, intervals (95 %%) by Bonferroni. A result is faster or slower if p "
           "is below 0.05 and the interval excludes 0.\n",
           c->count);
}

static void json_facts(struct json *json, const struct comparison *c)
{
    json_open(json, "doubtful", '[');
    for (int32_t i = 0; i < c->before.fact_count; i++) {
        const struct run_fact *a = &c->before.facts[i], *b = &c->after.facts[i];
        if (strcmp(a->value, b->value) == 0)
            continue;
        json_open(json, NULL, '{');
        json_text(json, "section", a->section);
        json_text(json, "name", a->name);
        json_text(json, "before", a->value);
        json_text(json, "after", b->value);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void json_change(struct json *json, const struct change *change)
{
    json_open(json, NULL, '{');
    json_text(json, "contender", change->before->name);
    json_text(json, "scope", change->before->scope);
    json_number(json, "before_ms", change->before_ms);
    json_number(json, "after_ms", change->after_ms);
    json_number(json, "change_percent", percent(change->ratio.ratio));
    json_number(json, "low_percent", is_open(change) ? NAN : percent(change->ratio.low));
    json_number(json, "high_percent", is_open(change) ? NAN : percent(change->ratio.high));
    json_number(json, "p", change->p);
    json_number(json, "p_corrected", change->adjusted);
    json_text(json, "verdict", verdicts[change->verdict]);
    json_close(json, '}');
}

static void json_alone(struct json *json, const struct comparison *c, const char *name, bool before)
{
    json_open(json, name, '[');
    for (int64_t i = 0; i < c->alone_count; i++)
        if (c->alone[i].in_before == before)
            json_text(json, NULL, c->alone[i].result->name);
    json_close(json, ']');
}

void compare_print_json(const struct comparison *c)
{
    struct json json = {0};
    json_open(&json, NULL, '{');
    json_text(&json, "before", c->before.path);
    json_text(&json, "after", c->after.path);
    for (int i = 0; i < CHANGE_VERDICTS; i++)
        json_integer(&json, counts[i], c->tally[i]);
    json_integer(&json, "stated_intervals", c->stated);
    json_integer(&json, "in_stated_interval", c->foreseen);
    json_text(&json, "correction", "Benjamini-Hochberg");
    json_facts(&json, c);
    json_open(&json, "changes", '[');
    for (int64_t i = 0; i < c->count; i++)
        json_change(&json, &c->changes[i]);
    json_close(&json, ']');
    json_alone(&json, c, "only_before", true);
    json_alone(&json, c, "only_after", false);
    json_close(&json, '}');
}

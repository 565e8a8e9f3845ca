#include "result.h"

#include "commands/value.h"
#include "terminal/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool contender_on_cpu(const struct contender *contender)
{
    return strcmp(contender->device, "cpu") == 0;
}

bool contender_is_best(const struct contender *contender)
{
    return strcmp(contender->strategy, "best") == 0 ||
           strcmp(contender->strategy, "best:planar") == 0;
}

const char *scope_name(enum scope scope)
{
    static const char *const names[SCOPE_COUNT] = {"kernel", "transfer", "call", "first"};
    return names[scope];
}

const char *result_status_name(enum result_status status)
{
    static const char *const names[] = {"ok", "wrong", "refused", "left out"};
    return names[status];
}

const char *layout_name(swathe_layout layout)
{
    return layout == SWATHE_PLANAR ? "planar" : "interleaved";
}

void result_label(const struct result *result, char *text, size_t size)
{
    const struct contender *c = &result->contender;
    char block[16] = "", threads[32] = "";
    if (c->block > 0)
        snprintf(block, sizeof block, ":%d", c->block);
    if (contender_on_cpu(c))
        snprintf(threads, sizeof threads, ", %d thread%s", c->threads, c->threads > 1 ? "s" : "");
    snprintf(text, size, "%s%s on %s%s%s", c->strategy, block, c->device, threads,
             result->as_pixels ? ", as pixels" : "");
}

void problem_label(const struct problem *p, char *text, size_t size)
{
    const char *slash = strrchr(p->image, '/');
    snprintf(text, size, "%s %s%s%" PRId64 "x%" PRId64 "x%d %s %s %s", p->filter,
             slash ? slash + 1 : p->image, *p->image ? " " : "", p->width, p->height, p->channels,
             value_type_name(p->type), layout_name(p->layout), p->border);
    message_clean(text);
}

static bool bench_result_grow(struct samples *samples)
{
    int64_t room = samples->room ? samples->room * 2 : 16;
    double *wall = realloc(samples->wall, (size_t)room * sizeof *wall);
    if (wall)
        samples->wall = wall;
    double *cpu = realloc(samples->cpu, (size_t)room * sizeof *cpu);
    if (cpu)
        samples->cpu = cpu;
    int32_t *visit = realloc(samples->visit, (size_t)room * sizeof *visit);
    if (visit)
        samples->visit = visit;
    if (!wall || !cpu || !visit)
        return false;
    samples->room = room;
    return true;
}

bool samples_add(struct samples *samples, double wall, double cpu, int32_t visit)
{
    if (samples->count == samples->room && !bench_result_grow(samples))
        return false;
    samples->wall[samples->count] = wall;
    samples->cpu[samples->count] = cpu;
    samples->visit[samples->count++] = visit;
    return true;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double samples_median(const struct samples *samples)
{
    int64_t count = samples->count;
    size_t size = (size_t)count * sizeof(double);
    double *sorted = count ? malloc(size) : NULL, middle = 0;
    if (sorted) {
        memcpy(sorted, samples->wall, size);
        qsort(sorted, (size_t)count, sizeof *sorted, by_value);
        middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    }
    free(sorted);
    return middle;
}

void samples_free(struct samples *samples)
{
    free(samples->wall);
    free(samples->cpu);
    free(samples->visit);
    *samples = (struct samples){0};
}

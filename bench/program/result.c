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

const char *phase_name(enum phase phase)
{
    static const char *const names[PHASE_COUNT] = {"plan",     "result",  "allocate",
                                                   "gather",   "upload",  "kernels",
                                                   "download", "scatter", "release"};
    return names[phase];
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
    char block[16] = "", threads[32] = "", name[RESULT_FILTER] = "";
    if (c->block > 0)
        snprintf(block, sizeof block, ":%d", c->block);
    if (contender_on_cpu(c))
        snprintf(threads, sizeof threads, ", %d thread%s", c->threads, c->threads > 1 ? "s" : "");
    if (result->replaced)
        snprintf(name, sizeof name, " (ran %s)", result->algorithm);
    else if (result->variant)
        snprintf(name, sizeof name, " (%s)", result->variant);
    snprintf(text, size, "%s%s%s on %s%s%s", c->strategy, block, name, c->device, threads,
             result->as_pixels ? ", as pixels" : "");
}

void problem_label(const struct problem *p, char *text, size_t size)
{
    const char *slash = strrchr(p->image, '/');
    bool other = *p->arithmetic && strcmp(p->arithmetic, "contract") != 0;
    snprintf(text, size, "%s %s%s%" PRId64 "x%" PRId64 "x%d %s %s %s%s%s%s", p->filter,
             slash ? slash + 1 : p->image, *p->image ? " " : "", p->width, p->height, p->channels,
             value_type_name(p->type), layout_name(p->layout), p->border, other ? " " : "",
             other ? p->arithmetic : "", p->padded ? " padded" : "");
    message_clean(text);
}

bool samples_add(struct samples *samples, const struct sample *sample)
{
    if (samples->count == samples->room) {
        int64_t room = samples->room ? samples->room * 2 : 16;
        struct sample *at = realloc(samples->at, (size_t)room * sizeof *at);
        if (!at)
            return false;
        samples->at = at;
        samples->room = room;
    }
    samples->at[samples->count++] = *sample;
    return true;
}

static int by_wall(const void *a, const void *b)
{
    double x = ((const struct sample *)a)->wall, y = ((const struct sample *)b)->wall;
    return (x > y) - (x < y);
}

double samples_median(const struct samples *samples)
{
    int64_t count = samples->count;
    size_t size = (size_t)count * sizeof *samples->at;
    struct sample *sorted = count ? malloc(size) : NULL;
    double middle = 0;
    if (sorted) {
        memcpy(sorted, samples->at, size);
        qsort(sorted, (size_t)count, sizeof *sorted, by_wall);
        middle = (sorted[(count - 1) / 2].wall + sorted[count / 2].wall) / 2;
    }
    free(sorted);
    return middle;
}

void samples_free(struct samples *samples)
{
    free(samples->at);
    *samples = (struct samples){0};
}

#include "agenda.h"

#include "baseline.h"
#include "commands/known_words.h"
#include "commands/value.h"
#include "terminal/message.h"
#include "variant.h"
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Experiments ----------------------------------------------------------------------------- */

static const struct experiment experiments[] = {
#define EXPERIMENT(suite, name, title, x, plots, runs, assumed, space)                             \
    {suite, name, title, x, plots, assumed, space, runs},
#include "experiment.def"
#undef EXPERIMENT
};

const struct experiment *experiment_at(int index)
{
    int count = (int)(sizeof experiments / sizeof *experiments);
    return index >= 0 && index < count ? &experiments[index] : NULL;
}

const char *experiment_id(const struct experiment *experiment, char text[64])
{
    snprintf(text, 64, *experiment->name ? "%s/%s" : "%s", experiment->suite, experiment->name);
    return text;
}

bool experiment_in(const struct experiment *experiment, const char *suite)
{
    char id[64];
    if (strcmp(suite, "reports") == 0)
        return strncmp(experiment->suite, "report-", 7) == 0;
    return strcmp(suite, experiment->suite) == 0 ||
           strcmp(suite, experiment_id(experiment, id)) == 0;
}

enum { PROBLEMS_MOST = 10000 };

/* ---- Problems -------------------------------------------------------------------------------- */

/* Copies `text` with {k} replaced by the mask size. */
static int fill_in(const char *text, int64_t k, char to[RESULT_FILTER])
{
    int length = 0;
    while (*text && length < RESULT_FILTER - 1) {
        bool here = strncmp(text, "{k}", 3) == 0;
        if (here)
            length += snprintf(to + length, (size_t)(RESULT_FILTER - length), "%lld", (long long)k);
        else
            to[length++] = *text;
        text += here ? 3 : 1;
    }
    if (*text || length >= RESULT_FILTER)
        return complain(SWATHE_ERROR_LIMIT, "a chain to measure may have at most %d characters",
                        RESULT_FILTER - 1);
    to[length] = '\0';
    return 0;
}

/* Takes size, type and channels from an image file. */
static int set_image(const char *path, struct problem *problem)
{
    swathe_shape shape = {0};
    swathe_status status = own_image_shape(path, &shape);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    snprintf(problem->image, sizeof problem->image, "%s", path);
    problem->width = shape.width;
    problem->height = shape.height;
    problem->channels = shape.channels;
    problem->type = shape.type;
    problem->alpha = shape.alpha;
    return 0;
}

/* "640x480", or "640" for a square. */
static int agenda_set_size(const char *text, struct problem *problem)
{
    char width[24];
    size_t length = strcspn(text, "x");
    snprintf(width, sizeof width, "%.*s", (int)(length < sizeof width ? length : 0), text);
    bool good = value_count(width, &problem->width);
    problem->height = problem->width;
    if (good && text[length])
        good = value_count(text + length + 1, &problem->height);
    if (good && problem->width > 0 && problem->height > 0)
        return 0;
    return complain(SWATHE_ERROR_ARGUMENT,
                    "'%s' is not an image size: write WIDTHxHEIGHT, or one number for a square",
                    text);
}

static int set_type(const char *text, struct problem *problem)
{
    problem->type = value_type(text);
    if (problem->type == SWATHE_TYPE_DEFAULT)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "'%s' is not a sample type: u8, u16, s16, u32, s32, f32 or f64", text);
    return 0;
}

static int agenda_set_layout(const char *text, struct problem *problem)
{
    problem->layout = strcmp(text, "planar") == 0 ? SWATHE_PLANAR : SWATHE_INTERLEAVED;
    if (problem->layout == SWATHE_INTERLEAVED && strcmp(text, "interleaved") != 0)
        return complain(SWATHE_ERROR_ARGUMENT, "'%s' is not a layout: interleaved or planar", text);
    return 0;
}

static int agenda_set_held(const char *text, struct problem *problem)
{
    problem->padded = strcmp(text, "padded") == 0;
    if (!problem->padded && strcmp(text, "plain") != 0)
        return complain(SWATHE_ERROR_ARGUMENT, "'%s' is not a way to hold images: plain or padded",
                        text);
    if (problem->padded && problem->layout != SWATHE_PLANAR)
        return complain(SWATHE_ERROR_ARGUMENT, "held=padded is for planes; add --layout planar");
    return 0;
}

/* ---- Contenders ------------------------------------------------------------------------------ */

static bool cpu_knows(const char *strategy)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    return strcmp(strategy, "best") == 0 || baseline_way(strategy) ||
           known_words_entry(SWATHE_TABLE_ALGORITHMS, strategy, &entry);
}

static bool gpu_knows(const char *strategy)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    return known_words_entry(SWATHE_TABLE_STRATEGIES, strategy, &entry);
}

struct strategy_word {
    char name[RESULT_NAME],
        full[RESULT_NAME]; /* "tiled"; "tiled:runtime:planar", without the block */
    int32_t block;         /* 0: none is given */
    bool good, plain;      /* plain: nothing follows the name */
};

/* Parses a name and what can follow it, in any order: ":16", ":planar" and ":runtime". */
static struct strategy_word read_strategy(const char *text)
{
    struct strategy_word word = {.good = true};
    size_t length = strcspn(text, ":");
    bool planar = false, runtime = false;
    snprintf(word.name, RESULT_NAME, "%.*s", (int)(length < RESULT_NAME ? length : RESULT_NAME - 1),
             text);
    word.plain = text[length] == '\0';
    for (text += length; *text == ':' && word.good; text += length) {
        char part[RESULT_NAME];
        int64_t block = 0;
        length = strcspn(++text, ":");
        snprintf(part, sizeof part, "%.*s", (int)(length < sizeof part ? length : 0), text);
        if (strcmp(part, "planar") == 0 && !planar)
            planar = true;
        else if (strcmp(part, "runtime") == 0 && !runtime)
            runtime = true;
        else if (word.block == 0 && value_count(part, &block) && block > 0 && block <= BLOCK_MOST)
            word.block = (int32_t)block;
        else
            word.good = false;
    }
    if (snprintf(word.full, RESULT_NAME, "%.40s%s%s", word.name, runtime ? ":runtime" : "",
                 planar ? ":planar" : "") >= RESULT_NAME)
        word.good = false;
    return word;
}

bool agenda_knows(const char *strategy)
{
    struct strategy_word word = read_strategy(strategy);
    return word.good && (gpu_knows(word.name) || (word.plain && cpu_knows(word.name)));
}

static int check_strategy(const char *text)
{
    struct nearest nearest;
    struct strategy_word word = read_strategy(text);
    const char *strategy = word.name;
    if (!word.good || (!word.plain && !gpu_knows(strategy)))
        return complain(SWATHE_ERROR_ARGUMENT,
                        "'%s': a block of 8 to %d and the words planar and runtime can follow the "
                        "name of a GPU strategy, as in tiled:16:planar; CPU strategies take none",
                        text, BLOCK_MOST);
    if (agenda_knows(text))
        return 0;
    nearest_start(&nearest, strategy);
    for (int i = 0; baseline_way_at(i); i++)
        nearest_offer(&nearest, baseline_way_at(i)->name);
    for (int i = 0; variant_at(i); i++)
        nearest_offer(&nearest, variant_at(i)->name);
    nearest_offer_words(&nearest, "@algorithms");
    nearest_offer_words(&nearest, "@strategies");
    return complain_unknown("strategy", &nearest, "swathe help bench");
}

static bool agenda_add_result(struct agenda *agenda, const struct problem *problem,
                              const char *device, const char *strategy, int32_t block,
                              int32_t threads)
{
    if (agenda->count == RESULTS_MOST)
        return false;
    if (agenda->count == agenda->room) {
        int64_t room = agenda->room ? agenda->room * 2 : 64;
        struct result *results = realloc(agenda->results, (size_t)room * sizeof *results);
        if (!results)
            return false;
        agenda->results = results;
        agenda->room = room;
    }
    struct result *result = &agenda->results[agenda->count++];
    *result = (struct result){.experiment = agenda->experiment_count - 1,
                              .group = agenda->groups,
                              .problem = *problem,
                              .runs_each = 1,
                              .contender = {.block = block, .threads = threads}};
    snprintf(result->contender.device, RESULT_NAME, "%s", device);
    snprintf(result->contender.strategy, RESULT_NAME, "%s", strategy);
    const struct variant *variant =
        variant_of(agenda->experiments[agenda->experiment_count - 1].suite, strategy);
    result->variant = variant ? variant->name : NULL;
    return true;
}

/* Adds the results of one strategy on one device: one per number of threads on the CPU, one per
 * thread block size on a GPU. */
static bool add_strategy(struct agenda *agenda, const struct problem *problem,
                         const struct space *space, const char *device, const char *text)
{
    struct strategy_word word = read_strategy(text);
    bool cpu = strcmp(device, "cpu") == 0, best = strcmp(word.name, "best") == 0;
    const struct baseline_way *way = baseline_way(word.name);
    if (cpu ? !word.plain || !cpu_knows(word.name) : !gpu_knows(word.name))
        return true;
    if ((way && !way->parallel) || (!cpu && (best || word.block > 0)))
        return agenda_add_result(agenda, problem, device, word.full, word.block, 1);
    const struct numbers *values = cpu ? &space->threads : &space->blocks;
    agenda->uses_block |= !cpu;
    for (int i = 0; i < values->count; i++)
        if (!agenda_add_result(agenda, problem, device, word.full, cpu ? 0 : (int32_t)values->at[i],
                               cpu ? (int32_t)values->at[i] : 1))
            return false;
    return true;
}

static int add_group(struct agenda *agenda, const struct problem *problem,
                     const struct space *space)
{
    int64_t before = agenda->count;
    for (int d = 0; d < space->devices.count; d++)
        for (int s = 0; s < space->strategies.count; s++)
            if (!add_strategy(agenda, problem, space, space->devices.at[d],
                              space->strategies.at[s]))
                return complain(SWATHE_ERROR_LIMIT,
                                "there are more than %d contenders, or not enough memory for "
                                "them; shorten the lists",
                                RESULTS_MOST);
    if (agenda->count == before)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "no given strategy runs on device %s; name another with --strategy or "
                        "--device",
                        space->devices.at[0]);
    agenda->groups++;
    return 0;
}

/* ---- Combinations ---------------------------------------------------------------------------- */

double problem_work(const struct problem *problem)
{
    double edge = problem->k > 0 ? problem->k : 11; /* the reports' chain has about 11 x 11 taps */
    return (double)problem->width * (double)problem->height * problem->channels * edge * edge;
}

static int by_work(const void *a, const void *b)
{
    const struct problem *p = a, *q = b;
    double x = problem_work(p), y = problem_work(q);
    return (x > y) - (x < y);
}

/* The mask size of a filter such as "box:9", taken from its text: problems are sorted by it before
 * chains are parsed. */
static int32_t edge_of(const char *filter, int64_t k)
{
    const char *colon = strchr(filter, ':');
    if (k > 0)
        return (int32_t)k;
    if (strchr(filter, ','))
        return 0;
    return colon && colon[1] >= '0' && colon[1] <= '9' ? (int32_t)strtol(colon + 1, NULL, 10) : 3;
}

static int check_space(const struct space *space)
{
    int code = 0;
    for (int i = 0; i < space->strategies.count && code == 0; i++)
        code = check_strategy(space->strategies.at[i]);
    for (int i = 0; i < space->devices.count && code == 0; i++)
        if (strcmp(space->devices.at[i], "auto") == 0)
            code = complain(SWATHE_ERROR_ARGUMENT, "device auto cannot be measured; name the "
                                                   "devices, as in cpu,opencl:0");
    if (code == 0 && space->denses.count > 0 && space->denses.count != space->filters.count)
        code = complain(SWATHE_ERROR_ARGUMENT,
                        "--scan dense= has %d chains and filter= has %d; give one for each filter",
                        space->denses.count, space->filters.count);
    return code;
}

struct cursor {
    int filter, k, size, channels, type, layout, border, arithmetic, held;
};

/* Advances to the next combination; false after the last. */
static bool agenda_step(const struct space *space, struct cursor *at)
{
    int *const digits[] = {&at->k,      &at->size,   &at->channels,   &at->type,
                           &at->layout, &at->border, &at->arithmetic, &at->held};
    const int counts[] = {strstr(space->filters.at[at->filter], "{k}") ? space->sizes_k.count : 1,
                          space->sizes.count,
                          space->channels.count,
                          space->types.count,
                          space->layouts.count,
                          space->borders.count,
                          space->arithmetics.count,
                          space->helds.count};
    for (int i = 0; i < 8; i++) {
        if (++*digits[i] < counts[i])
            return true;
        *digits[i] = 0;
    }
    return ++at->filter < space->filters.count;
}

static int problem_of(const struct space *space, const struct cursor *at, struct problem *problem)
{
    const char *filter = space->filters.at[at->filter];
    int64_t k = strstr(filter, "{k}") ? space->sizes_k.at[at->k] : 0;
    int code = fill_in(filter, k, problem->filter);
    if (code == 0 && space->denses.count > 0)
        code = fill_in(space->denses.at[at->filter], k, problem->dense);
    problem->k = edge_of(problem->filter, k);
    problem->channels = (int32_t)space->channels.at[at->channels];
    snprintf(problem->border, sizeof problem->border, "%s", space->borders.at[at->border]);
    if (code == 0 && space->images)
        code = set_image(space->sizes.at[at->size], problem);
    else if (code == 0 && (code = agenda_set_size(space->sizes.at[at->size], problem)) == 0)
        code = set_type(space->types.at[at->type], problem);
    code = code != 0 ? code : agenda_set_layout(space->layouts.at[at->layout], problem);
    snprintf(problem->arithmetic, sizeof problem->arithmetic, "%s",
             space->arithmetics.at[at->arithmetic]);
    return code != 0 ? code : agenda_set_held(space->helds.at[at->held], problem);
}

/* The repetitions that the report states for this problem of `count`: one number for all problems,
 * or one for each. */
static int64_t stated_runs(const struct result *result, const char *runs, int64_t problem,
                           int64_t count)
{
    const struct baseline_way *way = baseline_way(result->contender.strategy);
    const char *bar = strchr(runs, '|');
    char gpus[64];
    struct numbers numbers;
    snprintf(gpus, sizeof gpus, "%.*s", bar ? (int)(bar - runs) : 63, runs);
    if (!result->variant || !list_numbers(bar && way ? bar + 1 : gpus, &numbers))
        return 0;
    return numbers.count == 1 ? numbers.at[0] : numbers.count == count ? numbers.at[problem] : 0;
}

/* The number of combinations, at most PROBLEMS_MOST + 1. */
static int64_t problem_count(const struct space *space)
{
    struct cursor at = {0};
    int64_t count = 1;
    while (count <= PROBLEMS_MOST && agenda_step(space, &at))
        count++;
    return count;
}

int agenda_add(struct agenda *agenda, const struct experiment *experiment,
               const struct space *space)
{
    int code = check_space(space);
    if (code != 0)
        return code;
    if (agenda->experiment_count == AGENDA_EXPERIMENTS)
        return complain(SWATHE_ERROR_LIMIT, "there are more than %d experiments",
                        AGENDA_EXPERIMENTS);
    int64_t count = problem_count(space), made = 0;
    if (count > PROBLEMS_MOST)
        return complain(SWATHE_ERROR_LIMIT,
                        "there are more than %d problems to measure; shorten the lists",
                        PROBLEMS_MOST);
    int32_t first = agenda->groups;
    struct problem *problems = calloc((size_t)count, sizeof *problems);
    if (!problems)
        return complain(SWATHE_ERROR_MEMORY, "not enough memory for %lld problems",
                        (long long)count);
    agenda->experiments[agenda->experiment_count++] = *experiment;
    for (int i = 0; i < space->filters.count; i++)
        agenda->uses_k |= strstr(space->filters.at[i], "{k}") != NULL;
    struct cursor at = {0};
    do
        code = problem_of(space, &at, &problems[made++]);
    while (code == 0 && agenda_step(space, &at));
    qsort(problems, (size_t)made, sizeof *problems, by_work);
    for (int64_t i = 0; i < made && code == 0; i++)
        code = add_group(agenda, &problems[i], space);
    for (int64_t i = 0; i < agenda->count && code == 0; i++)
        if (agenda->results[i].group >= first)
            agenda->results[i].stated = stated_runs(&agenda->results[i], experiment->runs,
                                                    agenda->results[i].group - first, made);
    free(problems);
    return code;
}

int64_t agenda_count(const struct agenda *agenda, int experiment, enum result_status status)
{
    int64_t count = 0;
    for (int64_t i = 0; i < agenda->count; i++)
        count += agenda->results[i].status == status &&
                 (experiment < 0 || agenda->results[i].experiment == experiment);
    return count;
}

void agenda_free(struct agenda *agenda)
{
    for (int64_t i = 0; i < agenda->count; i++)
        for (int s = 0; s < SCOPE_COUNT; s++)
            samples_free(&agenda->results[i].scopes[s]);
    free(agenda->results);
    *agenda = (struct agenda){0};
}

#include "agenda.h"

#include "variant.h"
#include "workload.h"

#include "commands/known_words.h"
#include "commands/options.h"
#include "terminal/message.h"

#include <stdio.h>
#include <string.h>

static struct space space; /* too large for a stack */

/* Options that set one list. */
static const struct {
    enum option_id id;
    const char *key;
} lists[] = {{OPTION_BENCH_DEVICE, "device"},
             {OPTION_BENCH_STRATEGY, "strategy"},
             {OPTION_BENCH_THREADS, "threads"},
             {OPTION_BENCH_TYPE, "type"},
             {OPTION_LAYOUT, "layout"},
             {OPTION_BENCH_BORDER, "border"},
             {OPTION_SIZE, "size"}};

/* Replaces lists of the suite by those of the command line. */
static int take_lists(const struct options *options)
{
    int code = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && code == 0; i++)
        if (options_has(options, lists[i].id))
            code = space_set_key(&space, lists[i].key, options_text(options, lists[i].id));
    for (int i = 0; i < options->scan_count && code == 0; i++)
        code = space_set(&space, options->scans[i]);
    return code;
}

/* True if an option or --scan sets one of these lists. */
static bool asked_gives(const struct options *options, const char *keys)
{
    char key[32];
    bool found = false;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        found |=
            options_has(options, lists[i].id) && word_listed(keys, ' ', lists[i].key, strncasecmp);
    for (int i = 0; i < options->scan_count; i++) {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(options->scans[i], "="), options->scans[i]);
        found |= word_listed(keys, ' ', key, strncasecmp);
    }
    return found;
}

/* Published times apply only to the suite's own values of these keys. Sizes are not among them,
 * because published times are looked up by size. */
#define PUBLISHED_KEYS "filter dense k channels type layout border arithmetic held"

/* Replaces a report's name by our strategy: one of `suite`, or, if it is NULL, of any report unless
 * we have a strategy of that name. */
static int asked_take_variant(const char *suite, char *name)
{
    const struct variant *other, *found = variant_named(suite, name, &other);
    if ((!suite || !found) && agenda_knows(name))
        return 0;
    if (!found) {
        found = variant_named(NULL, name, &other);
        return found ? complain(SWATHE_ERROR_ARGUMENT,
                                "'%s' is %s in %s, and %s has nothing of that name; write the "
                                "strategy",
                                name, found->strategy, found->suite, suite)
                     : 0;
    }
    if (other)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "'%s' is %s in %s and %s in %s; write one of these strategies, or add "
                        "--suite",
                        name, found->strategy, found->suite, other->strategy, other->suite);
    snprintf(name, LIST_WORD, "%s", found->strategy);
    return 0;
}

static int asked_take_variants(const char *suite)
{
    int code = 0;
    for (int i = 0; i < space.strategies.count && code == 0; i++)
        code = asked_take_variant(suite, space.strategies.at[i]);
    return code;
}

/* The arithmetic of a report is that of its type, and padded planes are planes. The number of runs
 * that it states applies only to its own problems. */
static int add_experiment(const struct options *options, const struct experiment *experiment,
                          struct agenda *agenda)
{
    struct experiment asked = *experiment;
    space = (struct space){0};
    int code = *experiment->space ? space_set_all(&space, experiment->space) : 0;
    if (asked_gives(options, "type"))
        space.arithmetics.count = 0;
    if (asked_gives(options, "layout"))
        space.helds.count = 0;
    code = code != 0 ? code : take_lists(options);
    if (asked_gives(options, "strategy"))
        code = code != 0 ? code : asked_take_variants(experiment->suite);
    space_fill(&space);
    if (asked_gives(options, PUBLISHED_KEYS " size block"))
        asked.runs = "";
    return code != 0 ? code : agenda_add(agenda, &asked, &space);
}

static int unknown_suite(const char *name)
{
    struct nearest nearest;
    char id[64];
    nearest_start(&nearest, name);
    nearest_offer(&nearest, "reports");
    for (int i = 0; experiment_at(i); i++) {
        nearest_offer(&nearest, experiment_at(i)->suite);
        nearest_offer(&nearest, experiment_id(experiment_at(i), id));
    }
    return complain_unknown("suite", &nearest, "swathe bench --list");
}

static int add_suite(const struct options *options, const char *name, struct agenda *agenda)
{
    int code = 0;
    const struct experiment *experiment;
    for (int i = 0; (experiment = experiment_at(i)) && code == 0; i++)
        if (experiment_in(experiment, name))
            code = add_experiment(options, experiment, agenda);
    return code == 0 && agenda->experiment_count == 0 ? unknown_suite(name) : code;
}

/* A chain with {k} needs values for it. */
static int check_k(void)
{
    for (int i = 0; space.sizes_k.count == 0 && i < space.filters.count; i++)
        if (strstr(space.filters.at[i], "{k}"))
            return complain(SWATHE_ERROR_ARGUMENT,
                            "'%s': give the values of {k} with --scan k=LIST, as in "
                            "--scan k=3..31:2",
                            space.filters.at[i]);
    return 0;
}

/* Arguments from here on are image files: those after the chains, or all with --scan filter=. */
static int first_image(const struct options *options)
{
    int first = asked_gives(options, "filter") ? 0 : 1;
    while (first < options->argument_count && !own_image_is(options->arguments[first]))
        first++;
    return first < options->argument_count ? first : options->argument_count;
}

static int asked_take_images(const struct options *options, int first)
{
    int count = options->argument_count - first;
    if (count == 0)
        return 0;
    if (space.sizes.count > 0 || space.types.count > 0 || space.channels.count > 0)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "%s: an image file has its own size, type and channels; omit --size, "
                        "--type and --scan channels=",
                        options->arguments[first]);
    if (count > LIST_MOST)
        return complain(SWATHE_ERROR_LIMIT, "%d images to measure; give at most %d at a time",
                        count, LIST_MOST);
    for (int i = 0; i < count; i++) {
        if (strlen(options->arguments[first + i]) >= LIST_WORD)
            return complain(SWATHE_ERROR_LIMIT,
                            "%s: the path of an image may have at most %d characters",
                            options->arguments[first + i], LIST_WORD - 1);
        snprintf(space.sizes.at[i], LIST_WORD, "%s", options->arguments[first + i]);
    }
    space.sizes.count = count;
    space.images = true;
    return 0;
}

/* The chains of the command line, or the one of --scan filter=. */
static int add_scan(const struct options *options, struct agenda *agenda)
{
    static char chains[16 * RESULT_FILTER];
    static const struct experiment scan = {
        .suite = "scan",
        .name = "",
        .title = "Chains of the command line",
        .plots = "time speedup bandwidth strategies transfer roofline",
        .assumed = "",
        .space = "",
        .runs = "",
    };
    int images = first_image(options);
    size_t length = 0;
    space = (struct space){0};
    for (int i = 0; i < images && length < sizeof chains; i++)
        length += (size_t)snprintf(chains + length, sizeof chains - length, i ? "|%s" : "%s",
                                   options->arguments[i]);
    if (images == 1 && own_image_is(options->arguments[0]))
        return complain(SWATHE_ERROR_ARGUMENT,
                        "%s: give a chain before the image, as in `swathe bench gaussian:9 %s`",
                        options->arguments[0], options->arguments[0]);
    if (length >= sizeof chains)
        return complain(SWATHE_ERROR_LIMIT, "the chains to measure may have at most %d characters",
                        (int)sizeof chains - 1);
    int code = length ? space_set_key(&space, "filter", chains) : 0;
    code = code != 0 ? code : take_lists(options);
    code = code != 0 ? code : asked_take_variants(NULL);
    code = code != 0 ? code : asked_take_images(options, images);
    if (code == 0 && space.filters.count == 0)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "nothing to measure: give a chain, as in `swathe bench gaussian:9`, or "
                        "--suite quick");
    code = code != 0 ? code : check_k();
    space_fill(&space);
    struct experiment own = scan;
    own.x = space.sizes_k.count > 1   ? "k"
            : space.blocks.count > 1  ? "block"
            : space.filters.count > 1 ? "filter"
                                      : "pixels";
    return code != 0 ? code : agenda_add(agenda, &own, &space);
}

/* A list without effect, or given twice, is an error. */
static int asked_check_scans(const struct options *options, const struct agenda *agenda)
{
    for (int i = 0; i < options->scan_count; i++)
        for (int k = 0; k < i; k++) {
            size_t length = strcspn(options->scans[i], "=") + 1;
            if (strncmp(options->scans[i], options->scans[k], length) == 0)
                return complain(SWATHE_ERROR_ARGUMENT, "--scan %.*s was given twice; give one list",
                                (int)length, options->scans[i]);
        }
    if (asked_gives(options, "k") && !agenda->uses_k)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "--scan k= has no effect: no chain contains {k}, as in dense:{k}");
    if (asked_gives(options, "block") && !agenda->uses_block)
        return complain(
            SWATHE_ERROR_ARGUMENT,
            "--scan block= has no effect: no strategy takes a block; name one of a GPU, as "
            "in --device opencl:0 --strategy tiled");
    return 0;
}

int asked_agenda(const struct options *options, struct agenda *agenda)
{
    const char *suite = options_text(options, OPTION_SUITE);
    if (suite && options->argument_count > 0)
        return complain(SWATHE_ERROR_ARGUMENT, "give a chain or --suite, not both");
    int code = suite ? add_suite(options, suite, agenda) : add_scan(options, agenda);
    return code != 0 ? code : asked_check_scans(options, agenda);
}

bool asked_overrides(const struct options *options)
{
    return asked_gives(options, PUBLISHED_KEYS);
}

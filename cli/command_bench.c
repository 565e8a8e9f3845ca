#include "bench/baseline.h"
#include "bench/compare_runs.h"
#include "bench/output_folder.h"
#include "bench/own_image.h"
#include "bench/session.h"
#include "bench/workload.h"
#include "bench/write_json.h"
#include "bench/write_summary.h"
#include "bench/write_table.h"
#include "interrupt.h"
#include "message.h"
#include "options.h"
#include "value.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct space space; /* too large for a stack */

/* ---- What to measure ------------------------------------------------------------------------- */

/* Options that are lists of their own. */
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

/* They go over those of the suite. */
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

/* Does an option or --scan give one of these lists? */
static bool gives(const struct options *options, const char *keys)
{
    char key[32];
    bool found = false;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        found |= options_has(options, lists[i].id) && words_listed(keys, " ", lists[i].key);
    for (int i = 0; i < options->scan_count; i++) {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(options->scans[i], "="), options->scans[i]);
        found |= words_listed(keys, " ", key);
    }
    return found;
}

/* Published figures are about a suite's own problems, sizes aside: those are looked up. */
#define PUBLISHED_KEYS "filter dense k channels type layout border"

/* The runs that a report states are those of its own problems and strategies. */
static int add_experiment(const struct options *options, const struct experiment *experiment,
                          struct agenda *agenda)
{
    struct experiment asked = *experiment;
    space = (struct space){0};
    int code = *experiment->space ? space_set_all(&space, experiment->space) : 0;
    code = code != 0 ? code : take_lists(options);
    space_fill(&space);
    if (gives(options, PUBLISHED_KEYS " size strategy block"))
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
    if (nearest_found(&nearest))
        return complain(SWATHE_ERROR_ARGUMENT, "unknown suite '%s'; did you mean %s?", name,
                        nearest_found(&nearest));
    return complain(SWATHE_ERROR_ARGUMENT, "unknown suite '%s'; `swathe bench --list` shows them",
                    name);
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
                            "'%s': {k} stands for values that --scan k=LIST gives, as in "
                            "--scan k=3..31:2",
                            space.filters.at[i]);
    return 0;
}

/* Arguments from here on are image files: those after the chains, or all with --scan filter=. */
static int first_image(const struct options *options)
{
    int first = gives(options, "filter") ? 0 : 1;
    while (first < options->argument_count && !own_image_is(options->arguments[first]))
        first++;
    return first < options->argument_count ? first : options->argument_count;
}

static int take_images(const struct options *options, int first)
{
    int count = options->argument_count - first;
    if (count == 0)
        return 0;
    if (space.sizes.count > 0 || space.types.count > 0 || space.channels.count > 0)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "%s: an image is measured as it is; leave out --size, --type and "
                        "--scan channels=",
                        options->arguments[first]);
    if (count > LIST_MOST)
        return complain(SWATHE_ERROR_LIMIT, "%d images to measure; at most %d at a time", count,
                        LIST_MOST);
    for (int i = 0; i < count; i++) {
        if (strlen(options->arguments[first + i]) >= LIST_WORD)
            return complain(SWATHE_ERROR_LIMIT, "%s: a path to measure has at most %d characters",
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
    static char chains[16 * ROW_FILTER];
    static const struct experiment scan = {
        .suite = "scan",
        .name = "",
        .title = "What was asked for",
        .plots = "time speedup bandwidth strategies transfer roofline",
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
        return complain(SWATHE_ERROR_LIMIT, "the chains to measure are too long together");
    int code = length ? space_set_key(&space, "filter", chains) : 0;
    code = code != 0 ? code : take_lists(options);
    code = code != 0 ? code : take_images(options, images);
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

static int list_suites(void)
{
    char id[64];
    printf("Suites (--suite NAME, or one experiment of it):\n");
    printf("  %-22s%s\n", "reports", "all of report-000 to report-004");
    for (int i = 0; experiment_at(i); i++)
        printf("  %-22s%s\n", experiment_id(experiment_at(i), id), experiment_at(i)->title);
    printf("The reports' loops (--strategy NAME):\n");
    for (int i = 0; baseline_way_at(i); i++)
        printf("  %-22s%s\n", baseline_way_at(i)->name, baseline_way_at(i)->summary);
    return 0;
}

/* ---- How ------------------------------------------------------------------------------------- */

static int take_settings(const struct options *options, struct settings *s)
{
    const char *memory = options_text(options, OPTION_MEMORY);
    const char *suite = options_text(options, OPTION_SUITE);
    bool quick = suite && strncmp(suite, "quick", 5) == 0;
    *s =
        (struct settings){.seconds = 0.5, .runs = 10, .visits = 3, .transfer = "pinned", .seed = 1};
    if (options_has(options, OPTION_BUDGET))
        value_duration(options_text(options, OPTION_BUDGET), &s->budget);
    else if (quick)
        s->budget = 40;
    if (options_has(options, OPTION_SECONDS))
        s->seconds = options_number(options, OPTION_SECONDS);
    if (options_has(options, OPTION_RUNS))
        s->runs = options_count(options, OPTION_RUNS);
    if (options_has(options, OPTION_VISITS))
        s->visits = (int32_t)options_count(options, OPTION_VISITS);
    s->cold = options_has(options, OPTION_CACHE) &&
              strcmp(options_text(options, OPTION_CACHE), "cold") == 0;
    if (memory)
        s->pages = strcmp(memory, "fresh") == 0  ? PAGES_FRESH
                   : strcmp(memory, "huge") == 0 ? PAGES_HUGE
                                                 : PAGES_REUSED;
    if (options_has(options, OPTION_TRANSFER))
        s->transfer = options_text(options, OPTION_TRANSFER);
    const char *cpus = options_text(options, OPTION_CPUS);
    if (cpus && !machine_pin(cpus))
        return complain(SWATHE_ERROR_ARGUMENT,
                        "--cpus %s: write CPUs that this process may use, as in 0,2-3", cpus);
    return 0;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* Mistakes in chains, before anything is measured. */
static int check_chain(const struct lab *lab, const char *text, int32_t *k)
{
    swathe_chain *chain = NULL;
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    swathe_status status = workload_chain(lab->context, text, &chain);
    if (status != SWATHE_OK)
        return complain_library(status, text);
    bool one = swathe_chain_stages(chain) == 1;
    if (one && swathe_chain_mask(chain, 0, 0, &mask) == SWATHE_OK)
        *k = mask.width > mask.height ? mask.width : mask.height;
    swathe_chain_destroy(chain);
    return 0;
}

static int check_chains(struct lab *lab)
{
    int code = 0;
    for (int64_t i = 0; i < lab->agenda.count && code == 0; i++) {
        struct problem *problem = &lab->agenda.rows[i].problem;
        if (i > 0 && lab->agenda.rows[i - 1].group == lab->agenda.rows[i].group) {
            problem->k = lab->agenda.rows[i - 1].problem.k;
            continue;
        }
        if (*problem->dense)
            code = check_chain(lab, problem->dense, &problem->k);
        code = code != 0 ? code : check_chain(lab, problem->filter, &problem->k);
    }
    return code;
}

/* Not one row could be measured: the first says why. */
static int check_measured(const struct lab *lab)
{
    for (int64_t i = 0; i < lab->agenda.count; i++)
        if (lab->agenda.rows[i].status == ROW_OK || lab->agenda.rows[i].status == ROW_WRONG)
            return 0;
    return complain(SWATHE_ERROR_UNSUPPORTED, "nothing was measured: %s", lab->agenda.rows->why);
}

static int report(const struct options *options, const struct output_folder *folder,
                  const struct lab *lab)
{
    int64_t wrong = session_wrong(lab);
    int code = output_folder_write(folder, lab);
    if (options_has(options, OPTION_JSON))
        write_json(lab, options->line, stdout);
    else if (!folder->path)
        write_tables(lab, stdout, table_terminal(stdout));
    if (!options_has(options, OPTION_JSON))
        write_summary(lab, stdout);
    if (!options_has(options, OPTION_JSON) && folder->path && code == 0)
        output_folder_show(folder);
    if (wrong > 0)
        complain(SWATHE_OK, "%lld contender%s gave a wrong result and %s not timed",
                 (long long)wrong, wrong > 1 ? "s" : "", wrong > 1 ? "were" : "was");
    if (code == 0 && lab->interrupted)
        return EXIT_SIGNAL + interrupt_caught();
    code = code != 0 ? code : check_measured(lab);
    return code == 0 && wrong > 0 ? EXIT_DIFFERENT : code;
}

static int measure(const struct options *options)
{
    static struct lab lab;
    struct output_folder folder = {.path = options_text(options, OPTION_OUTPUT),
                                   .command = options->line,
                                   .peers = options_text(options, OPTION_PEERS),
                                   .overwrite = options_has(options, OPTION_BENCH_OVERWRITE),
                                   .plots = !options_has(options, OPTION_NO_PLOTS)};
    const char *suite = options_text(options, OPTION_SUITE);
    if (suite && options->argument_count > 0)
        return complain(SWATHE_ERROR_ARGUMENT, "give a chain or --suite, not both");
    int code = take_settings(options, &lab.settings);
    if (code == 0)
        code = suite ? add_suite(options, suite, &lab.agenda) : add_scan(options, &lab.agenda);
    code = code != 0 ? code : output_folder_open(&folder);
    lab.overridden = gives(options, PUBLISHED_KEYS);
    lab.settings.reserve = output_folder_seconds(&folder, &lab.agenda);
    code = code != 0 ? code : lab_open(&lab);
    code = code != 0 ? code : check_chains(&lab);
    if (code == 0) {
        session_run(&lab);
        code = report(options, &folder, &lab);
    }
    lab_close(&lab);
    agenda_free(&lab.agenda);
    return code;
}

int command_bench(const struct options *options)
{
    if (options_has(options, OPTION_LIST))
        return list_suites();
    if (options->argument_count == 0 || strcmp(options->arguments[0], "compare") != 0)
        return measure(options);
    if (options->argument_count != 3)
        return complain(SWATHE_ERROR_ARGUMENT, "bench compare takes two files of bench --output: "
                                               "swathe bench compare A/bench.json B/bench.json");
    return bench_compare(options->arguments[1], options->arguments[2],
                         options_has(options, OPTION_JSON));
}

/* `swathe bench`: measures chains, and compares two measurements. */
#include "agenda.h"
#include "baseline.h"
#include "commands/command_line.h"
#include "commands/value.h"
#include "report.h"
#include "session.h"
#include "terminal/interrupt.h"
#include "terminal/message.h"
#include "variant.h"
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int list_all(void)
{
    char id[64];
    printf("Suites and their experiments (--suite NAME or NAME/EXPERIMENT):\n");
    printf("  %-22s%s\n", "reports", "all of report-000 to report-004");
    for (int i = 0; experiment_at(i); i++)
        printf("  %-22s%s\n", experiment_id(experiment_at(i), id), experiment_at(i)->title);
    printf("What the reports call their variants, with their suite (--strategy NAME):\n");
    for (int i = 0; variant_at(i); i++)
        printf("  %-40s%-26s%s\n", variant_at(i)->name, variant_at(i)->strategy,
               variant_at(i)->suite);
    printf("The reports' loops (--strategy NAME):\n");
    for (int i = 0; baseline_way_at(i); i++)
        printf("  %-22s%s\n", baseline_way_at(i)->name, baseline_way_at(i)->summary);
    printf("Keys (--scan KEY=LIST):\n");
    space_print_keys();
    return 0;
}

/* ---- Settings -------------------------------------------------------------------------------- */

static int take_settings(const struct options *options, struct settings *s)
{
    const char *memory = options_text(options, OPTION_MEMORY);
    const char *suite = options_text(options, OPTION_SUITE);
    bool quick = suite && strncmp(suite, "quick", 5) == 0;
    *s = (struct settings){.seconds = 0.5, .runs = 10, .visits = 3, .seed = 1};
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
                        "--cpus %s: list CPUs that this process may use, as in 0,2-3", cpus);
    return 0;
}

/* ---- The whole run --------------------------------------------------------------------------- */

/* Reports errors in a chain before anything is measured, and finds its mask size. */
static int bench_main_check_chain(const struct bench_run *run, const char *text, int32_t *k)
{
    swathe_chain *chain = NULL;
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    swathe_status status = workload_chain(run->context, text, &chain);
    if (status != SWATHE_OK)
        return complain_library(status, text);
    bool one = swathe_chain_stages(chain) == 1;
    if (one && swathe_chain_mask(chain, 0, 0, &mask) == SWATHE_OK)
        *k = mask.width > mask.height ? mask.width : mask.height;
    swathe_chain_destroy(chain);
    return 0;
}

/* Reports an arithmetic that does not exist, which contenders on the CPU would ignore. */
static int bench_main_check_arithmetic(const struct bench_run *run, const char *name)
{
    struct problem problem = {.width = 1, .height = 1, .channels = 1, .type = SWATHE_U8};
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    snprintf(problem.border, sizeof problem.border, "reflect");
    swathe_status status = workload_chain(run->context, "identity", &chain);
    if (status == SWATHE_OK)
        status = workload_plan(run->context, &problem, chain, name, &plan);
    int code = status == SWATHE_ERROR_ARGUMENT ? complain_library(status, NULL) : 0;
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    return code;
}

static int check_problems(struct bench_run *run)
{
    int code = 0;
    for (int64_t i = 0; i < run->agenda.count && code == 0; i++) {
        struct problem *problem = &run->agenda.results[i].problem;
        if (i > 0 && run->agenda.results[i - 1].group == run->agenda.results[i].group) {
            problem->k = run->agenda.results[i - 1].problem.k;
            continue;
        }
        if (*problem->dense)
            code = bench_main_check_chain(run, problem->dense, &problem->k);
        code = code != 0 ? code : bench_main_check_chain(run, problem->filter, &problem->k);
        code = code != 0 ? code : bench_main_check_arithmetic(run, problem->arithmetic);
    }
    return code;
}

static bool any_measured(const struct bench_run *run)
{
    return agenda_count(&run->agenda, -1, RESULT_OK) > 0 ||
           agenda_count(&run->agenda, -1, RESULT_WRONG) > 0;
}

/* Prints the reasons, but not the same one twice in a row. */
static int complain_unmeasured(const struct bench_run *run)
{
    const struct result *results = run->agenda.results;
    for (int64_t i = 0; i < run->agenda.count; i++)
        if (i == 0 || strcmp(results[i].why, results[i - 1].why) != 0)
            complain(SWATHE_ERROR_UNSUPPORTED, "nothing was measured: %s", results[i].why);
    return SWATHE_ERROR_UNSUPPORTED;
}

static int bench_main_finish(const struct report *report, const struct bench_run *run)
{
    int64_t wrong = agenda_count(&run->agenda, -1, RESULT_WRONG);
    int code = report_write(report, run);
    if (wrong > 0)
        complain(SWATHE_OK, "%lld contender%s gave a wrong result and %s not timed",
                 (long long)wrong, wrong > 1 ? "s" : "", wrong > 1 ? "were" : "was");
    if (code == 0 && run->interrupted)
        return EXIT_SIGNAL + interrupt_caught();
    if (code == 0 && !any_measured(run))
        return complain_unmeasured(run);
    return code == 0 && wrong > 0 ? EXIT_DIFFERENT : code;
}

static int bench_main_measure(const struct options *options)
{
    static struct bench_run run;
    struct report report = {.path = options_text(options, OPTION_OUTPUT),
                            .command = options->line,
                            .peers = options_text(options, OPTION_PEERS),
                            .overwrite = options_has(options, OPTION_BENCH_OVERWRITE),
                            .plots = !options_has(options, OPTION_NO_PLOTS),
                            .json = options_has(options, OPTION_JSON)};
    int code = take_settings(options, &run.settings);
    code = code != 0 ? code : asked_agenda(options, &run.agenda);
    code = code != 0 ? code : report_open(&report);
    run.overridden = asked_overrides(options);
    run.settings.reserve = report_seconds(&report, &run.agenda);
    code = code != 0 ? code : bench_run_open(&run);
    code = code != 0 ? code : check_problems(&run);
    if (code == 0) {
        session_run(&run);
        code = bench_main_finish(&report, &run);
    }
    bench_run_close(&run);
    agenda_free(&run.agenda);
    return code;
}

static int bench_main_run(const struct options *options)
{
    if (options_has(options, OPTION_LIST))
        return list_all();
    if (options->argument_count == 0 || strcmp(options->arguments[0], "compare") != 0)
        return bench_main_measure(options);
    if (options->argument_count != 3)
        return complain(SWATHE_ERROR_ARGUMENT, "bench compare takes two bench.json files of "
                                               "--output, as in swathe bench compare "
                                               "A/bench.json B/bench.json");
    return report_compare(options->arguments[1], options->arguments[2],
                          options_has(options, OPTION_JSON));
}

int main(int argc, char **argv)
{
    command_line_start(&argc, &argv);
    return command_line_end(command_line_run(command_at(COMMAND_BENCH), argc > 0 ? argc - 1 : 0,
                                             argv + 1, bench_main_run));
}

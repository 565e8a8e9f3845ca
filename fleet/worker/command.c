#include "worker/worker.h"

#include "../../src/base/os_machine.h"
#include "fail.h"
#include "options.h"
#include "submit/submit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { GRACE_SECONDS = 30 };

static int32_t usable_cpus(void)
{
    int32_t count = os_cpu_count(), most = os_cgroup_own().cpus;
    return count < most ? count : most;
}

/* Copies the prefixes. Relative paths become absolute, as submit makes those of a set. */
static swathe_status make_absolute(const struct fleet_options *options, char **prefixes)
{
    for (int i = 0; i < options->many_count; i++) {
        const char *given = options->many[i];
        bool whole = store_is_s3(given) || *given == '/';
        TRY(whole ? fleet_copy_text(given, &prefixes[i])
                  : submit_source_url(given, false, &prefixes[i]));
    }
    return SWATHE_OK;
}

/* "host-1234", with characters that a name may have. */
static void own_name(char *name, size_t size)
{
    char host[40] = "worker";
    gethostname(host, sizeof host - 1);
    host[sizeof host - 1] = '\0';
    for (char *at = host; *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", *at))
            *at = '-';
    snprintf(name, size, "%s-%ld", *host ? host : "worker", (long)getpid());
}

/* [ADDRESS:]PORT */
static int read_metrics(const char *text, struct worker_options *worker)
{
    snprintf(worker->metrics_address, sizeof worker->metrics_address, "127.0.0.1");
    worker->metrics_port = -1;
    if (!text)
        return 0;
    const char *colon = strrchr(text, ':');
    const char *digits = colon ? colon + 1 : text;
    char *end;
    long port = strtol(digits, &end, 10);
    if (*end || end == digits || port < 0 || port > 65535 ||
        (colon && (size_t)(colon - text) >= sizeof worker->metrics_address))
        return fleet_complain(SWATHE_ERROR_ARGUMENT,
                              "--metrics: '%s' is not [ADDRESS:]PORT, such as 9100", text);
    if (colon)
        snprintf(worker->metrics_address, sizeof worker->metrics_address, "%.*s",
                 (int)(colon - text), text);
    worker->metrics_port = (int)port;
    return 0;
}

static void read_limits(const struct fleet_options *options, struct worker_options *worker)
{
    worker->max_pixels = fleet_option_count(options, OPTION_MAX_PIXELS, 0);
    worker->max_memory = fleet_option_count(options, OPTION_MAX_MEMORY, 0);
    worker->max_bytes = fleet_option_count(options, OPTION_MAX_FILE, 0);
    worker->cpus = usable_cpus();
    worker->slots = (int32_t)fleet_option_count(options, OPTION_SLOTS, 2 * (int64_t)worker->cpus);
    worker->grace = fleet_option_number(options, OPTION_GRACE, GRACE_SECONDS);
    worker->idle = fleet_option_number(options, OPTION_IDLE, 0);
}

/* Forbids core files of this process, which would contain credentials, and debuggers of the same
 * user. */
static void forbid_core(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    prctl(PR_SET_DUMPABLE, 0, 0, 0,
          0); /* the limit does not hold if a program receives core files */
}

static int run_with(const struct fleet_options *options, char *const *prefixes)
{
    struct worker_options worker = {.set = fleet_option_text(options, OPTION_SET)};
    const char *name = fleet_option_text(options, OPTION_NAME);
    const char *log = fleet_option_text(options, OPTION_LOG);
    if (!fleet_option_given(options, OPTION_ALLOW_CORE))
        forbid_core();
    own_name(worker.name, sizeof worker.name);
    if (name)
        snprintf(worker.name, sizeof worker.name, "%s", name);
    worker.queue.url = fleet_option_text(options, OPTION_QUEUE);
    worker.queue.name = worker.name;
    worker.queue.credentials = fleet_option_text(options, OPTION_CREDENTIALS);
    worker.queue.ca = fleet_option_text(options, OPTION_CA);
    worker.device = fleet_option_text(options, OPTION_DEVICE);
    worker.allow = (struct worker_allow){(const char *const *)prefixes, options->many_count};
    worker.log_json = log && strcmp(log, "json") == 0;
    read_limits(options, &worker);
    int code = read_metrics(fleet_option_text(options, OPTION_METRICS), &worker);
    return code == 0 ? worker_run(&worker) : code;
}

int command_worker(const struct fleet_options *options)
{
    char *prefixes[OPTIONS_MANY] = {NULL};
    swathe_status status = make_absolute(options, prefixes);
    int code = status == SWATHE_OK ? run_with(options, prefixes) : fleet_complain_last(status);
    for (int i = 0; i < options->many_count; i++)
        free(prefixes[i]);
    return code;
}

/* Core files would contain credentials. */

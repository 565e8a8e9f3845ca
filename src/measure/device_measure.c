#include "measure/tune.h"

#include "base/os_clock.h"
#include "measure/time_plan.h"

#include <math.h>
#include <stdio.h>

enum { REPEATS = 5 };

/* A tiny run, one dominated by copies, one dominated by computation. */
static const struct probe {
    const char *problem;
    double bytes, work;
} probes[] = {
    {"shape=32x32x1:u8 chain={mask:(1 2 1; 2 4 2; 1 2 1):normalise}", 2.0 * 32 * 32, 9.0 * 32 * 32},
    {"shape=2048x1024x1:u8 chain={mask:(1 2 1; 2 4 2; 1 2 1):normalise}", 2.0 * 2048 * 1024,
     9.0 * 2048 * 1024},
    {"shape=512x512x1:u8 chain={gaussian:17:dense}", 2.0 * 512 * 512, 289.0 * 512 * 512},
};
enum { PROBES = sizeof probes / sizeof *probes };

static swathe_status best_of(const struct measure *measure, const struct plan *plan, double *ns)
{
    *ns = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        swathe_run_options options = SWATHE_INIT(swathe_run_options);
        double start = clock_now();
        TRY(run_in_memory(measure->memory, measure->pool, plan, &measure->from, &measure->to,
                          &options));
        *ns = fmin(*ns, (clock_now() - start) * 1e9);
    }
    return SWATHE_OK;
}

static swathe_status plan_probe(const struct plan_maker *maker, const char *device, int i,
                                struct plan **plan)
{
    char text[512];
    snprintf(text, sizeof text, "contract=%d device=%.100s %s", SWATHE_CONTRACT, device,
             probes[i].problem);
    return plan_parse(maker, text, plan);
}

static swathe_status device_measure_run_probe(const struct plan_maker *maker, struct pool *pool,
                                              const char *device, int i, double *ns)
{
    struct plan *plan;
    struct measure measure;
    TRY(plan_probe(maker, device, i, &plan));
    swathe_status status = time_plan_begin(maker->memory, pool, plan, &measure);
    if (status == SWATHE_OK) {
        status = best_of(&measure, plan, ns);
        time_plan_end(&measure);
    }
    plan_free(plan);
    return status;
}

/* Measures the time to create a plan, as in a new process: the compiled program is cached on disk
 * by now. */
static swathe_status time_open(const struct plan_maker *maker, const char *device, double *ns)
{
    struct plan *plan;
    struct plan_maker own = *maker;
    double start = clock_now();
    TRY(gpu_devices_create(maker->memory, gpu_devices_programs(maker->devices), &own.devices));
    swathe_status status = plan_probe(&own, device, 0, &plan);
    *ns = (clock_now() - start) * 1e9;
    if (status == SWATHE_OK)
        plan_free(plan);
    gpu_devices_destroy(own.devices);
    return status;
}

swathe_status device_measure(const struct plan_maker *maker, struct pool *pool, const char *device,
                             struct device_rates *rates)
{
    double ns[PROBES];
    for (int i = 0; i < PROBES; i++)
        TRY(device_measure_run_probe(maker, pool, device, i, &ns[i]));
    TRY(time_open(maker, device, &rates->open));
    rates->start = ns[0];
    rates->byte = fmax(ns[1] - ns[0], 0.0) / probes[1].bytes;
    double rest = ns[2] - ns[0] - rates->byte * probes[2].bytes;
    rates->work = fmax(rest, 0.0) / probes[2].work;
    return SWATHE_OK;
}

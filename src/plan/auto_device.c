#include "plan/auto_device.h"

#include "base/c_locale.h"

#include <math.h>
#include <stdio.h>

static double samples(const swathe_shape *shape)
{
    return (double)shape->width * (double)shape->height * shape->channels;
}

/* Start-up counts where the device is not in use yet. */
static double predict(const struct plan_maker *maker, const struct plan *plan,
                      const struct device_record *record)
{
    const struct device_rates *rates = &record->rates;
    bool is_open = gpu_devices_is_open(maker->devices, record->device);
    double work = 0.0;
    double bytes = samples(&plan->source) * sample_size(plan->source.type) +
                   samples(&plan->result) * sample_size(plan->result.type);
    for (int32_t i = 0; i < plan->count; i++) {
        const struct op *op = &plan->ops[i];
        work +=
            (double)op->tap_count * (double)op->out_width * (double)op->out_height * op->channels;
    }
    return (is_open ? 0.0 : rates->open) + rates->start + bytes * rates->byte + work * rates->work;
}

swathe_status auto_device_choose(const struct plan_maker *maker, const struct plan *plan,
                                 double cpu_ns, struct device_record *chosen, char *note,
                                 size_t note_size)
{
    struct device_records records;
    const struct device_record *best = NULL;
    double best_ns = INFINITY;
    chosen->device[0] = '\0';
    TRY(device_records_read(maker->memory, &records));
    for (int32_t i = 0; i < records.count; i++) {
        double ns = predict(maker, plan, &records.list[i]);
        if (ns < best_ns) {
            best_ns = ns;
            best = &records.list[i];
        }
    }
    if (!best) {
        snprintf(note, note_size,
                 "auto: cpu, because no GPU has passed 'swathe devices --check' with this version");
        return SWATHE_OK;
    }
    bool faster = best_ns < cpu_ns;
    c_locale_format(note, note_size,
                    "auto: %s, because %s would take about %.3g ms and the CPU %.3g ms",
                    faster ? best->device : "cpu", best->device, best_ns * 1e-6, cpu_ns * 1e-6);
    if (faster)
        *chosen = *best;
    return SWATHE_OK;
}

#include "plan/auto_device.h"

#include <math.h>
#include <stdio.h>

static double samples(const swathe_shape *shape)
{
    return (double)shape->width * (double)shape->height * shape->channels;
}

static double predict(const struct plan *plan, const struct device_rates *rates)
{
    double work = 0.0;
    double bytes = samples(&plan->source) * sample_size(plan->source.type) +
                   samples(&plan->result) * sample_size(plan->result.type);
    for (int32_t i = 0; i < plan->count; i++) {
        const struct op *op = &plan->ops[i];
        work +=
            (double)op->tap_count * (double)op->out_width * (double)op->out_height * op->channels;
    }
    return device_rates_ns(rates, bytes, work);
}

swathe_status auto_device_choose(const struct memory *memory, const struct plan *plan,
                                 double cpu_ns, struct device_record *chosen, char *note,
                                 size_t note_size)
{
    struct device_records records;
    const struct device_record *best = NULL;
    double best_ns = INFINITY;
    chosen->device[0] = '\0';
    TRY(device_records_read(memory, &records));
    for (int32_t i = 0; i < records.count; i++) {
        double ns = predict(plan, &records.list[i].rates);
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
    snprintf(note, note_size, "auto: %s, because %s would take about %.3g ms and the CPU %.3g ms",
             faster ? best->device : "cpu", best->device, best_ns * 1e-6, cpu_ns * 1e-6);
    if (faster)
        *chosen = *best;
    return SWATHE_OK;
}

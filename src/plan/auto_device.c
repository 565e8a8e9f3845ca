#include "plan/auto_device.h"

#include "base/bounded_text.h"

#include <math.h>
#include <stdio.h>

/* The start-up time counts if the device is not open yet. */
static double predict(struct gpu_devices *devices, const struct auto_device_load *load,
                      const struct device_record *record)
{
    const struct device_rates *rates = &record->rates;
    bool is_open = gpu_devices_is_open(devices, record->device);
    return (is_open ? 0.0 : rates->open) + rates->start + load->bytes * rates->byte +
           load->work * rates->work;
}

swathe_status auto_device_choose(const struct memory *memory, struct gpu_devices *devices,
                                 const struct auto_device_load *load, struct device_record *chosen,
                                 char *note, size_t note_size)
{
    struct device_records records;
    const struct device_record *best = NULL;
    double best_ns = INFINITY;
    chosen->device[0] = '\0';
    TRY(device_records_read(memory, &records));
    for (int32_t i = 0; i < records.count; i++) {
        double ns = predict(devices, load, &records.list[i]);
        if (ns < best_ns) {
            best_ns = ns;
            best = &records.list[i];
        }
    }
    if (!best) {
        snprintf(note, note_size,
                 "auto: cpu, because no GPU has passed its check with this version");
        return SWATHE_OK;
    }
    bool faster = best_ns < load->cpu_ns;
    c_locale_format(
        note, note_size, "auto: %s, because %s would take about %.3g ms and the CPU %.3g ms",
        faster ? best->device : "cpu", best->device, best_ns * 1e-6, load->cpu_ns * 1e-6);
    if (faster)
        *chosen = *best;
    return SWATHE_OK;
}

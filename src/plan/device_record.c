#include "plan/device_record.h"

#include "base/bounded_text.h"
#include "base/os_path.h"
#include "base/small_file.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The file -------------------------------------------------------------------------------- */

enum { FILE_MAX = 1 << 16 };

#define FIRST_LINE "swathe devices 2 " SWATHE_VERSION "\n"

/* Reads up to a tab or the end of the line, and skips that character. */
static bool next_field(const char **at, char *field, size_t size)
{
    size_t length = strcspn(*at, "\t\n");
    if (length >= size || (*at)[length] == '\0')
        return false;
    memcpy(field, *at, length);
    field[length] = '\0';
    *at += length + 1;
    return true;
}

static bool next_rate(const char **at, double *rate)
{
    char text[GPU_NAME];
    return next_field(at, text, sizeof text) && text_to_double(text, rate) && *rate >= 0.0;
}

static bool next_record(const char **at, struct device_record *record)
{
    return next_field(at, record->device, sizeof record->device) &&
           next_field(at, record->name, sizeof record->name) &&
           next_field(at, record->driver, sizeof record->driver) &&
           next_rate(at, &record->rates.open) && next_rate(at, &record->rates.start) &&
           next_rate(at, &record->rates.byte) && next_rate(at, &record->rates.work);
}

swathe_status device_records_read(const struct memory *memory, struct device_records *records)
{
    char path[OS_PATH], *text = NULL;
    int64_t size;
    records->count = 0;
    if (!small_file_cached("devices", path, sizeof path) ||
        small_file_read(memory, path, FILE_MAX, &text, &size) != SWATHE_OK || !text)
        return SWATHE_OK;
    const char *at = text;
    /* Kernels of other versions may differ and were not checked. */
    if (strncmp(at, FIRST_LINE, strlen(FIRST_LINE)) == 0) {
        at += strlen(FIRST_LINE);
        while (records->count < DEVICE_RECORDS_MAX &&
               next_record(&at, &records->list[records->count]))
            records->count++;
    }
    memory_free(memory, text);
    return SWATHE_OK;
}

static void device_record_print(struct text *out, const struct device_record *record)
{
    const double rates[] = {record->rates.open, record->rates.start, record->rates.byte,
                            record->rates.work};
    text_add(out, "%s\t%s\t%s", record->device, record->name, record->driver);
    for (int i = 0; i < 4; i++) {
        text_add(out, "\t");
        text_add_double(out, rates[i]);
    }
    text_add(out, "\n");
}

swathe_status device_records_set(const struct memory *memory, const struct device_record *record,
                                 bool passed)
{
    struct device_records old;
    char path[OS_PATH], *buffer;
    struct text out;
    if (!small_file_cached("devices", path, sizeof path))
        return fail(SWATHE_ERROR_IO, "no cache directory for the record of devices; set HOME");
    TRY(device_records_read(memory, &old));
    TRY(memory_new(memory, FILE_MAX, 1, "a record of devices", &buffer));
    text_init(&out, buffer, FILE_MAX);
    text_add(&out, FIRST_LINE);
    for (int32_t i = 0; i < old.count; i++)
        if (strcmp(old.list[i].device, record->device) != 0)
            device_record_print(&out, &old.list[i]);
    if (passed)
        device_record_print(&out, record);
    swathe_status status = text_finish(&out, NULL);
    if (status == SWATHE_OK)
        status = small_file_replace(path, buffer, strlen(buffer));
    memory_free(memory, buffer);
    return status;
}

/* ---- The choice ------------------------------------------------------------------------------ */

/* The start-up time counts if the device is not open yet. */
static double device_record_predict(struct gpu_devices *devices,
                                    const struct auto_device_load *load,
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
        double ns = device_record_predict(devices, load, &records.list[i]);
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

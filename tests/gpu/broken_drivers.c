/* Broken drivers: each gives a note, without an error or output; the CPU remains usable. */
#include "gpu/drivers/devices.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct gpu_devices *devices;
    struct gpu_device *device = NULL;
    int failed = argc - 1 != 3;
    if (gpu_devices_create(&memory_default, NULL, &devices) != SWATHE_OK)
        return 1;
    for (int b = 0; b < argc - 1; b++) {
        const struct gpu_list *list = gpu_devices_list(devices, b);
        bool good = list && list->count == 0 && strstr(list->note, argv[b + 1]);
        failed += !good;
        printf("%s: %s: %s\n", good ? "ok" : "FAILED", gpu_back_end_at(b)->name,
               list ? list->note : "no list");
    }
    if (gpu_devices_open(devices, "gpu", &device) != SWATHE_ERROR_UNSUPPORTED ||
        !strstr(fail_text(), "device cpu"))
        failed++;
    printf("%s\n", fail_text());
    gpu_devices_destroy(devices);
    return failed > 0;
}

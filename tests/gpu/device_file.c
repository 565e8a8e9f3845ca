#define _GNU_SOURCE /* mkdir */
#include "device_file.h"

#include "gpu/drivers/device.h"
#include "swathe/swathe.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

bool device_file_write(const char *folder, const char *back_end)
{
    char path[4096];
    struct gpu_list *list = calloc(1, sizeof *list);
    if (!list)
        return false;
    gpu_back_end_named(back_end)->calls->list(list);
    snprintf(path, sizeof path, "%s/swathe", folder);
    mkdir(folder, 0700);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/swathe/devices", folder);
    FILE *file = fopen(path, "w");
    if (file && list->count > 0)
        fprintf(file, "swathe devices 2 %s\n%s:0\t%s\t%s\t0\t0\t0\t0\n", swathe_version(), back_end,
                list->devices[0].name, list->devices[0].driver);
    bool done = file && list->count > 0;
    if (file)
        fclose(file);
    free(list);
    return done;
}

#include "base/os_cgroup.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool read_line(const char *directory, const char *name, char line[64])
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "re");
    bool read = file && fgets(line, 64, file);
    if (file)
        fclose(file);
    return read;
}

/* "QUOTA PERIOD" in microseconds, or "max PERIOD". */
static int32_t read_cpus(const char *directory)
{
    char line[64];
    int64_t quota, period;
    if (!read_line(directory, "cpu.max", line) ||
        sscanf(line, "%" SCNd64 " %" SCNd64, &quota, &period) != 2 || quota <= 0 || period <= 0)
        return INT32_MAX;
    int64_t cpus = quota / period + (quota % period > 0);
    return cpus < INT32_MAX ? (int32_t)cpus : INT32_MAX;
}

static int64_t read_memory(const char *directory)
{
    char line[64];
    int64_t bytes;
    return read_line(directory, "memory.max", line) && sscanf(line, "%" SCNd64, &bytes) == 1 &&
                   bytes > 0
               ? bytes
               : INT64_MAX;
}

struct os_cgroup os_cgroup_at(const char *root, const char *group)
{
    struct os_cgroup found = {INT32_MAX, INT64_MAX};
    char directory[PATH_MAX];
    int length = snprintf(directory, sizeof directory, "%s%s", root, group);
    if (length < 0 || length >= (int)sizeof directory)
        return found;
    for (char *end; strlen(directory) >= strlen(root); *end = '\0') {
        int32_t cpus = read_cpus(directory);
        int64_t memory = read_memory(directory);
        found.cpus = cpus < found.cpus ? cpus : found.cpus;
        found.memory = memory < found.memory ? memory : found.memory;
        end = strrchr(directory, '/');
        if (!end)
            break;
    }
    return found;
}

struct os_cgroup os_cgroup_own(void)
{
    struct os_cgroup none = {INT32_MAX, INT64_MAX};
    char line[PATH_MAX], *group = NULL;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && !group && fgets(line, sizeof line, file))
        if (strncmp(line, "0::/", 4) == 0)
            group = line + 3;
    if (file)
        fclose(file);
    if (!group)
        return none;
    group[strcspn(group, "\n")] = '\0';
    return os_cgroup_at("/sys/fs/cgroup", strcmp(group, "/") == 0 ? "" : group);
}

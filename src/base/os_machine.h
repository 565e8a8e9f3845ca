/* The machine, as the operating system describes it. Programs include this header, too. */
#ifndef SWATHE_BASE_OS_MACHINE_H
#define SWATHE_BASE_OS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CPUs that this process may use. */
int32_t os_cpu_count(void);
/* Bytes of the data caches of levels 1 to 3; 0: unknown. */
void os_cache_bytes(int64_t caches[3]);
/* Memory that can be allocated without swapping, also by a limit of a cgroup; -1: unknown. */
int64_t os_memory_available(void);
/* What a program may use unless its user sets a limit: half of it. */
static inline int64_t os_memory_default(void)
{
    int64_t bytes = os_memory_available();
    return bytes > 0 ? bytes / 2 : (int64_t)1 << 29;
}
bool os_random(void *bytes, size_t size);
/* Differs after fork. */
int64_t os_process(void);
/* Raises the number of files that may be open at a time as far as possible, and returns it. */
int64_t os_most_files(void);
/* Identifies the time since the machine was started; empty: unknown. */
enum { OS_BOOT_ID = 64 };
const char *os_boot_id(char text[OS_BOOT_ID]);

/* Limits that a container or a service manager sets: cgroups, version 2. Not on Windows. */
struct os_cgroup {
    int32_t cpus;   /* that the quota allows, rounded up; INT32_MAX: no limit */
    int64_t memory; /* in bytes; INT64_MAX: no limit */
};

/* The limits of this process. */
struct os_cgroup os_cgroup_own(void);
/* The lowest limits of a group, such as "/system.slice/x", and those around it. `root`: where the
 * groups are mounted. Files that are missing or not understood are no limit. */
struct os_cgroup os_cgroup_at(const char *root, const char *group);

#endif

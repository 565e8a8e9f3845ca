/* Limits that a container or a service manager sets: cgroups, version 2. */
#ifndef SWATHE_BASE_OS_CGROUP_H
#define SWATHE_BASE_OS_CGROUP_H

#include <stdint.h>

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

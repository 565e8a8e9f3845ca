#define _GNU_SOURCE      /* sched_getaffinity, getrandom */
#define _DARWIN_C_SOURCE /* sysctlbyname */
#include "base/os_machine.h"

#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static bool posix_machine_read_line(const char *directory, const char *name, char line[64])
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
    if (!posix_machine_read_line(directory, "cpu.max", line) ||
        sscanf(line, "%" SCNd64 " %" SCNd64, &quota, &period) != 2 || quota <= 0 || period <= 0)
        return INT32_MAX;
    int64_t cpus = quota / period + (quota % period > 0);
    return cpus < INT32_MAX ? (int32_t)cpus : INT32_MAX;
}

static int64_t posix_machine_read_memory(const char *directory)
{
    char line[64];
    int64_t bytes;
    return posix_machine_read_line(directory, "memory.max", line) &&
                   sscanf(line, "%" SCNd64, &bytes) == 1 && bytes > 0
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
        int64_t memory = posix_machine_read_memory(directory);
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

#if defined(__APPLE__)
#include <sys/sysctl.h>

static int64_t system_number(const char *name)
{
    int64_t number = 0;
    size_t size = sizeof number;
    return sysctlbyname(name, &number, &size, NULL, 0) == 0 ? number : 0;
}

void os_cache_bytes(int64_t caches[3])
{
    caches[0] = system_number("hw.l1dcachesize");
    caches[1] = system_number("hw.l2cachesize");
    caches[2] = system_number("hw.l3cachesize");
}

/* Free memory says little there, because the system fills it with caches. */
int64_t os_memory_available(void)
{
    int64_t bytes = system_number("hw.memsize");
    return bytes > 0 ? bytes : -1;
}

bool os_random(void *bytes, size_t size)
{
    arc4random_buf(bytes, size);
    return true;
}

const char *os_boot_id(char text[OS_BOOT_ID])
{
    size_t size = OS_BOOT_ID;
    if (sysctlbyname("kern.bootsessionuuid", text, &size, NULL, 0) != 0)
        text[0] = '\0';
    return text;
}
#else
#include <sys/random.h>

void os_cache_bytes(int64_t caches[3])
{
    memset(caches, 0, 3 * sizeof *caches);
#if defined(_SC_LEVEL1_DCACHE_SIZE)
    caches[0] = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    caches[1] = sysconf(_SC_LEVEL2_CACHE_SIZE);
    caches[2] = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
}

/* The memory that the kernel reports as available, which includes its file cache. */
static int64_t read_meminfo(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file)
        return -1;
    char line[128];
    int64_t kib = -1;
    while (kib < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %" SCNd64, &kib) != 1)
            kib = -1;
    fclose(file);
    return kib < 0 ? -1 : kib * 1024;
}

int64_t os_memory_available(void)
{
    int64_t bytes = read_meminfo(), limit = os_cgroup_own().memory;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (bytes <= 0)
        bytes = pages > 0 && page > 0 ? (int64_t)pages * page : -1;
    return bytes < limit ? bytes : limit; /* other processes of the group are few */
}

bool os_random(void *bytes, size_t size)
{
    return getrandom(bytes, size, GRND_NONBLOCK) == (ssize_t)size;
}

const char *os_boot_id(char text[OS_BOOT_ID])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    text[0] = '\0';
    if (file && !fgets(text, OS_BOOT_ID, file))
        text[0] = '\0';
    if (file)
        fclose(file);
    text[strcspn(text, "\n")] = '\0';
    return text;
}
#endif

int32_t os_cpu_count(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < 4096 ? (int32_t)count : 1;
}

int64_t os_process(void)
{
    return getpid();
}

int64_t os_most_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return INT64_MAX;
    rlim_t before = files.rlim_cur;
    files.rlim_cur = files.rlim_max;
#if defined(__APPLE__)
    if (files.rlim_cur > OPEN_MAX)
        files.rlim_cur = OPEN_MAX;
#endif
    if (setrlimit(RLIMIT_NOFILE, &files) != 0)
        files.rlim_cur = before;
    return files.rlim_cur > INT64_MAX ? INT64_MAX : (int64_t)files.rlim_cur;
}

#define _GNU_SOURCE /* sched_getcpu, sched_setaffinity, CPU_SET */
#include "machine.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define CPUINFO "/proc/cpuinfo"
#define FIRST   "/sys/devices/system/cpu/cpu0"

static const char not_readable[] = "not readable";

/* First line of a file, without its line end. False, and an empty text, if there is none. */
__attribute__((format(printf, 3, 4))) static bool first_line(char *text, size_t size,
                                                             const char *format, ...)
{
    char path[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, (int)size, file))
        text[0] = '\0';
    if (file)
        fclose(file);
    text[strcspn(text, "\n")] = '\0';
    return text[0] != '\0';
}

/* The text after `key` and a colon; NULL if the line has another key. */
static const char *value_of(char *line, const char *key)
{
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0)
        return NULL;
    char *value = line + length + strspn(line + length, " \t");
    if (*value != ':')
        return NULL;
    value[strcspn(value, "\n")] = '\0';
    return value + 1 + strspn(value + 1, " \t");
}

/* The first value of `key` in cpuinfo. */
static bool find_value(const char *root, const char *key, char *text, size_t size)
{
    char line[1024], path[512];
    bool found = false;
    snprintf(path, sizeof path, "%s" CPUINFO, root);
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *value = value_of(line, key);
        found = value && value[0] != '\0';
        if (found)
            snprintf(text, size, "%s", value);
    }
    if (file)
        fclose(file);
    return found;
}

/* x86, PowerPC, RISC-V and s390 each have their own key; Arm has two numbers. */
static void read_name(const char *root, char *text, size_t size)
{
    static const char *const keys[] = {"model name", "cpu model", "cpu", "uarch", "processor 0"};
    char maker[32], part[32];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (find_value(root, keys[i], text, size))
            return;
    if (find_value(root, "CPU implementer", maker, sizeof maker) &&
        find_value(root, "CPU part", part, sizeof part))
        snprintf(text, size, "Arm, implementer %s, part %s", maker, part);
    else
        snprintf(text, size, "%s", not_readable);
}

static void read_system(struct machine *machine)
{
    struct utsname name;
    snprintf(machine->system, sizeof machine->system, "%s", not_readable);
    if (uname(&name) == 0)
        snprintf(machine->system, sizeof machine->system, "%.30s %.64s %.30s", name.sysname,
                 name.release, name.machine);
}

/* Bytes of "48K" or "2M"; 0 if it is not a size. */
static int64_t machine_size_of(const char *text)
{
    char *end;
    long long size = strtoll(text, &end, 10);
    if (size <= 0 || size > 1 << 30)
        return 0;
    return (int64_t)size << (*end == 'K' ? 10 : *end == 'M' ? 20 : 0);
}

/* Adds one cache to the text; false if it does not exist. */
static bool read_cache(const char *root, int index, struct machine *machine, int *last)
{
    char level[16], type[32], text[32];
    if (!first_line(level, sizeof level, "%s" FIRST "/cache/index%d/level", root, index) ||
        !first_line(type, sizeof type, "%s" FIRST "/cache/index%d/type", root, index) ||
        !first_line(text, sizeof text, "%s" FIRST "/cache/index%d/size", root, index))
        return false;
    int64_t size = machine_size_of(text);
    bool whole = size >= 1 << 20 && size % (1 << 20) == 0;
    size_t used = strlen(machine->caches);
    snprintf(machine->caches + used, sizeof machine->caches - used, "%sL%.4s%s %lld %s",
             used > 0 ? ", " : "", level,
             strcmp(type, "Data") == 0          ? "d"
             : strcmp(type, "Instruction") == 0 ? "i"
                                                : "",
             (long long)(whole ? size >> 20 : size >> 10), whole ? "MiB" : "KiB");
    if (atoi(level) >= *last && strcmp(type, "Instruction") != 0) {
        *last = atoi(level);
        machine->cache_last = size;
    }
    return true;
}

static void read_caches(const char *root, struct machine *machine)
{
    int last = 0, index = 0;
    machine->caches[0] = '\0';
    while (index < 16 && read_cache(root, index, machine, &last))
        index++;
    if (index == 0)
        snprintf(machine->caches, sizeof machine->caches, "%s", not_readable);
}

/* "always [madvise] never": the one in brackets. */
static void read_huge_pages(const char *root, char *text, size_t size)
{
    char line[128];
    first_line(line, sizeof line, "%s/sys/kernel/mm/transparent_hugepage/enabled", root);
    char *start = strchr(line, '['), *end = start ? strchr(start, ']') : NULL;
    if (end)
        *end = '\0';
    snprintf(text, size, "%s", end ? start + 1 : not_readable);
}

static int64_t machine_read_memory(const char *root)
{
    char line[32];
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    int64_t memory = pages > 0 && page > 0 ? (int64_t)pages * page : 0;
    if (first_line(line, sizeof line, "%s/sys/fs/cgroup/memory.max", root) ||
        first_line(line, sizeof line, "%s/sys/fs/cgroup/memory/memory.limit_in_bytes", root)) {
        int64_t limit = strtoll(line, NULL, 10); /* "max" is 0 */
        memory = limit > 0 && limit < memory ? limit : memory;
    }
    return memory;
}

/* Clock of a CPU in cpuinfo: the line after its number. */
static double listed_mhz(const char *root, int cpu)
{
    char line[1024], path[512];
    double mhz = 0;
    int now = -1;
    snprintf(path, sizeof path, "%s" CPUINFO, root);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *number = value_of(line, "processor"), *clock = value_of(line, "cpu MHz");
        now = number ? atoi(number) : now;
        if (clock && now == cpu)
            mhz = strtod(clock, NULL);
    }
    if (file)
        fclose(file);
    return mhz;
}

static double read_mhz(const char *root)
{
    char line[32];
    int cpu = 0;
#if defined(__linux__)
    cpu = sched_getcpu();
#endif
    if (first_line(line, sizeof line, "%s/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
                   root, cpu))
        return strtod(line, NULL) / 1000;
    return listed_mhz(root, cpu);
}

double machine_mhz(void)
{
    return read_mhz("");
}

void machine_read_from(const char *root, struct machine *machine)
{
    *machine = (struct machine){.mhz = read_mhz(root), .memory = machine_read_memory(root)};
    read_name(root, machine->cpu, sizeof machine->cpu);
    read_system(machine);
    read_caches(root, machine);
    read_huge_pages(root, machine->huge_pages, sizeof machine->huge_pages);
    if (!first_line(machine->governor, sizeof machine->governor,
                    "%s" FIRST "/cpufreq/scaling_governor", root))
        snprintf(machine->governor, sizeof machine->governor, "%s", not_readable);
    machine->cpus = machine_affinity(machine->affinity, sizeof machine->affinity);
    snprintf(machine->compiler, sizeof machine->compiler, "%s", MACHINE_COMPILER);
    snprintf(machine->flags, sizeof machine->flags, "%s", MACHINE_FLAGS);
}

void machine_read(struct machine *machine)
{
    machine_read_from("", machine);
}

/* ---- Affinity -------------------------------------------------------------------------------- */

#if defined(__linux__)

/* Reads a whole number at *text and advances past it. */
static bool read_cpu(const char **text, int *cpu)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    long number = strtol(*text, &end, 10);
    if (number >= CPU_SETSIZE)
        return false;
    *text = end;
    *cpu = (int)number;
    return true;
}

static bool machine_read_list(const char *text, cpu_set_t *set)
{
    CPU_ZERO(set);
    for (;;) {
        int first, last;
        if (!read_cpu(&text, &first))
            return false;
        last = first;
        if (*text == '-' && (text++, !read_cpu(&text, &last)))
            return false;
        if (last < first)
            return false;
        for (int cpu = first; cpu <= last; cpu++)
            CPU_SET(cpu, set);
        if (*text == '\0')
            return true;
        if (*text++ != ',')
            return false;
    }
}

/* The system silently ignores CPUs that it cannot use, so the set is read back and compared. */
bool machine_pin(const char *list)
{
    cpu_set_t wanted, before, after;
    if (!machine_read_list(list, &wanted) || sched_getaffinity(0, sizeof before, &before) != 0 ||
        sched_setaffinity(0, sizeof wanted, &wanted) != 0)
        return false;
    if (sched_getaffinity(0, sizeof after, &after) == 0 && CPU_EQUAL(&wanted, &after))
        return true;
    sched_setaffinity(0, sizeof before, &before);
    return false;
}

/* "0,2-3"; ends with "..." if the text is too short for it. */
static void print_set(const cpu_set_t *set, char *text, size_t size)
{
    size_t used = 0;
    for (int first = 0, next; first < CPU_SETSIZE; first = next) {
        char part[32];
        next = first + 1;
        if (!CPU_ISSET(first, set))
            continue;
        while (next < CPU_SETSIZE && CPU_ISSET(next, set))
            next++;
        int length = next - 1 > first ? snprintf(part, sizeof part, "%d-%d", first, next - 1)
                                      : snprintf(part, sizeof part, "%d", first);
        bool fits = used + (size_t)length + sizeof ",..." < size;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? "," : "",
                                 fits ? part : "...");
        if (!fits)
            return;
    }
}

int32_t machine_affinity(char *text, size_t size)
{
    cpu_set_t set;
    snprintf(text, size, "not readable");
    if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < 1)
        return 0;
    print_set(&set, text, size);
    return CPU_COUNT(&set);
}

#else

bool machine_pin(const char *list)
{
    (void)list;
    return false;
}

int32_t machine_affinity(char *text, size_t size)
{
    snprintf(text, size, "not readable");
    return 0;
}

#endif

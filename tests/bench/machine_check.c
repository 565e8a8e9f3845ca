/* Lists of CPUs, pinning, and the description of machines from files of other machines.
 *
 *     machine_check FOLDER      directory for such files */
#define MACHINE_COMPILER "none"
#define MACHINE_FLAGS    "none"
#include "../../bench/program/machine.c" /* its static functions, too */
#include "../../cli/rng.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIST = 8192, CPUS = 1024 };

static int checks, failures;

static void expect(bool good, const char *what, const char *value)
{
    checks++;
    failures += !good;
    if (!good)
        printf("FAILED %s: \"%s\"\n", what, value);
}

static void expect_text(const char *got, const char *want)
{
    checks++;
    if (strcmp(got, want) == 0)
        return;
    failures++;
    printf("FAILED \"%s\", must be \"%s\"\n", got, want);
}

/* The last number of a list. */
static int last_of(const char *list)
{
    const char *last = strlen(list) > 0 ? list + strlen(list) - 1 : list;
    while (last > list && last[-1] >= '0' && last[-1] <= '9')
        last--;
    return atoi(last);
}

#if defined(__linux__)
/* A text that is not a list, or names a missing CPU, changes nothing. */
static void check_refused(void)
{
    static const char *const lists[] = {
        "",   "a",  "-",   "1-",    "-1", "0,",  ",0",    "0,,0", "3-2",    "0x0",
        " 0", "0 ", "0;0", "0-0-0", "+0", "0.0", "0,1-x", "1024", "0-1024", "18446744073709551616"};
    char before[LIST], after[LIST], some[32];
    machine_affinity(before, sizeof before);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        expect(!machine_pin(lists[i]), "a list that was accepted", lists[i]);
    snprintf(some, sizeof some, "%d,%d", last_of(before), CPU_SETSIZE - 1);
    expect(!machine_pin(some), "a missing CPU that was accepted", some);
    machine_affinity(after, sizeof after);
    expect_text(after, before);
}

static void check_pin(void)
{
    char before[LIST], one[16], after[LIST];
    int32_t count = machine_affinity(before, sizeof before);
    snprintf(one, sizeof one, "%d", last_of(before));
    expect(count > 0 && count <= sysconf(_SC_NPROCESSORS_CONF), "CPUs of this thread", before);
    expect(machine_pin(one), "one CPU", one);
    expect(machine_affinity(after, sizeof after) == 1, "pinned to one CPU", after);
    expect_text(after, one);
    expect(machine_pin(before), "all CPUs again", before);
    expect(machine_affinity(after, sizeof after) == count, "on all CPUs again", after);
    expect_text(after, before);
}

/* Printing and parsing are inverse operations; a text that is too long is cut and ends in dots. */
static void check_lists(void)
{
    struct rng rng = {7};
    for (int round = 0; round < 500; round++) {
        char text[LIST], brief[24];
        cpu_set_t set, back;
        CPU_ZERO(&set);
        int step = (int)rng_between(&rng, 1, 40);
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (cpu == 5 || !rng_once_in(&rng, step))
                CPU_SET(cpu, &set);
        print_set(&set, text, sizeof text);
        print_set(&set, brief, sizeof brief);
        expect(machine_read_list(text, &back) && CPU_EQUAL(&set, &back), "printed and parsed",
               text);
        size_t same = strlen(brief) > 3 ? strlen(brief) - 3 : 0;
        bool cut = strcmp(brief, text) == 0 ||
                   (strcmp(brief + same, "...") == 0 && strncmp(brief, text, same) == 0);
        expect(cut, "printed in short form", brief);
    }
    cpu_set_t set;
    char text[32];
    expect(machine_read_list("0,2-3,9", &set) && CPU_COUNT(&set) == 4, "four CPUs", "0,2-3,9");
    print_set(&set, text, sizeof text);
    expect_text(text, "0,2-3,9");
}
#endif

/* Writes a file below a directory, and creates the directories on its path. */
static void put(const char *folder, const char *path, const char *text)
{
    char all[1024];
    snprintf(all, sizeof all, "%s/%s", folder, path);
    for (char *at = strchr(all + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(all, 0777);
        *at = '/';
    }
    FILE *file = fopen(all, "w");
    expect(file && fputs(text, file) >= 0 && fclose(file) == 0, "a file to write", all);
}

static void check_arm(const char *folder)
{
    char root[512];
    struct machine machine;
    snprintf(root, sizeof root, "%s/arm", folder);
    put(root, "proc/cpuinfo",
        "processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\n"
        "CPU architecture: 8\nCPU part\t: 0xd0c\n");
    put(root, "sys/fs/cgroup/memory.max", "1048576\n");
    machine_read_from(root, &machine);
    expect_text(machine.cpu, "Arm, implementer 0x41, part 0xd0c");
    expect_text(machine.caches, "not readable");
    expect(machine.mhz == 0 && machine.cache_last == 0, "clock and cache of", machine.cpu);
    expect(machine.memory == 1 << 20, "memory of a control group", machine.cpu);
}

static void put_cache(const char *root, int index, const char *level, const char *type,
                      const char *size)
{
    const char *const names[] = {"level", "type", "size"}, *const values[] = {level, type, size};
    for (int i = 0; i < 3; i++) {
        char path[128];
        snprintf(path, sizeof path, "sys/devices/system/cpu/cpu0/cache/index%d/%s", index,
                 names[i]);
        put(root, path, values[i]);
    }
}

static void check_x86(const char *folder)
{
    char root[512];
    struct machine machine;
    snprintf(root, sizeof root, "%s/x86", folder);
    put(root, "proc/cpuinfo", "processor\t: 0\ncpu family\t: 6\nmodel name\t: A Name 9000\n");
    put_cache(root, 0, "1\n", "Data\n", "48K\n");
    put_cache(root, 1, "1\n", "Instruction\n", "32K\n");
    put_cache(root, 2, "2\n", "Unified\n", "2048K\n");
    put(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    put(root, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    put(root, "sys/fs/cgroup/memory.max", "max\n");
    machine_read_from(root, &machine);
    expect_text(machine.cpu, "A Name 9000");
    expect_text(machine.caches, "L1d 48 KiB, L1i 32 KiB, L2 2 MiB");
    expect_text(machine.governor, "powersave");
    expect_text(machine.huge_pages, "madvise");
    expect(machine.cache_last == 2 << 20, "last cache of", machine.caches);
    expect(machine.memory >= 1 << 26, "memory of this machine", machine.cpu);
}

/* The clock is that of the calling thread's CPU, which may be any. */
static void check_clock(const char *folder)
{
    static char text[1 << 16];
    char root[512];
    struct machine machine;
    size_t used = 0;
    snprintf(root, sizeof root, "%s/clock", folder);
    for (int cpu = 0; cpu < CPUS; cpu++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "processor\t: %d\ncpu MHz\t\t: %d.5\n", cpu, 1000 + cpu);
    put(root, "proc/cpuinfo", text);
    char before[LIST], one[16];
    machine_affinity(before, sizeof before);
    snprintf(one, sizeof one, "%d", last_of(before));
    if (!machine_pin(one))
        return;
    machine_read_from(root, &machine);
    snprintf(text, sizeof text, "%g", machine.mhz);
    expect(machine.mhz == 1000.5 + atoi(one), "clock in MHz", text);
    machine_pin(before);
}

static void check_nothing(const char *folder)
{
    char root[512];
    struct machine machine;
    snprintf(root, sizeof root, "%s/none", folder);
    machine_read_from(root, &machine);
    expect_text(machine.cpu, "not readable");
    expect_text(machine.governor, "not readable");
    expect_text(machine.huge_pages, "not readable");
    expect(machine.system[0] != '\0' && machine.compiler[0] != '\0', "of every machine",
           machine.system);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 99;
#if defined(__linux__)
    check_refused();
    check_pin();
    check_lists();
#endif
    check_arm(argv[1]);
    check_x86(argv[1]);
    check_clock(argv[1]);
    check_nothing(argv[1]);
    struct machine machine;
    machine_read(&machine);
    printf("%s; %s; %s; governor %s; CPUs %s; huge pages %s; %s; %s; %g MHz\n", machine.cpu,
           machine.system, machine.caches, machine.governor, machine.affinity, machine.huge_pages,
           machine.compiler, machine.flags, machine.mhz);
    printf("%d checks, %d failures\n", checks, failures);
    return failures ? 1 : 0;
}

#define _GNU_SOURCE /* sched_setaffinity, CPU_SET */
#include "machine.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

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

static bool read_list(const char *text, cpu_set_t *set)
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
    if (!read_list(list, &wanted) || sched_getaffinity(0, sizeof before, &before) != 0 ||
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

/* Describes the machine of a measurement. */
#ifndef SWATHE_BENCH_MACHINE_H
#define SWATHE_BENCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Texts are "not readable", and numbers 0, if the system does not report them. */
struct machine {
    char cpu[128];       /* its name */
    char system[128];    /* kernel, release and architecture */
    char caches[128];    /* "L1d 32 KiB, L1i 32 KiB, L2 1 MiB" of the first CPU */
    char governor[64];   /* frequency governor */
    char affinity[64];   /* CPUs that this thread may run on, as machine_pin() takes them */
    char huge_pages[64]; /* transparent ones: "always", "madvise" or "never" */
    char compiler[128];  /* that built this program */
    char flags[256];     /* its options */
    int32_t cpus;        /* in that affinity */
    int64_t memory;      /* bytes of the machine, or of the control group if that is less */
    int64_t cache_last;  /* bytes of the last level */
    double mhz;          /* current clock of the calling thread's CPU */
};

/* Never fails. */
void machine_read(struct machine *machine);
/* The same from files below another root directory, for tests. */
void machine_read_from(const char *root, struct machine *machine);

/* Clock of the CPU that this thread is on, now; 0: unknown. */
double machine_mhz(void);

/* Restricts this thread, and threads that it starts later, to the CPUs of a list such as "0,2-3".
 * Returns false and changes nothing if the list is not valid or has a CPU that is not allowed. */
bool machine_pin(const char *list);
/* The list of CPUs of this thread, and their number; "not readable" and 0 if unknown. */
int32_t machine_affinity(char *text, size_t size);

#endif

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
bool os_random(void *bytes, size_t size);
/* Differs after fork. */
int64_t os_process(void);
/* Raises the number of files that may be open at a time as far as possible, and returns it. */
int64_t os_most_files(void);
/* Identifies the time since the machine was started; empty: unknown. */
enum { OS_BOOT_ID = 64 };
const char *os_boot_id(char text[OS_BOOT_ID]);

#endif

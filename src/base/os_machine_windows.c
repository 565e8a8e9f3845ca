#define _CRT_RAND_S /* rand_s */
#include "base/os_machine.h"

#include <process.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

int32_t os_cpu_count(void)
{
    DWORD_PTR process, all;
    int32_t count = 0;
    if (GetProcessAffinityMask(GetCurrentProcess(), &process, &all))
        for (; process; process &= process - 1)
            count++;
    return count > 0 ? count : 1;
}

void os_cache_bytes(int64_t caches[3])
{
    SYSTEM_LOGICAL_PROCESSOR_INFORMATION found[256];
    DWORD size = sizeof found;
    memset(caches, 0, 3 * sizeof *caches);
    if (!GetLogicalProcessorInformation(found, &size))
        return;
    for (size_t i = 0; i < size / sizeof *found; i++) {
        const CACHE_DESCRIPTOR *cache = &found[i].Cache;
        if (found[i].Relationship == RelationCache && cache->Type != CacheInstruction &&
            cache->Level >= 1 && cache->Level <= 3)
            caches[cache->Level - 1] = cache->Size;
    }
}

int64_t os_memory_available(void)
{
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    return GlobalMemoryStatusEx(&memory) ? (int64_t)memory.ullAvailPhys : -1;
}

bool os_random(void *bytes, size_t size)
{
    uint8_t *to = bytes;
    unsigned number;
    for (size_t i = 0; i < size; i++) {
        if (rand_s(&number) != 0)
            return false;
        to[i] = (uint8_t)(number >> 8);
    }
    return true;
}

int64_t os_process(void)
{
    return 1; /* processes are not forked */
}

int64_t os_most_files(void)
{
    int most = _setmaxstdio(2048);
    return most > 0 ? most : 512;
}

const char *os_boot_id(char text[OS_BOOT_ID])
{
    text[0] = '\0';
    return text;
}

#include "base/cpu.h"
#include "base/hash.h"
#include "base/os_machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

/* Prints the vendor, family-model-stepping as one number, and a hash of the feature words. */
static int print_model(char *text, size_t size)
{
    unsigned a, b, c, d, vendor[3], signature, features = 0;
    uint64_t hash = HASH_START;
    if (!__get_cpuid(0, &a, &vendor[0], &vendor[2], &vendor[1]) ||
        !__get_cpuid(1, &signature, &b, &c, &d))
        return snprintf(text, size, "x86");
    hash = hash_bytes(hash, &c, sizeof c);
    hash = hash_bytes(hash, &d, sizeof d);
    for (unsigned leaf = 0; leaf < 2; leaf++)
        if (__get_cpuid_count(7, leaf, &a, &b, &c, &d)) {
            unsigned words[] = {leaf > 0 ? a : 0, b, c, d};
            hash = hash_bytes(hash, words, sizeof words);
            features++;
        }
    return snprintf(text, size, "%.12s %08x features %u:%016" PRIx64, (const char *)vendor,
                    signature, features, hash);
}
#else
/* Prints a hash of the lines of /proc/cpuinfo that name the model. Other lines change, such as
 * clock rates. */
static int print_model(char *text, size_t size)
{
    static const char *const names[] = {"CPU implementer", "CPU variant", "CPU part",
                                        "CPU revision",    "Features",    "features",
                                        "vendor_id",       "machine"};
    char line[1024];
    uint64_t hash = HASH_START;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strncmp(line, names[i], strlen(names[i])) == 0)
                hash = hash_bytes(hash, line, strlen(line));
    if (file)
        fclose(file);
    return snprintf(text, size, "model %016" PRIx64, hash);
}
#endif

void cpu_identity(char *text, size_t size)
{
    int64_t caches[3];
    os_cache_bytes(caches);
    int at = print_model(text, size);
    if (at > 0 && (size_t)at < size)
        snprintf(text + at, size - (size_t)at, " caches %" PRId64 " %" PRId64 " %" PRId64,
                 caches[0], caches[1], caches[2]);
}

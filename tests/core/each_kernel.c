#include "each_kernel.h"

#include <stdio.h>

int each_kernel(enum kernel_sum first, enum kernel_sum last,
                int (*check)(int isa, int id, struct rng *rng))
{
    struct rng rng = {42};
    int passed = 0, failed = 0;
    for (int isa = 0; isa_at(isa); isa++) {
        if (!isa_usable(isa)) {
            printf("skipped: %s (this machine cannot run it)\n", isa_at(isa)->name);
            continue;
        }
        for (int id = 0; id < KERNEL_COUNT; id++) {
            enum kernel_sum sum = kernel_entry(id)->sum;
            if (sum < first || sum > last || !isa_at(isa)->kernels[id])
                continue;
            int bad = check(isa, id, &rng);
            failed += bad;
            passed += !bad;
        }
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

enum { APART = 31, SIZE = 8 }; /* samples between a row and a guard page, and bytes of one */

struct guarded each_kernel_memory(int64_t bytes)
{
    return guarded_new((size_t)bytes + APART * SIZE);
}

void *each_kernel_row(const struct guarded *memory, int64_t count, int64_t size, struct rng *rng)
{
    if (rng_once_in(rng, 2))
        return memory->end - count * size;
    return rng_once_in(rng, 4) ? memory->start
                               : memory->end - (count + rng_between(rng, 0, APART)) * size;
}

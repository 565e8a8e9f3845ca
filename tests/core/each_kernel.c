#include "each_kernel.h"

#include <stdio.h>
#include <string.h>

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

/* What is behind the rows of the next run. */
enum { ROWS = 64, MARK = 0xa5 };
static struct guarded behind[ROWS];
static int rows;

void *each_kernel_row(const struct guarded *memory, int64_t count, int64_t size, struct rng *rng)
{
    uint8_t *row = memory->end - count * size;
    if (rng_once_in(rng, 2))
        return row;
    row = rng_once_in(rng, 4) ? memory->start : row - rng_between(rng, 0, APART) * size;
    behind[rows] = (struct guarded){.start = row + count * size, .end = memory->end};
    memset(behind[rows].start, MARK, (size_t)(behind[rows].end - behind[rows].start));
    rows++;
    return row;
}

bool each_kernel_run(int isa, int id, const struct kernel_args *args)
{
    int changed = 0;
    isa_at(isa)->kernels[id](args);
    kernel_stream_end();
    for (; rows > 0; rows--)
        for (const uint8_t *at = behind[rows - 1].start; at < behind[rows - 1].end; at++)
            changed += *at != MARK;
    if (changed)
        printf("FAILED: kernel %s on %s changed %d bytes behind %d samples\n",
               kernel_entry(id)->name, isa_at(isa)->name, changed, (int)args->count);
    return changed == 0;
}

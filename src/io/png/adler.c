#include "io/png/adler.h"

#include "io/vectors.h"

enum { BASE = 65521, LANES = 32 };
/* Number of steps of LANES bytes between two reductions of the sums. A lane's weighted sum is at
 * most 255 · STEPS · (STEPS - 1) / 2 < 2^27, and the total over all lanes, times LANES, fits 64
 * bits. */
enum { STEPS = 1024 };

/* The sums of a lane: of its bytes, and of each byte times the number of steps after it. */
struct lanes {
    uint32_t plain[LANES], weighted[LANES];
};

VECTORS static void add_steps(const uint8_t *bytes, size_t steps, struct lanes *lanes)
{
    struct lanes sums = {{0}, {0}};
    for (size_t step = 0; step < steps; step++)
        for (size_t lane = 0; lane < LANES; lane++) {
            sums.weighted[lane] += sums.plain[lane];
            sums.plain[lane] += bytes[step * LANES + lane];
        }
    *lanes = sums;
}

uint32_t adler_of(const uint8_t *bytes, size_t size)
{
    uint64_t low = 1, high = 0;
    while (size >= LANES) {
        size_t steps = size / LANES < STEPS ? size / LANES : STEPS;
        struct lanes lanes;
        add_steps(bytes, steps, &lanes);
        high += low * steps * LANES;
        for (uint64_t lane = 0; lane < LANES; lane++) {
            low += lanes.plain[lane];
            high += LANES * ((uint64_t)lanes.weighted[lane] + lanes.plain[lane]) -
                    lane * lanes.plain[lane];
        }
        low %= BASE;
        high %= BASE;
        bytes += steps * LANES;
        size -= steps * LANES;
    }
    for (; size > 0; size--) {
        low += *bytes++;
        high += low;
    }
    return (uint32_t)(high % BASE << 16 | low % BASE);
}

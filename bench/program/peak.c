#include "peak.h"

bool peak_measure(int32_t threads, double seconds, struct peak *peak)
{
    struct peak found = {threads, peak_copy(threads, seconds / 2), 0};
    if (found.copy_gbs > 0)
        found.fma_gflops = peak_fma(threads, seconds / 2);
    if (found.fma_gflops <= 0)
        return false;
    *peak = found;
    return true;
}

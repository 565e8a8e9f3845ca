#include "file/clamped_results.h"

#include <math.h>
#include <stdio.h>

double clamped_share(const swathe_clamped *found)
{
    double share =
        found->examined > 0 ? (double)(found->below + found->above) / (double)found->examined : 0.0;
    return share > 0.001 ? share : 0.0;
}

const char *clamped_words(const swathe_clamped *found, char *text, size_t size)
{
    double share = clamped_share(found);
    snprintf(text, size, "about %.*g %% of the results were %s", share < 0.995 ? 2 : 3,
             100.0 * share,
             found->below == 0   ? "above"
             : found->above == 0 ? "below"
                                 : "outside");
    return text;
}

bool clamped_expected(const swathe_chain *chain)
{
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    double sum = 0.0;
    if (swathe_chain_mask(chain, swathe_chain_stages(chain) - 1, 0, &mask) != SWATHE_OK)
        return false;
    for (int64_t i = 0; mask.taps && i < (int64_t)mask.width * mask.height; i++)
        sum += mask.taps[i];
    return mask.bias == 0.0 && fabs(sum - 1.0) < 1e-6;
}

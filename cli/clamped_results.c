#include "brightness.h"

#include <math.h>

bool brightness_kept(const swathe_chain *chain)
{
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    double sum = 0.0;
    if (swathe_chain_mask(chain, swathe_chain_stages(chain) - 1, 0, &mask) != SWATHE_OK)
        return false;
    for (int64_t i = 0; mask.taps && i < (int64_t)mask.width * mask.height; i++)
        sum += mask.taps[i];
    return mask.bias == 0.0 && fabs(sum - 1.0) < 1e-6;
}

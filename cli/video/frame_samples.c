#include "video/frame_samples.h"

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static uint16_t order(uint16_t sample)
{
    return (uint16_t)(sample << 8 | sample >> 8);
}
#else
static uint16_t order(uint16_t sample)
{
    return sample;
}
#endif

int frame_samples_highest(const void *samples, int64_t bytes)
{
    const uint16_t *from = samples;
    uint16_t highest = 0;
    for (int64_t i = 0; i < bytes / 2; i++)
        highest = order(from[i]) > highest ? order(from[i]) : highest;
    return highest;
}

void frame_samples_order(void *samples, int64_t bytes)
{
    uint16_t *all = samples;
    if (order(1) == 1)
        return;
    for (int64_t i = 0; i < bytes / 2; i++)
        all[i] = order(all[i]);
}

/* Samples of two bytes are stored with the lower byte first, on every machine. */
#include "video/frame_samples.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
    static const uint8_t stored[] = {0x01, 0x02, 0xff, 0x03, 0x00, 0x00, 0x34, 0x12};
    static const uint16_t values[] = {0x0201, 0x03ff, 0, 0x1234};
    uint16_t samples[4];
    memcpy(samples, stored, sizeof stored);
    int highest = frame_samples_highest(samples, sizeof samples);
    frame_samples_order(samples, sizeof samples);
    int wrong = memcmp(samples, values, sizeof values) != 0;
    frame_samples_order(samples, sizeof samples);
    wrong |= memcmp(samples, stored, sizeof stored) != 0;
    printf("highest 0x%x, order %s\n", (unsigned)highest, wrong ? "WRONG" : "right");
    return wrong || highest != 0x1234;
}

#include "bench/baseline.h"

enum { OUTSIDE = -1 }; /* adds nothing to a sum */

struct range {
    float least, most;
};

static struct range range_of(const struct baseline *b)
{
    if (b->least != b->most)
        return (struct range){b->least, b->most};
    switch (b->to->type) {
    case SWATHE_U8:
        return (struct range){0.0f, UINT8_MAX};
    case SWATHE_U16:
        return (struct range){0.0f, UINT16_MAX};
    default:
        return (struct range){INT16_MIN, INT16_MAX};
    }
}

/* Reflects more than once where the mask is wider than the image. */
static int64_t mapped(enum baseline_border border, int64_t i, int64_t n)
{
    if (border == BASELINE_ZERO)
        return OUTSIDE;
    if (border == BASELINE_REPLICATE)
        return i < 0 ? 0 : n - 1;
    while (i < 0 || i >= n)
        i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i;
}

/* Which of n samples stands at place i. */
static inline int64_t place(enum baseline_border border, int64_t i, int64_t n)
{
    return i >= 0 && i < n ? i : mapped(border, i, n);
}

/* Halves away from zero; what is cut off then is the fraction. */
static float rounded(float sum, struct range range)
{
    sum = sum < range.least ? range.least : sum > range.most ? range.most : sum;
    return sum < 0.0f ? sum - 0.5f : sum + 0.5f;
}

#define SAMPLE     uint8_t
#define ROW        row_u8
#define STORE(sum) (uint8_t) rounded(sum, range)
#include "bench/baseline_body.h"

#define SAMPLE     uint16_t
#define ROW        row_u16
#define STORE(sum) (uint16_t) rounded(sum, range)
#include "bench/baseline_body.h"

#define SAMPLE     int16_t
#define ROW        row_s16
#define STORE(sum) (int16_t) rounded(sum, range)
#include "bench/baseline_body.h"

#define SAMPLE     float
#define ROW        row_f32
#define STORE(sum) sum
#include "bench/baseline_body.h"

void baseline_row(const struct baseline *b, int64_t y)
{
    switch (b->from->type) {
    case SWATHE_U8:
        row_u8(b, y);
        break;
    case SWATHE_U16:
        row_u16(b, y);
        break;
    case SWATHE_S16:
        row_s16(b, y);
        break;
    default:
        row_f32(b, y);
    }
}

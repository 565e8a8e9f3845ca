/* Light is positive, so that its bits as an integer have the order of its values. Their upper part
 * is the number of a bucket: 2^7 or 2^8 of them for each power of two, from the first threshold to
 * the last one. */
#include "algorithm/encode.h"

#include "base/checked.h"

#include <string.h>

/* SHIFT is the number of bits below those of the bucket. */
enum { STEP_SHIFT = 16, SEARCH_SHIFT = 15 };

struct encode {
    float lowest;   /* everything below is sample 0 */
    float highest;  /* everything above is the highest sample */
    uint32_t first; /* bits of the start of bucket 0 */
    int32_t count;  /* of buckets */
    uint32_t *buckets;
    const struct curve_table *curve;
};

static uint32_t bits_of(float light)
{
    uint32_t bits;
    memcpy(&bits, &light, sizeof bits);
    return bits;
}

static float from_bits(uint32_t bits)
{
    float light;
    memcpy(&light, &bits, sizeof light);
    return light;
}

/* Position from the start of bucket 0. NaN becomes 0. */
static inline uint32_t position(const struct encode *encode, float light)
{
    light = light > encode->lowest ? light : encode->lowest;
    return bits_of(light < encode->highest ? light : encode->highest) - encode->first;
}

/* ---- One threshold per bucket ---------------------------------------------------------------- */

/* A bucket is sample·2^16 + 2^16 − t, for KERNEL_STEP: adding a position within it of t or more
 * increases the sample. False if a bucket has several thresholds. */
static bool fill_steps(const struct encode *encode)
{
    const struct curve_table *curve = encode->curve;
    int32_t sample = 0;
    for (int32_t b = 0; b < encode->count; b++) {
        uint32_t start = encode->first + ((uint32_t)b << STEP_SHIFT);
        while (sample < curve->most && bits_of(curve->from[sample + 1]) <= start)
            sample++;
        uint32_t next = sample < curve->most ? bits_of(curve->from[sample + 1]) - start : 1u << 16;
        encode->buckets[b] =
            ((uint32_t)sample << 16) + (1 << 16) - (next < 1 << 16 ? next : 1 << 16);
        if (sample + 2 <= curve->most && bits_of(curve->from[sample + 2]) - start < 1 << 16)
            return false;
    }
    return true;
}

/* ---- Any number of thresholds ---------------------------------------------------------------- */

/* A bucket is the sample at its start; within it samples are about evenly spaced. The thresholds on
 * both sides decide. */
#define SEARCH(name, out_type)                                                                     \
    static void search_##name(const void *from, void *to, int64_t count, const void *table)        \
    {                                                                                              \
        const struct encode encode = *(const struct encode *)table;                                \
        const float *p = from, *least = encode.curve->from;                                        \
        out_type *result = to;                                                                     \
        for (int64_t i = 0; i < count; i++) {                                                      \
            uint32_t at = position(&encode, p[i]), b = at >> SEARCH_SHIFT;                         \
            float light = from_bits(at + encode.first);                                            \
            uint32_t start = encode.buckets[b], more = encode.buckets[b + 1] - start;              \
            uint32_t sample = start + (more * (at & 0x7fff) >> SEARCH_SHIFT);                      \
            while (light < least[sample])                                                          \
                sample--;                                                                          \
            while (light >= least[sample + 1])                                                     \
                sample++;                                                                          \
            result[i] = (out_type)sample;                                                          \
        }                                                                                          \
    }
SEARCH(u8, uint8_t)
SEARCH(u16, uint16_t)

static void fill_starts(const struct encode *encode)
{
    const struct curve_table *curve = encode->curve;
    uint32_t sample = 0;
    for (int32_t b = 0; b < encode->count; b++) {
        uint32_t start = encode->first + ((uint32_t)b << SEARCH_SHIFT);
        while ((int32_t)sample < curve->most && bits_of(curve->from[sample + 1]) <= start)
            sample++;
        encode->buckets[b] = sample;
    }
    encode->buckets[encode->count] = (uint32_t)curve->most;
}

/* ---- The way --------------------------------------------------------------------------------- */

static swathe_status new_buckets(struct arena *arena, const struct curve_table *curve, int shift,
                                 struct encode *encode)
{
    encode->first = bits_of(curve->from[1]) >> shift << shift;
    encode->lowest = from_bits(encode->first);
    encode->highest = curve->from[curve->most];
    encode->count = (int32_t)((bits_of(encode->highest) - encode->first) >> shift) + 1;
    encode->curve = curve;
    return arena_new(arena, encode->count + 1, sizeof *encode->buckets, "a curve",
                     &encode->buckets);
}

swathe_status encode_make(struct arena *arena, const struct point *point, int isa,
                          struct plan_stage *stage, struct map_way *way)
{
    struct encode *encode;
    struct kernel_steps *steps;
    TRY(arena_new(arena, 1, sizeof *encode, "a curve", &encode));
    way->table = encode;
    if (point->out == SWATHE_U8) {
        TRY(new_buckets(arena, point->curve, STEP_SHIFT, encode));
        TRY(arena_new(arena, 1, sizeof *steps, "a curve", &steps));
        *steps =
            (struct kernel_steps){encode->lowest, encode->highest, encode->first, encode->buckets};
        if (fill_steps(encode)) {
            way->table = steps;
            way->kernel = algorithm_find(KERNEL_STEP, "f32", "u8", isa, stage);
            return SWATHE_OK;
        }
    }
    TRY(new_buckets(arena, point->curve, SEARCH_SHIFT, encode));
    way->loop = point->out == SWATHE_U8 ? search_u8 : search_u16;
    fill_starts(encode);
    return SWATHE_OK;
}

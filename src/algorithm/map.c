/* Functions of one sample. Samples of 8 and 16 bits index a table that the definition fills. Others
 * are mapped one by one by the definition; scaling needs no table, and linear light is
 * converted by thresholds. */
#include "algorithm/algorithm.h"
#include "base/checked.h"

#include <math.h>
#include <string.h>

typedef void map_loop(const void *from, void *to, int64_t count, const void *table);

/* A loop or a kernel, and the table that it reads. */
struct map_way {
    map_loop *loop; /* NULL: by the kernel */
    kernel *kernel; /* NULL: by the definition */
    const void *table;
};

enum { GROUP = 8 };

struct map {
    struct map_way ways[CURVE_COUNT_MAX + 1]; /* of op->points */
};

static bool algorithm_map_applies(const struct algorithm_case *at)
{
    return at->op->rule == STAGE_POINT;
}

static double algorithm_map_work(const struct algorithm_case *at)
{
    return sample_size(at->op->in) <= 2 || at->op->points[0].curve ? 1.0 : 8.0;
}

/* ---- Linear light ------------------------------------------------------------------------------
 *
 * Light is positive, so that its bits as an integer have the order of its values. Their upper part
 * is the number of a bucket: 2^7 or 2^8 of them for each power of two, from the first threshold to
 * the last one. */

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
static inline uint32_t algorithm_map_position(const struct encode *encode, float light)
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
            uint32_t at = algorithm_map_position(&encode, p[i]), b = at >> SEARCH_SHIFT;           \
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

/* The way of a POINT_encode from f32. */
static swathe_status encode_make(struct arena *arena, const struct point *point, int isa,
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

/* ---- Tables ---------------------------------------------------------------------------------- */

/* A table of samples of type s16 starts at the lowest one. */
#define FIRST_u8  0
#define FIRST_u16 0
#define FIRST_s16 32768

#define LOOK_UP(in, in_type, size, out_type)                                                       \
    static void look_up_##in##_##size(const void *from, void *to, int64_t count,                   \
                                      const void *table)                                           \
    {                                                                                              \
        const in_type *p = from;                                                                   \
        const out_type *values = (const out_type *)table + FIRST_##in;                             \
        out_type *result = to;                                                                     \
        for (int64_t i = 0; i < count; i++)                                                        \
            result[i] = values[p[i]];                                                              \
    }
#define LOOK_UP_FROM(in, in_type)                                                                  \
    LOOK_UP(in, in_type, 1, uint8_t)                                                               \
    LOOK_UP(in, in_type, 2, uint16_t)                                                              \
    LOOK_UP(in, in_type, 4, uint32_t)                                                              \
    LOOK_UP(in, in_type, 8, uint64_t)
LOOK_UP_FROM(u8, uint8_t)
LOOK_UP_FROM(u16, uint16_t)
LOOK_UP_FROM(s16, int16_t)

#define LOOK_UPS(in)                                                                               \
    {                                                                                              \
        look_up_##in##_1, look_up_##in##_2, look_up_##in##_4, look_up_##in##_8                     \
    }
static map_loop *find_look_up(swathe_type in, int32_t out_size)
{
    static map_loop *const loops[3][4] = {LOOK_UPS(u8), LOOK_UPS(u16), LOOK_UPS(s16)};
    int row = in == SWATHE_U8 ? 0 : in == SWATHE_U16 ? 1 : 2;
    return loops[row][out_size == 1 ? 0 : out_size == 2 ? 1 : out_size == 4 ? 2 : 3];
}

static swathe_status fill_table(struct arena *arena, const struct point *point, const void **filled)
{
    uint8_t *table;
    const struct sample_entry *in = sample_entry(point->in);
    int64_t count = (int64_t)(in->highest - in->lowest) + 1, size = sample_size(point->out);
    TRY(arena_new_raw(arena, count, (size_t)size, "a table", &table));
    for (int64_t i = 0; i < count; i++)
        sample_store(table + i * size, point->out, point_apply(point, in->lowest + (double)i));
    *filled = table;
    return SWATHE_OK;
}

/* ---- Scaling between unsigned integers ------------------------------------------------------- */

/* The ranges have a whole factor f: 257, 65537 or 257·65537. With r = f·m,
 * floor((2·p·m + r) / 2r) = floor((2·p + f) / 2f) = floor((p + (f − 1) / 2) / f), because f is odd.
 * In the other direction the quotient is p·f. */
#define WIDEN(in_type, out_type, f)                                                                \
    static void widen_##f(const void *from, void *to, int64_t count, const void *table)            \
    {                                                                                              \
        const in_type *p = from;                                                                   \
        out_type *result = to;                                                                     \
        (void)table;                                                                               \
        for (int64_t i = 0; i < count; i++)                                                        \
            result[i] = (out_type)(p[i] * UINT32_C(f));                                            \
    }
WIDEN(uint8_t, uint16_t, 257)
WIDEN(uint16_t, uint32_t, 65537)
WIDEN(uint8_t, uint32_t, 16843009)

#define NARROW(in_type, out_type, f)                                                               \
    static void narrow_##f(const void *from, void *to, int64_t count, const void *table)           \
    {                                                                                              \
        const in_type *p = from;                                                                   \
        out_type *result = to;                                                                     \
        (void)table;                                                                               \
        for (int64_t i = 0; i < count; i++)                                                        \
            result[i] = (out_type)((p[i] + UINT64_C(f) / 2) / UINT64_C(f));                        \
    }
NARROW(uint32_t, uint16_t, 65537)
NARROW(uint32_t, uint8_t, 16843009)

/* floor((p + 128) / 257) = floor((255·p + 32895) / 2^16) for every p below 2^16: with p = 257·a +
 * b, 0 <= b <= 256, the dividend is 65535·a + 255·b + 32895 = 65536·a + (255·b + 32895 − a), and a
 * <= 255. It reaches 65536·(a + 1) if 255·b − a >= 32641, which for a <= 254 is b >= 129 (a = 255
 * has b = 0), and b = 256 stays below 65536·(a + 2). */
static void narrow_257(const void *from, void *to, int64_t count, const void *table)
{
    const uint16_t *p = from;
    uint8_t *result = to;
    (void)table;
    for (int64_t i = 0; i < count; i++)
        result[i] = (uint8_t)((p[i] * UINT32_C(255) + 32895) >> 16);
}

/* The range of floats is 0 to 1. */
#define QUANTISE(name, out_type, most)                                                             \
    static void quantise_##name(const void *from, void *to, int64_t count, const void *table)      \
    {                                                                                              \
        const float *p = from;                                                                     \
        out_type *result = to;                                                                     \
        (void)table;                                                                               \
        for (int64_t i = 0; i < count; i++) {                                                      \
            double share = p[i] > 0.0f ? (double)p[i] : 0.0; /* NaN counts as 0 */                 \
            result[i] = (out_type)((share < 1.0 ? share : 1.0) * most + 0.5);                      \
        }                                                                                          \
    }
QUANTISE(u8, uint8_t, 255.0)
QUANTISE(u16, uint16_t, 65535.0)

static map_loop *find_scaling(const struct point *point)
{
    static const struct {
        swathe_type in, out;
        map_loop *loop;
    } loops[] = {{SWATHE_U8, SWATHE_U16, widen_257},      {SWATHE_U16, SWATHE_U32, widen_65537},
                 {SWATHE_U8, SWATHE_U32, widen_16843009}, {SWATHE_U16, SWATHE_U8, narrow_257},
                 {SWATHE_U32, SWATHE_U16, narrow_65537},  {SWATHE_U32, SWATHE_U8, narrow_16843009},
                 {SWATHE_F32, SWATHE_U8, quantise_u8},    {SWATHE_F32, SWATHE_U16, quantise_u16}};
    struct point_range whole = point_whole(point->in);
    if (point->id != POINT_range || point->from.low != whole.low || point->from.high != whole.high)
        return NULL;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        if (loops[i].in == point->in && loops[i].out == point->out)
            return loops[i].loop;
    return NULL;
}

/* ---- The stage ------------------------------------------------------------------------------- */

static bool algorithm_map_has_kernel(const struct point *point)
{
    return point->in == SWATHE_U8 && point->out == SWATHE_F32;
}

static swathe_status make_way(struct arena *arena, const struct point *point, int isa,
                              struct plan_stage *stage, struct map_way *way)
{
    if (point->id == POINT_encode)
        return encode_make(arena, point, isa, stage, way);
    way->loop = point->missing ? NULL : find_scaling(point);
    if (way->loop || sample_size(point->in) > 2)
        return SWATHE_OK;
    if (algorithm_map_has_kernel(point))
        way->kernel = algorithm_find(KERNEL_LOOK_UP, "u8", "f32", isa, stage);
    else
        way->loop = find_look_up(point->in, sample_size(point->out));
    way->table = point->id == POINT_decode ? point->curve->decode : NULL;
    return way->table ? SWATHE_OK : fill_table(arena, point, &way->table);
}

static swathe_status make_map(struct arena *arena, const struct op *op, int isa,
                              struct plan_stage *stage, struct map *map)
{
    int32_t count = op->other < 0 ? 1 : op->point_count;
    for (int32_t i = 0; i < count; i++)
        TRY(make_way(arena, &op->points[i], isa, stage, &map->ways[i]));
    return SWATHE_OK;
}

static swathe_status algorithm_map_make(struct arena *arena, const struct op *op, int isa,
                                        bool exact, struct plan_stage *stage)
{
    struct map *map;
    (void)exact;
    TRY(arena_new(arena, 1, sizeof *map, "a plan", &map));
    stage->prepared = map;
    stage->isa =
        op->points[0].id == POINT_encode || algorithm_map_has_kernel(&op->points[0]) ? isa : 0;
    stage->chunk = algorithm_chunk(op);
    stage->group = GROUP;
    return make_map(arena, op, isa, stage, map);
}

static int64_t algorithm_map_scratch_bytes(const struct plan_stage *stage, int64_t count,
                                           int32_t step)
{
    (void)stage;
    (void)count;
    (void)step;
    return 0;
}

static void map_each(const struct point *point, const uint8_t *from, uint8_t *to, int64_t count)
{
    int32_t in = sample_size(point->in), out = sample_size(point->out);
    for (int64_t i = 0; i < count; i++)
        sample_store(to + i * out, point->out,
                     point_apply(point, sample_load(from + i * in, point->in)));
}

static void run_kernel(const struct row_task *task, const struct map_way *way, int32_t row)
{
    const void *source = task->rows[row];
    struct kernel_args args = {.source = &source,
                               .tap_count = 1,
                               .taps = way->table,
                               .result = task->results[row],
                               .count = task->count,
                               .ahead =
                                   task->ahead ? (const void *const *)task->ahead + row : NULL};
    way->kernel(&args);
}

static void algorithm_map_run(const struct row_task *task)
{
    const struct map *map = task->stage->prepared;
    const struct map_way *way = &map->ways[task->mask];
    for (int32_t r = 0; r < task->height; r++)
        if (way->kernel)
            run_kernel(task, way, r);
        else if (way->loop)
            way->loop(task->rows[r], task->results[r], task->count, way->table);
        else
            map_each(&task->stage->op->points[task->mask], task->rows[r], task->results[r],
                     task->count);
}

const struct algorithm_calls algorithm_map = {.applies = algorithm_map_applies,
                                              .work = algorithm_map_work,
                                              .make = algorithm_map_make,
                                              .scratch_bytes = algorithm_map_scratch_bytes,
                                              .run = algorithm_map_run};

#include "cpu/tiles.h"

#include "cpu/kernel.h"

#include <string.h>

#if SWATHE_BUILD_AMX
extern const struct tiles_calls tiles_amx;
#endif

const struct tiles_calls *tiles_find(int isa)
{
#if SWATHE_BUILD_AMX
    if (isa == isa_named("amx") && isa_usable(isa))
        return &tiles_amx;
#endif
    (void)isa;
    return NULL;
}

/* Where a split finds byte i of output vector `to` in the concatenated input vectors. */
static int32_t split_from(int32_t count, int32_t size, const uint8_t *order, int32_t to, int32_t i)
{
    int32_t columns = TILES_COLUMNS / size, column = order ? order[i] : i % columns;
    return (column * count + to) * size + i / columns;
}

/* Where a join finds byte i of output vector `to`. */
static int32_t join_from(int32_t count, int32_t size, const uint8_t *place, int32_t to, int32_t i)
{
    int32_t sample = (to * TILES_COLUMNS + i) / size, column = sample / count;
    int32_t at = place ? place[column] : size == 2 ? tiles_word(column) : column;
    return sample % count * TILES_COLUMNS + at * size + i % size;
}

/* Memory of a shuffle while it is made. */
struct tables {
    uint8_t *index, *once;
    uint64_t *from, *blend;
    uint64_t used[TILES_PLANES]; /* by `once`: places in each plane */
    bool clash;
};

/* Byte i of output vector `to` is byte `at` of the concatenated input vectors. */
static void add_byte(struct tables *tables, int32_t count, bool split, int32_t to, int32_t i,
                     int32_t at)
{
    int32_t vector = at / TILES_COLUMNS, byte = at % TILES_COLUMNS, entry = to * count + vector;
    int32_t plane = split ? to : vector;
    uint64_t place = UINT64_C(1) << (split ? byte : i);
    tables->index[entry * TILES_COLUMNS + i] = (uint8_t)byte;
    tables->from[entry] |= UINT64_C(1) << i;
    tables->blend[entry] |= UINT64_C(1) << byte;
    tables->once[plane * TILES_COLUMNS + i] = (uint8_t)byte;
    tables->clash |= (tables->used[plane] & place) != 0;
    tables->used[plane] |= place;
}

static swathe_status make_shuffle(struct arena *arena, int32_t count, int32_t size, bool split,
                                  const uint8_t *order, struct tiles_shuffle *shuffle)
{
    struct tables tables = {.clash = false};
    TRY(arena_new(arena, (int64_t)count * count, TILES_COLUMNS, "a plan", &tables.index));
    TRY(arena_new(arena, count, TILES_COLUMNS, "a plan", &tables.once));
    TRY(arena_new(arena, (int64_t)count * count, sizeof *tables.from, "a plan", &tables.from));
    TRY(arena_new(arena, (int64_t)count * count, sizeof *tables.blend, "a plan", &tables.blend));
    for (int32_t to = 0; to < count; to++)
        for (int32_t i = 0; i < TILES_COLUMNS; i++)
            add_byte(&tables, count, split, to, i,
                     split ? split_from(count, size, order, to, i)
                           : join_from(count, size, order, to, i));
    *shuffle = (struct tiles_shuffle){.count = count,
                                      .size = size,
                                      .index = tables.index,
                                      .from = tables.from,
                                      .once = tables.clash ? NULL : tables.once,
                                      .blend = tables.blend};
    return SWATHE_OK;
}

swathe_status tiles_shuffle_split(struct arena *arena, int32_t channels, int32_t size,
                                  const uint8_t *order, struct tiles_shuffle *shuffle)
{
    return make_shuffle(arena, channels, size, true, order, shuffle);
}

swathe_status tiles_shuffle_join(struct arena *arena, int32_t count, int32_t size,
                                 const uint8_t *place, struct tiles_shuffle *shuffle)
{
    return make_shuffle(arena, count, size, false, place, shuffle);
}

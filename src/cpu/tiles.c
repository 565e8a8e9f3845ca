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

/* Where a split finds byte i of plane `to` in the concatenated input vectors. */
static int32_t split_from(int32_t count, int32_t to, int32_t i)
{
    return i * count + to;
}

/* Where a join finds byte i of output vector `to`. */
static int32_t join_from(int32_t count, int32_t size, int32_t to, int32_t i)
{
    int32_t sample = (to * TILES_COLUMNS + i) / size, column = sample / count;
    int32_t place = size == 2 ? tiles_word(column) : column;
    return sample % count * TILES_COLUMNS + place * size + i % size;
}

static swathe_status make_shuffle(struct arena *arena, int32_t count, int32_t size, bool split,
                                  struct tiles_shuffle *shuffle)
{
    uint8_t *index;
    uint64_t *from;
    TRY(arena_new(arena, (int64_t)count * count, TILES_COLUMNS, "a plan", &index));
    TRY(arena_new(arena, (int64_t)count * count, sizeof *from, "a plan", &from));
    for (int32_t to = 0; to < count; to++)
        for (int32_t i = 0; i < TILES_COLUMNS; i++) {
            int32_t at = split ? split_from(count, to, i) : join_from(count, size, to, i);
            int32_t entry = to * count + at / TILES_COLUMNS;
            index[entry * TILES_COLUMNS + i] = (uint8_t)(at % TILES_COLUMNS);
            from[entry] |= UINT64_C(1) << i;
        }
    *shuffle = (struct tiles_shuffle){.count = count, .size = size, .index = index, .from = from};
    return SWATHE_OK;
}

swathe_status tiles_shuffle_split(struct arena *arena, int32_t count, struct tiles_shuffle *shuffle)
{
    return make_shuffle(arena, count, 1, true, shuffle);
}

swathe_status tiles_shuffle_join(struct arena *arena, int32_t count, int32_t size,
                                 struct tiles_shuffle *shuffle)
{
    return make_shuffle(arena, count, size, false, shuffle);
}

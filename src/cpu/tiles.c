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

/* Byte i of vector `to` is byte `at` of the concatenated input vectors. */
static swathe_status make_shuffle(struct arena *arena, int32_t count, bool split,
                                  struct tiles_shuffle *shuffle)
{
    uint8_t *index;
    uint64_t *from;
    TRY(arena_new(arena, (int64_t)count * count, TILES_COLUMNS, "a plan", &index));
    TRY(arena_new(arena, (int64_t)count * count, sizeof *from, "a plan", &from));
    for (int32_t to = 0; to < count; to++)
        for (int32_t i = 0; i < TILES_COLUMNS; i++) {
            int32_t pixel = split ? i : (to * TILES_COLUMNS + i) / count;
            int32_t plane = split ? to : (to * TILES_COLUMNS + i) % count;
            int32_t at = split ? pixel * count + plane : plane * TILES_COLUMNS + pixel;
            int32_t entry = to * count + at / TILES_COLUMNS;
            index[entry * TILES_COLUMNS + i] = (uint8_t)(at % TILES_COLUMNS);
            from[entry] |= UINT64_C(1) << i;
        }
    *shuffle = (struct tiles_shuffle){.count = count, .index = index, .from = from};
    return SWATHE_OK;
}

swathe_status tiles_shuffle_split(struct arena *arena, int32_t count, struct tiles_shuffle *shuffle)
{
    return make_shuffle(arena, count, true, shuffle);
}

swathe_status tiles_shuffle_join(struct arena *arena, int32_t count, struct tiles_shuffle *shuffle)
{
    return make_shuffle(arena, count, false, shuffle);
}

/* map.c with a bug: a table starts at its second entry. With PLANT_LIGHT it is the table of a
 * curve, otherwise that of any other function. */
#include "algorithm/algorithm.h"

#ifndef PLANT_LIGHT
#define PLANT_LIGHT 0
#endif

#define algorithm_map right_map
#include "algorithm/map.c"
#undef algorithm_map

static swathe_status wrong_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                struct plan_stage *stage)
{
    TRY(make(arena, op, isa, exact, stage));
    struct map *map = stage->prepared;
    const struct sample_entry *in = sample_entry(op->in);
    size_t size = (size_t)sample_size(op->out), bytes = size * (size_t)(in->highest - in->lowest);
    struct map_way *way = &map->ways[0];
    uint8_t *table;
    if (!way->table || op->points[0].id == POINT_encode ||
        (op->points[0].id == POINT_decode) != PLANT_LIGHT)
        return SWATHE_OK;
    TRY(arena_new(arena, (int64_t)(bytes + size), 1, "a table", &table));
    memcpy(table, (const uint8_t *)way->table + size, bytes);
    memcpy(table + bytes, table + bytes - size, size);
    way->table = table;
    return SWATHE_OK;
}

const struct algorithm_calls algorithm_map = {.applies = applies,
                                              .work = work,
                                              .make = wrong_make,
                                              .scratch_bytes = scratch_bytes,
                                              .run = run};

/* An algorithm with a bug, by PLANT_...: its table is that of the library, but one of its functions
 * is wrong. The algorithm's file is included, because the functions in its table are static. */
#include "algorithm/algorithm.h"

/* ---- Bugs in what is prepared ------------------------------------------------------------------
 */

#ifdef PLANT_TWO_PASS /* the first tap of the horizontal pass reads one column too far right; a    \
                       * kernel that takes columns at equal distances gets this tap and the second \
                       * one swapped, or all its columns are one too far left */
#define PLANTED            algorithm_two_pass
#define algorithm_two_pass right
#include "algorithm/two_pass.c"

static void swap_first_taps(void *taps, swathe_type type)
{
    double first = sample_load(taps, type);
    uint8_t *second = (uint8_t *)taps + sample_size(type);
    sample_store(taps, type, sample_load(second, type));
    sample_store(second, type, first);
}

static swathe_status damage(struct arena *arena, const struct op *op, struct plan_stage *stage)
{
    struct passes *passes = stage->prepared;
    int64_t rows = op->terms->down.height;
    (void)arena;
    if (op->terms->across.width < 2)
        return SWATHE_OK;
    if (passes->bytes)
        passes->bytes->column--;
    else if (passes->both)
        swap_first_taps((uint8_t *)passes->both_taps + rows * sample_size(op->real), op->real);
    else if (passes->across_rows)
        swap_first_taps(passes->across.taps, op->real);
    else
        passes->across.column[0]++;
    return SWATHE_OK;
}

#elif defined PLANT_LOW_RANK /* so does the first tap for samples that are not finite */
#define PLANTED            algorithm_low_rank
#define algorithm_low_rank right
#include "algorithm/low_rank.c"

static swathe_status damage(struct arena *arena, const struct op *op, struct plan_stage *stage)
{
    const struct low_rank *low = stage->prepared;
    (void)arena, (void)op;
    low->masks[0].directly.column[0]++;
    return SWATHE_OK;
}

#elif defined PLANT_BANDED /* chunks of vertical taps are four rows too far apart */
#define PLANTED          algorithm_banded
#define algorithm_banded right
#include "algorithm/banded.c"

static swathe_status damage(struct arena *arena, const struct op *op, struct plan_stage *stage)
{
    (void)arena, (void)op;
    ((struct banded *)stage->prepared)->mask.deep += 4;
    return SWATHE_OK;
}

#elif defined PLANT_GRID /* the grid is half as wide as it must be: sections that share a          \
                          * transform depend on how the image is divided */
#define PLANTED           algorithm_fourier
#define algorithm_fourier right
#include "algorithm/fourier.c"

static swathe_status damage(struct arena *arena, const struct op *op, struct plan_stage *stage)
{
    (void)arena, (void)op;
    stage->grid_x /= 2;
    return SWATHE_OK;
}

#elif defined PLANT_SPECTRUM /* one value of one spectrum is wrong */
#define PLANTED           algorithm_fourier
#define algorithm_fourier right
#include "algorithm/fourier.c"

static swathe_status damage(struct arena *arena, const struct op *op, struct plan_stage *stage)
{
    const struct fourier *fourier = stage->prepared;
    int64_t last = 2 * (int64_t)fourier->masks[0].rows * fourier->size.points - 1;
    (void)arena;
    if (op->integer)
        ((double *)fourier->masks[0].spectra)[last] += 0x1p40;
    else if (op->real == SWATHE_F64)
        ((double *)fourier->masks[0].spectra)[last] += 1.0;
    else
        ((float *)fourier->masks[0].spectra)[last] += 1.0f;
    return SWATHE_OK;
}

#elif defined PLANT_MAP || defined PLANT_LIGHT /* a table starts at its second entry: that of a    \
                                                * curve of light, or that of any other function */
#define PLANTED       algorithm_map
#define algorithm_map right
#include "algorithm/map.c"

static swathe_status damage(struct arena *arena, const struct op *op, struct plan_stage *stage)
{
#ifdef PLANT_LIGHT
    const bool curve = true;
#else
    const bool curve = false;
#endif
    struct map *map = stage->prepared;
    const struct sample_entry *in = sample_entry(op->in);
    size_t size = (size_t)sample_size(op->out), bytes = size * (size_t)(in->highest - in->lowest);
    struct map_way *way = &map->ways[0];
    uint8_t *table;
    if (!way->table || op->points[0].id == POINT_encode ||
        (op->points[0].id == POINT_decode) != curve)
        return SWATHE_OK;
    TRY(arena_new(arena, (int64_t)(bytes + size), 1, "a table", &table));
    memcpy(table, (const uint8_t *)way->table + size, bytes);
    memcpy(table + bytes, table + bytes - size, size);
    way->table = table;
    return SWATHE_OK;
}

#elif defined PLANT_STACK /* the results of two masks of a stack are swapped */
#define PLANTED          algorithm_divide
#define algorithm_divide right
#include "algorithm/divide.c"

static void wrong_run(const struct row_task *task)
{
    const struct weights *weights = task->stage->op->weights;
    struct row_task wrong = *task;
    if (!weights->quotient.part[task->mask].is_weight &&
        weights->planes.results > weights->planes.colours)
        wrong.mask = (task->mask + weights->planes.colours) % weights->planes.results;
    divide_run(&wrong);
}
#define WRONG_RUN wrong_run
#endif

/* ---- The table ---------------------------------------------------------------------------------
 */

#ifndef WRONG_RUN
static swathe_status wrong_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                struct plan_stage *stage)
{
    TRY(right.make(arena, op, isa, exact, stage));
    return damage(arena, op, stage);
}
#endif

/* The library's table is constant, and no constant expression copies it: this one, which has its
 * name only for the linker, is filled before main(). */
#define TEXT(words)    #words
#define NAME_OF(words) TEXT(words)
#undef algorithm_two_pass
#undef algorithm_low_rank
#undef algorithm_banded
#undef algorithm_fourier
#undef algorithm_map
#undef algorithm_divide
extern struct algorithm_calls planted __asm__(NAME_OF(PLANTED));
struct algorithm_calls planted;

__attribute__((constructor)) static void plant(void)
{
    planted = right;
#ifdef WRONG_RUN
    planted.run = WRONG_RUN;
#else
    planted.make = wrong_make;
#endif
}

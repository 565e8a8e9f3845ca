/* toeplitz.c with a bug: one tap's second piece is off by one in one of the sixteen positions of a
 * patch. */
#define algorithm_toeplitz right_toeplitz
#include "algorithm/toeplitz.c"
#undef algorithm_toeplitz

static swathe_status wrong_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                struct plan_stage *stage)
{
    TRY(make(arena, op, isa, exact, stage));
    struct toeplitz *toeplitz = stage->prepared;
    struct tiles_mask *mask = &toeplitz->masks[0];
    int8_t *tiles = (int8_t *)(uintptr_t)mask->tiles;
    /* Result 5 of 16 is one row and one column into the patch, and so is its first tap. */
    int32_t within = toeplitz->shape.row_lines * TILES_STEP + 1;
    if (mask->chunk_count > 0 && mask->pieces > 1 && within < TILES_COLUMNS)
        tiles[TILES_BYTES + 5 * TILES_COLUMNS + within] ^= 1;
    return SWATHE_OK;
}

const struct algorithm_calls algorithm_toeplitz = {.applies = applies,
                                                   .work = work,
                                                   .make = wrong_make,
                                                   .scratch_bytes = scratch_bytes,
                                                   .run = run};

/* fourier.c with a bug. PLANT_GRID: the grid is half as wide as it must be, so that the sections
 * that share a transform depend on how the image is divided. Otherwise one value of one spectrum is
 * wrong. */
#include "algorithm/fourier_plan.h"

#define algorithm_fourier right_fourier
#include "algorithm/fourier.c"
#undef algorithm_fourier

static swathe_status wrong_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                struct plan_stage *stage)
{
    TRY(make(arena, op, isa, exact, stage));
#if PLANT_GRID
    stage->grid_x /= 2;
#else
    const struct fourier *fourier = stage->prepared;
    int64_t last = 2 * (int64_t)fourier->masks[0].rows * fourier->size.points - 1;
    if (op->integer)
        ((double *)fourier->masks[0].spectra)[last] += 0x1p40;
    else if (op->real == SWATHE_F64)
        ((double *)fourier->masks[0].spectra)[last] += 1.0;
    else
        ((float *)fourier->masks[0].spectra)[last] += 1.0f;
#endif
    return SWATHE_OK;
}

const struct algorithm_calls algorithm_fourier = {.analyse = analyse,
                                                  .applies = applies,
                                                  .work = work,
                                                  .make = wrong_make,
                                                  .scratch_bytes = scratch_bytes,
                                                  .run = run,
                                                  .relative_error = fourier_relative_error,
                                                  .error_bound = fourier_error_bound,
                                                  .reorders = true,
                                                  .repairs = fourier_repairs};

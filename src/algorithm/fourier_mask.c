/* Spectra of a mask's rows. Correlation needs their conjugates, so taps are stored at −column. */
#include "algorithm/fourier_plan.h"

#include "base/checked.h"

static double fourier_mask_tap_at(const struct op *op, const struct packed_taps *taps, int64_t t)
{
    if (op->integer)
        return ((const int32_t *)taps->taps)[t];
    return op->real == SWATHE_F64 ? ((const double *)taps->taps)[t]
                                  : (double)((const float *)taps->taps)[t];
}

/* Finds the rows of the mask that have non-zero taps. The taps are sorted by row. */
static swathe_status fourier_mask_find_rows(struct arena *arena, struct fourier_mask *mask)
{
    TRY(arena_new(arena, mask->taps.count, sizeof *mask->row, "taps", &mask->row));
    for (int64_t t = 0; t < mask->taps.count; t++)
        if (t == 0 || mask->taps.row[t] != mask->taps.row[t - 1])
            mask->row[mask->rows++] = mask->taps.row[t];
    return SWATHE_OK;
}

/* Sets the points of `lanes` rows of the mask from row `first` on, one row per lane, and returns
 * the tap after them. The scale of the inverse transform is applied here. */
static int64_t set_points(const struct op *op, const struct fourier_mask *mask, int32_t points,
                          int32_t first, int32_t lanes, int64_t t, double *work)
{
    for (int64_t i = 0; i < 2 * (int64_t)lanes * points; i++)
        work[i] = 0.0;
    for (int32_t r = first; r < first + lanes && r < mask->rows; r++)
        for (; t < mask->taps.count && mask->taps.row[t] == mask->row[r]; t++) {
            int64_t at = (points - mask->taps.column[t]) % points;
            work[2 * lanes * at + r - first] = fourier_mask_tap_at(op, &mask->taps, t) / points;
        }
    return t;
}

/* Copies from groups of the f64 kernels' lanes to groups of the stage's lanes. */
static void copy_spectra(const struct fourier *fourier, const double *bins, int64_t rows,
                         int32_t lanes, struct fourier_mask *mask)
{
    int64_t own = fourier->kernels->lanes;
    for (int64_t row = 0; row < mask->rows && !cancel_wanted(); row++)
        for (int64_t half = 0; half < 2; half++)
            for (int64_t i = 0; i < fourier->size.points; i++) {
                double v = bins[((i / lanes * rows + row) * 2 + half) * lanes + i % lanes];
                int64_t to = ((i / own * mask->rows + row) * 2 + half) * own + i % own;
                if (fourier->kernels->real_size == (int32_t)sizeof(double))
                    ((double *)mask->spectra)[to] = v;
                else
                    ((float *)mask->spectra)[to] = (float)v;
            }
}

/* Transforms in f64 regardless of the stage's type, with temporary scratch. */
static swathe_status fourier_mask_transform(struct arena *scratch, const struct op *op,
                                            const struct fourier *fourier, int isa,
                                            struct fourier_mask *mask)
{
    int used;
    const struct fourier_kernels *kernels = fourier_find(isa, 1, &used);
    struct fourier_size size;
    int64_t lanes = kernels->lanes, points = fourier->size.points;
    int64_t rows = ceil_div(mask->rows, lanes) * lanes;
    int64_t tap = 0;
    double *work, *bins;
    fourier_factor((int32_t)points, &size);
    TRY(fourier_twiddles(scratch, &size, true));
    TRY(arena_new(scratch, points * lanes, 2 * sizeof *work, "a transform", &work));
    TRY(arena_new(scratch, points * rows, 2 * sizeof *bins, "a transform", &bins));
    for (int32_t first = 0; first < mask->rows; first += kernels->lanes) {
        TRY(cancel_now());
        tap = set_points(op, mask, (int32_t)points, first, kernels->lanes, tap, work);
        kernels->forward(&size, work, bins + 2 * lanes * first, rows);
    }
    copy_spectra(fourier, bins, rows, kernels->lanes, mask);
    return cancel_now();
}

swathe_status fourier_spectra(struct arena *arena, const struct op *op,
                              const struct fourier *fourier, int isa, struct fourier_mask *mask)
{
    struct arena scratch = {.memory = arena->memory};
    TRY(fourier_mask_find_rows(arena, mask));
    TRY(arena_new(arena, (int64_t)mask->rows * fourier->size.points,
                  2 * fourier->kernels->real_size, "a spectrum", &mask->spectra));
    swathe_status status = fourier_mask_transform(&scratch, op, fourier, isa, mask);
    arena_free(&scratch);
    return status;
}

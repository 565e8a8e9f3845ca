/* baseline_row.c with a bug: the first row reflects as if it were replicated, or s16 ends one above
 * its lowest value. It stands before the library, so that the linker leaves the right one out. */
#include "baseline.h"

#define baseline_row(b, y) right_baseline_row(b, y)
void right_baseline_row(const struct baseline *b, int64_t y);
#include "baseline_row.c"
#undef baseline_row

void baseline_row(const struct baseline *b, int64_t y)
{
    struct baseline wrong = *b;
#if defined(PLANT_BORDER)
    if (b->border == BASELINE_REFLECT && y == 0)
        wrong.border = BASELINE_REPLICATE;
#else
    if (b->to->type == SWATHE_S16 && b->least == b->most) {
        wrong.least = -INT16_MAX;
        wrong.most = INT16_MAX;
    }
#endif
    right_baseline_row(&wrong, y);
}

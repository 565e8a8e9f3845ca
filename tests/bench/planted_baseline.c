/* baseline_row.c with a bug: the first row uses replicate instead of reflect, or s16 is clamped one
 * above its lowest value. It precedes the library, so that the linker omits the correct one. */
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

#include "plan/interval.h"

#include "base/checked.h"

static int64_t interval_extent(const struct op *op, enum interval_axis axis)
{
    return axis == INTERVAL_COLUMNS ? op->in_width : op->in_height;
}

struct interval interval_reach(const struct op *op, enum interval_axis axis, struct interval out)
{
    if (axis == INTERVAL_COLUMNS)
        return (struct interval){out.first + op->shift_x - op->left,
                                 out.last + op->shift_x + op->right};
    return (struct interval){out.first + op->shift_y - op->above,
                             out.last + op->shift_y + op->below};
}

struct interval interval_near(const struct op *op, enum interval_axis axis, struct interval out)
{
    struct interval reach = interval_reach(op, axis, out);
    return (struct interval){max64(reach.first, 0), min64(reach.last, interval_extent(op, axis))};
}

/* Extends `need` by the samples to which the border maps the coordinates first..last-1, all
 * outside. */
static void add_mapped(const struct op *op, int64_t n, int64_t first, int64_t last,
                       struct interval *need)
{
    if (last - first >= 2 * n && op->border.mode != BORDER_REPLICATE) {
        if (border_index(&op->border, first, n) != BORDER_OUTSIDE)
            *need = (struct interval){0, n}; /* a whole period: all samples */
        return;
    }
    for (int64_t i = first; i < last; i++) {
        int64_t at = border_index(&op->border, i, n);
        if (at == BORDER_OUTSIDE)
            return; /* all other coordinates are outside, too */
        need->first = min64(need->first, at);
        need->last = max64(need->last, at + 1);
        if (op->border.mode == BORDER_REPLICATE)
            return;
    }
}

struct interval interval_need(const struct op *op, enum interval_axis axis, struct interval out)
{
    int64_t n = interval_extent(op, axis);
    struct interval reach = interval_reach(op, axis, out), need = interval_near(op, axis, out);
    add_mapped(op, n, reach.first, min64(reach.last, 0), &need);
    add_mapped(op, n, max64(reach.first, n), reach.last, &need);
    return need;
}

/* The arithmetic of reports: arithmetic.def. docs/numerics.md defines it. */
#include "filter/op.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    swathe_type type;
} entries[] = {
#define ARITHMETIC(id, name, type, summary) {name, type},
#include "filter/arithmetic.def"
#undef ARITHMETIC
};
enum { ENTRIES = sizeof entries / sizeof *entries };

swathe_status op_arithmetic_named(const char *name, enum op_arithmetic *found)
{
    *found = ARITHMETIC_contract;
    for (int i = 0; name && i < ENTRIES; i++)
        if (strcmp(name, entries[i].name) == 0) {
            *found = (enum op_arithmetic)i;
            return SWATHE_OK;
        }
    return name ? fail_about(SWATHE_ERROR_ARGUMENT, "arithmetic",
                             "no arithmetic '%s'; it is %s, %s or %s", name, entries[0].name,
                             entries[1].name, entries[2].name)
                : SWATHE_OK;
}

swathe_status op_arithmetic_set(enum op_arithmetic arithmetic, struct op *op)
{
    swathe_type type = entries[arithmetic].type;
    if (arithmetic == ARITHMETIC_contract)
        return SWATHE_OK;
    if (op->rule != STAGE_DENSE || op->join || op->in != type || op->out != type || op->weights)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "arithmetic %s takes dense masks and images of %s; add :dense, as in "
                    "gaussian:5:dense, or use another arithmetic",
                    entries[arithmetic].name, sample_entry(type)->name);
    op->arithmetic = arithmetic;
    op->integer = false;
    op->ordered = true;
    op->real = SWATHE_F32;
    return SWATHE_OK;
}

void op_arithmetic_limit(struct op *op)
{
    if (op->arithmetic != ARITHMETIC_report_001)
        return;
    op->low = fmax(op->low, 0.0);
    op->high = fmin(op->high, UINT8_MAX);
}

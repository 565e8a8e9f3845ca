/* The kernels of one instruction set with a bug in two of them: the last lane of a group of
 * vectors, or of the last of several rows, is off by one. Compiled once per instruction set;
 * PLANT_ID is its id in isa.def and PLANT_VEC its vec_*.h. The program is linked without the
 * library's own file, because its table is defined here. */
#include "cpu/c_types.h"
#include "cpu/kernel.h"
#include "cpu/reciprocal.h"

#include <math.h>
#include <string.h>

#define ISA_ID planted
#include PLANT_VEC

#include "cpu/body.h"

static void wrong_pair_u8_u8(const struct kernel_args *args)
{
    enum { GROUP = UNROLL * PAIR_LANES };
    uint8_t *result = args->result;
    kernel_planted_pair_u8_u8(args);
    if (args->count >= GROUP)
        result[GROUP - 1] ^= 1;
}

static void wrong_pair_multirow_u8_u8(const struct kernel_args *args)
{
    kernel_planted_pair_multirow_u8_u8(args);
    if (args->rows.height == KERNEL_PAIRED_ROWS && args->count >= PAIR_LANES)
        ((uint8_t *)args->rows.results[KERNEL_PAIRED_ROWS - 1])[PAIR_LANES - 1] ^= 1;
}

#undef ENTRY_PAIR
#undef ENTRY_PAIR_MULTIROW
#define ENTRY_PAIR_MULTIROW(id)                                                                    \
    KERNEL_##id == KERNEL_pair_multirow_u8_u8 ? wrong_pair_multirow_u8_u8 : KERNEL_NAME(ISA_ID, id)
#define ENTRY_PAIR(id) KERNEL_##id == KERNEL_pair_u8_u8 ? wrong_pair_u8_u8 : KERNEL_NAME(ISA_ID, id)

extern const int ROWS_NAME(PLANT_ID)[KERNEL_HEIGHTS];
const int ROWS_NAME(PLANT_ID)[KERNEL_HEIGHTS] = {U8_HEIGHT, FLOAT_HEIGHT, PASSES_HEIGHT,
                                                 WEIGHTED_HEIGHT};

extern kernel *const TABLE_NAME(PLANT_ID)[KERNEL_COUNT];
kernel *const TABLE_NAME(PLANT_ID)[KERNEL_COUNT] = {
#define DOT_KERNEL(id, sum, source, result) [KERNEL_##id] = ENTRY_##sum(id),
#include "cpu/kernels.def"
};

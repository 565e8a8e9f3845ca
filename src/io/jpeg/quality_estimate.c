#include "io/jpeg/quality_estimate.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The tables of the JPEG standard, K.1 and K.2, row by row; libjpeg scales them by the quality. */
static const uint8_t standard[2][DCTSIZE2] = {
    {16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
     14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
     18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
     49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99},
    {17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99,
     99, 99, 47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
     99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99}};

/* How far a table is from the standard one of a quality. */
static int64_t distance(const JQUANT_TBL *table, const uint8_t *from, int quality)
{
    int scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
    int64_t sum = 0;
    for (int i = 0; i < DCTSIZE2; i++) {
        int value = (from[i] * scale + 50) / 100;
        value = value < 1 ? 1 : value > 255 ? 255 : value;
        sum += abs((int)table->quantval[i] - value);
    }
    return sum;
}

/* The file may contain any table number; decoding fails for those that libjpeg has no table for. */
static const JQUANT_TBL *table_of(const struct jpeg_decompress_struct *info, int component)
{
    int number = info->comp_info[component].quant_tbl_no;
    return number >= 0 && number < NUM_QUANT_TBLS ? info->quant_tbl_ptrs[number] : NULL;
}

int jpeg_estimate_quality(const struct jpeg_decompress_struct *info)
{
    const JQUANT_TBL *tables[2] = {NULL, NULL};
    int64_t least = INT64_MAX;
    int best = 0;
    for (int c = 0; c < info->num_components && c < 2; c++)
        tables[c] = table_of(info, c);
    if (info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_RGB)
        tables[1] = NULL; /* all components use the first */
    for (int quality = 100; quality >= 1 && tables[0]; quality--) {
        int64_t far = distance(tables[0], standard[0], quality);
        far += tables[1] ? distance(tables[1], standard[1], quality) : 0;
        if (far < least) {
            least = far;
            best = quality;
        }
    }
    return best;
}

static const struct {
    int subsampling;
    struct jpeg_factors factors;
} ways[] = {{444, {1, 1}}, {440, {1, 2}}, {422, {2, 1}},
            {420, {2, 2}}, {411, {4, 1}}, {410, {4, 2}}};

struct jpeg_factors jpeg_estimate_factors(int subsampling)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (ways[i].subsampling == subsampling)
            return ways[i].factors;
    return (struct jpeg_factors){0, 0};
}

int jpeg_estimate_subsampling(const struct jpeg_decompress_struct *info)
{
    const jpeg_component_info *all = info->comp_info;
    if (info->num_components != 3 || all[1].h_samp_factor != all[2].h_samp_factor ||
        all[1].v_samp_factor != all[2].v_samp_factor)
        return 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (all[0].h_samp_factor == ways[i].factors.across * all[1].h_samp_factor &&
            all[0].v_samp_factor == ways[i].factors.down * all[1].v_samp_factor)
            return ways[i].subsampling;
    return 0;
}

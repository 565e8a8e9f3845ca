#include "io/jpeg/jpeg.h"

#include "base/checked.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { QUALITY_USUAL = 90, QUALITY_HALF_COLOR = 95, MARKER_MAX = 65533, INTERVAL_MAX = 65535 };

/* Bytes of samples per segment: milliseconds of work, and little overhead in the file. */
enum { SEGMENT_BYTES = 1 << 21 };

static const char exif_start[] = "Exif\0";
static const char xmp_start[] = "http://ns.adobe.com/xap/1.0/";

static swathe_status jpeg_form_check_compression(const struct image_writer *writer)
{
    static const char *const words[] = {"fast", "default", "small"};
    const char *compression = writer->options->compression;
    for (size_t i = 0; compression && i < sizeof words / sizeof *words; i++)
        if (strcmp(compression, words[i]) == 0)
            compression = NULL;
    if (!compression)
        return SWATHE_OK;
    return fail(SWATHE_ERROR_ARGUMENT, "compression '%.40s'; JPEG takes fast, default or small",
                compression);
}

swathe_status jpeg_form_check(const struct image_writer *writer)
{
    const swathe_shape *shape = &writer->shape;
    int quality = writer->options->quality;
    if (shape->width > JPEG_MAX_DIMENSION || shape->height > JPEG_MAX_DIMENSION)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "%" PRId64 " x %" PRId64 " pixels; a side of a JPEG is at most %ld, write TIFF "
                    "or PNG instead",
                    shape->width, shape->height, (long)JPEG_MAX_DIMENSION);
    if (writer->options->lossless)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "jpeg has no lossless quality; use 1 to 100, or write webp");
    if (quality < 0 || quality > 100)
        return fail(SWATHE_ERROR_ARGUMENT, "quality %d; JPEG takes 1 to 100", quality);
    int subsampling = writer->options->subsampling;
    if (subsampling && jpeg_estimate_factors(subsampling).across == 0)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "subsampling %d; JPEG takes 444, 440, 422, 420, 411 or 410", subsampling);
    return jpeg_form_check_compression(writer);
}

/* JFIF stores integers per inch or per centimetre. This uses the more accurate of the two. */
static void set_density(struct jpeg_compress_struct *info, const swathe_metadata *metadata)
{
    double inch_x = metadata->x_resolution * 0.0254, inch_y = metadata->y_resolution * 0.0254;
    double cm_x = metadata->x_resolution / 100, cm_y = metadata->y_resolution / 100;
    double inch_off = fabs(inch_x - round(inch_x)) + fabs(inch_y - round(inch_y));
    double cm_off = fabs(cm_x - round(cm_x)) + fabs(cm_y - round(cm_y));
    bool cm = cm_off * 2.54 < inch_off;
    double x = round(cm ? cm_x : inch_x), y = round(cm ? cm_y : inch_y);
    if (!(x >= 1 && y >= 1 && x <= UINT16_MAX && y <= UINT16_MAX))
        return;
    info->density_unit = cm ? 2 : 1;
    info->X_density = (UINT16)x;
    info->Y_density = (UINT16)y;
}

static void jpeg_form_set_colors(struct jpeg_compress_struct *info, const swathe_shape *shape)
{
    info->input_components = shape->channels;
    info->in_color_space = shape->channels == 1   ? JCS_GRAYSCALE
                           : shape->channels == 3 ? JCS_RGB
                                                  : JCS_CMYK;
}

/* Returns the option if set, otherwise the source's value if known, otherwise `usual`. */
static int jpeg_form_choose(int option, int source, int usual)
{
    return option ? option : source ? source : usual;
}

static void set_quality(struct jpeg_compress_struct *info, const struct image_writer *writer)
{
    const swathe_write_options *options = writer->options;
    int quality = jpeg_form_choose(options->quality, writer->encoding->quality, QUALITY_USUAL);
    int source = writer->encoding->subsampling; /* set by the caller: may be any number */
    int subsampling =
        jpeg_form_choose(options->subsampling, jpeg_estimate_factors(source).across ? source : 0,
                         quality > QUALITY_HALF_COLOR ? 444 : 420);
    struct jpeg_factors factors = jpeg_estimate_factors(subsampling);
    jpeg_set_quality(info, quality, TRUE);
    info->dct_method = JDCT_ISLOW;
    if (info->in_color_space != JCS_RGB)
        return;
    info->comp_info[0].h_samp_factor = factors.across;
    info->comp_info[0].v_samp_factor = factors.down;
}

/* ---- Metadata ------------------------------------------------------------------------------- */

/* Writes a block with its prefix in one APP1 marker. Blocks that do not fit are dropped. */
static void write_block(struct jpeg_compress_struct *info, const char *start, size_t start_size,
                        const void *block, size_t size)
{
    if (!block || size == 0 || size > MARKER_MAX - start_size)
        return;
    jpeg_write_m_header(info, JPEG_APP0 + 1, (unsigned)(start_size + size));
    for (size_t i = 0; i < start_size; i++)
        jpeg_write_m_byte(info, (unsigned char)start[i]);
    for (size_t i = 0; i < size; i++)
        jpeg_write_m_byte(info, ((const uint8_t *)block)[i]);
}

void jpeg_form_write_metadata(const swathe_metadata *metadata, struct jpeg_compress_struct *info)
{
    enum { PROFILE_MAX = 255 * (MARKER_MAX - 14) };
    write_block(info, exif_start, 6, metadata->exif, metadata->exif_size);
    write_block(info, xmp_start, sizeof xmp_start, metadata->xmp, metadata->xmp_size);
    if (metadata->icc && metadata->icc_size > 0 && metadata->icc_size <= PROFILE_MAX)
        jpeg_write_icc_profile(info, metadata->icc, (unsigned)metadata->icc_size);
}

/* ---- Pixels --------------------------------------------------------------------------------- */

void jpeg_form_set(const struct image_writer *writer, struct jpeg_compress_struct *info)
{
    info->image_width = (JDIMENSION)writer->shape.width;
    info->image_height = (JDIMENSION)writer->shape.height;
    jpeg_form_set_colors(info, &writer->shape);
    jpeg_set_defaults(info);
    set_quality(info, writer);
    set_density(info, writer->metadata);
}

/* The first component has full resolution, so its factors are the size of an MCU. */
struct jpeg_segments jpeg_form_segments(const struct jpeg_compress_struct *info)
{
    int64_t width = info->image_width, height = info->image_height;
    int64_t high = DCTSIZE * info->comp_info[0].v_samp_factor;
    int64_t across = ceil_div(width, DCTSIZE * info->comp_info[0].h_samp_factor);
    int64_t count = SEGMENT_BYTES / (width * info->input_components * high);
    count = max64(1, min64(count, INTERVAL_MAX / across));
    if (count * high >= height)
        return (struct jpeg_segments){height, 0};
    return (struct jpeg_segments){count * high, (unsigned)(count * across)};
}

/* ---- The quality of a file that was read ---------------------------------------------------- */

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
static int64_t jpeg_form_distance(const JQUANT_TBL *table, const uint8_t *from, int quality)
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
        int64_t far = jpeg_form_distance(tables[0], standard[0], quality);
        far += tables[1] ? jpeg_form_distance(tables[1], standard[1], quality) : 0;
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

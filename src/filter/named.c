#include "filter/named.h"

#include "base/os_path.h"
#include "base/text.h"
#include "filter/blur.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Allocates the only mask of the stage. */
static swathe_status one_mask(struct stage_maker *maker, int64_t width, int64_t height,
                              struct mask **mask)
{
    TRY(maker_masks(maker, 1, width, height));
    *mask = maker->stage->masks;
    return SWATHE_OK;
}

static swathe_status make_fixed(struct stage_maker *maker, const double k[9])
{
    struct mask *mask;
    TRY(maker_no_values(maker, 0));
    TRY(one_mask(maker, 3, 3, &mask));
    memcpy(mask->k, k, 9 * sizeof *k);
    return SWATHE_OK;
}

#define FIXED(name, ...)                                                                           \
    swathe_status name(struct stage_maker *maker)                                                  \
    {                                                                                              \
        return make_fixed(maker, (const double[9]){__VA_ARGS__});                                  \
    }
FIXED(make_edge, -1, -1, -1, -1, 8, -1, -1, -1, -1)
FIXED(make_sobel_x, -1, 0, 1, -2, 0, 2, -1, 0, 1)
FIXED(make_sobel_y, -1, -2, -1, 0, 0, 0, 1, 2, 1)
FIXED(make_scharr_x, -3, 0, 3, -10, 0, 10, -3, 0, 3)
FIXED(make_scharr_y, -3, -10, -3, 0, 0, 0, 3, 10, 3)
FIXED(make_prewitt_x, -1, 0, 1, -1, 0, 1, -1, 0, 1)
FIXED(make_prewitt_y, -1, -1, -1, 0, 0, 0, 1, 1, 1)
FIXED(make_emboss, -2, -1, 0, -1, 1, 1, 0, 1, 2)
#undef FIXED

swathe_status make_abs(struct stage_maker *maker)
{
    TRY(maker_no_values(maker, 0));
    maker->stage->rule = STAGE_POINT;
    maker->stage->point = POINT_abs;
    return stage_point_mask(maker->arena, maker->stage);
}

/* identity + AMOUNT·(4-neighbour Laplacian, negated) */
swathe_status make_sharpen(struct stage_maker *maker)
{
    const char *text = maker_value(maker, 0);
    double amount = 1.0;
    struct mask *mask;
    if (text && (!text_to_double(text, &amount) || !(fabs(amount) <= 100.0)))
        return maker_fail_value(
            maker, text,
            fail(SWATHE_ERROR_ARGUMENT, "sharpen:%s: AMOUNT must be -100 to 100", text));
    TRY(maker_no_values(maker, 1));
    TRY(one_mask(maker, 3, 3, &mask));
    for (int i = 0; i < 9; i++)
        mask->k[i] = i == 4 ? 1.0 + 4.0 * amount : i % 2 ? -amount : 0.0;
    return SWATHE_OK;
}

swathe_status make_identity(struct stage_maker *maker)
{
    struct mask *mask;
    TRY(maker_no_values(maker, 0));
    TRY(one_mask(maker, 1, 1, &mask));
    mask->k[0] = 1.0;
    return SWATHE_OK;
}

swathe_status make_laplacian(struct stage_maker *maker)
{
    static const double four[9] = {0, 1, 0, 1, -4, 1, 0, 1, 0};
    static const double eight[9] = {1, 1, 1, 1, -8, 1, 1, 1, 1};
    const char *which = maker_value(maker, 0);
    bool is_eight = which && strcmp(which, "8") == 0;
    struct mask *mask;
    if (which && !is_eight && strcmp(which, "4") != 0)
        return maker_fail_value(maker, which,
                                fail(SWATHE_ERROR_ARGUMENT, "laplacian:%s: needs 4 or 8", which));
    TRY(maker_no_values(maker, 1));
    TRY(one_mask(maker, 3, 3, &mask));
    memcpy(mask->k, is_eight ? eight : four, sizeof four);
    return SWATHE_OK;
}

/* Parses SIZE as K or WxH; both are 0 if it is absent. */
static swathe_status parse_size(const struct stage_maker *maker, int64_t *width, int64_t *height)
{
    const char *size = maker_value(maker, 0);
    *width = *height = 0;
    if (size && (!grammar_pair(size, width, height) || *width < 1 || *height < 1 ||
                 *width > MASK_SIDE_MAX || *height > MASK_SIDE_MAX))
        return maker_fail_value(maker, size,
                                fail(SWATHE_ERROR_ARGUMENT,
                                     "%s:%s: the size must be K or WxH, each 1 to %d",
                                     maker->filter->name, size, MASK_SIDE_MAX));
    return maker_no_values(maker, 1);
}

swathe_status make_box(struct stage_maker *maker)
{
    int64_t width, height;
    struct mask *mask;
    TRY(parse_size(maker, &width, &height));
    if (width == 0)
        width = height = 3;
    TRY(one_mask(maker, width, height, &mask));
    for (int64_t i = 0; i < width * height; i++)
        mask->k[i] = 1.0 / (double)(width * height);
    maker->stage->rule = STAGE_MEAN;
    return SWATHE_OK;
}

swathe_status make_gaussian(struct stage_maker *maker)
{
    struct stage *stage = maker->stage;
    struct mask *mask;
    int64_t width, height;
    double sigma, truncate;
    TRY(parse_size(maker, &width, &height));
    TRY(maker_number(maker, "sigma", 0.0, 1e-3, 1e3, &sigma));
    TRY(maker_number(maker, "truncate", 4.0, 0.1, 100.0, &truncate));
    if (width == 0)
        width = height = sigma > 0.0 ? blur_gaussian_size(sigma, truncate) : 5;
    if (width > MASK_SIDE_MAX)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "gaussian: sigma=%g with truncate=%g needs %" PRId64 " taps, the limit is %d",
                    sigma, truncate, width, MASK_SIDE_MAX);
    bool dense = maker_word(maker, "dense"), is_large = !dense && width * height > MASK_DENSE_MAX;
    TRY(one_mask(maker, is_large ? 1 : width, is_large ? 1 : height, &mask));
    if (is_large)
        *mask = (struct mask){(int32_t)width, (int32_t)height, (int32_t)width / 2,
                              (int32_t)height / 2, NULL};
    TRY(maker_terms(maker, 1));
    blur_gaussian_taps(height, sigma, stage->terms->down);
    blur_gaussian_taps(width, sigma, stage->terms->across);
    if (!is_large)
        blur_outer(stage->terms->down, height, stage->terms->across, width, mask->k);
    stage->rule = dense ? STAGE_DENSE : STAGE_TWO_PASS;
    return SWATHE_OK;
}

/* Makes a square mask of `terms` products, the first of which is a Gaussian. */
static swathe_status square_gaussian(struct stage_maker *maker, double usual_sigma, int32_t terms,
                                     double *sigma, struct mask **mask)
{
    struct stage *stage = maker->stage;
    double truncate;
    TRY(maker_no_values(maker, 0));
    TRY(maker_number(maker, "sigma", usual_sigma, 0.1, 200.0, sigma));
    TRY(maker_number(maker, "truncate", 4.0, 0.1, 100.0, &truncate));
    int64_t size = blur_gaussian_size(*sigma, truncate);
    TRY(one_mask(maker, size, size, mask));
    TRY(maker_terms(maker, terms));
    blur_gaussian_taps(size, *sigma, stage->terms->down);
    blur_gaussian_taps(size, *sigma, stage->terms->across);
    blur_outer(stage->terms->down, size, stage->terms->across, size, (*mask)->k);
    stage->rule = maker_word(maker, "dense") ? STAGE_DENSE : STAGE_TWO_PASS;
    return SWATHE_OK;
}

/* The Gaussian times −AMOUNT, then the pixel itself times 1 + AMOUNT. */
swathe_status make_unsharp(struct stage_maker *maker)
{
    struct mask *mask;
    double sigma, amount;
    TRY(maker_number(maker, "amount", 1.0, -100.0, 100.0, &amount));
    TRY(square_gaussian(maker, 1.0, 2, &sigma, &mask));
    int64_t size = mask->width, count = size * size;
    struct stage_term *terms = maker->stage->terms;
    for (int64_t i = 0; i < count; i++)
        mask->k[i] = (i == count / 2 ? 1.0 + amount : 0.0) - amount * mask->k[i];
    for (int64_t i = 0; i < size; i++)
        terms[0].across[i] *= -amount;
    terms[1].down[size / 2] = 1.0;
    terms[1].across[size / 2] = 1.0 + amount;
    return SWATHE_OK;
}

/* The second derivative of a Gaussian times a Gaussian, in both directions, minus the mean. */
static void set_log_terms(struct stage_term *terms, int32_t size, double square, double mean)
{
    int32_t r = size / 2;
    for (int32_t i = 0; i < size; i++) {
        double x = (double)(i - r), g = terms[0].across[i];
        double second = g * ((x * x - square) / (square * square));
        terms[0].down[i] = terms[1].across[i] = second;
        terms[1].down[i] = g;
        terms[2].down[i] = 1.0;
        terms[2].across[i] = -mean;
    }
}

swathe_status make_log(struct stage_maker *maker)
{
    struct mask *mask;
    double sigma;
    TRY(square_gaussian(maker, 1.4, 3, &sigma, &mask));
    int32_t size = mask->width, r = size / 2;
    int64_t count = (int64_t)size * size;
    double square = sigma * sigma;
    for (int64_t i = 0; i < count; i++) {
        double x = (double)(i % size - r), y = (double)(i / size - r);
        mask->k[i] *= (x * x + y * y - 2.0 * square) / (square * square);
    }
    double mean = mask_sum(mask->k, count) / (double)count;
    for (int64_t i = 0; i < count; i++)
        mask->k[i] -= mean;
    set_log_terms(maker->stage->terms, size, square, mean);
    return SWATHE_OK;
}

swathe_status make_motion(struct stage_maker *maker)
{
    const char *text = maker_value(maker, 0);
    int64_t length = 9;
    double angle;
    struct mask *mask;
    if (text && (!text_to_int(text, &length) || length < 1 || length > 1001))
        return maker_fail_value(
            maker, text, fail(SWATHE_ERROR_ARGUMENT, "motion:%s: LENGTH must be 1 to 1001", text));
    TRY(maker_no_values(maker, 1));
    TRY(maker_number(maker, "angle", 0.0, -360.0, 360.0, &angle));
    int64_t size = blur_motion_size(length, angle, false);
    TRY(one_mask(maker, size, blur_motion_size(length, angle, true), &mask));
    blur_motion(length, angle, mask);
    return mask_normalise(mask);
}

swathe_status make_disk(struct stage_maker *maker)
{
    const char *text = maker_value(maker, 0);
    double radius = 3.0;
    struct mask *mask;
    if (text && (!text_to_double(text, &radius) || radius < 0.1 || radius > 500.0))
        return maker_fail_value(
            maker, text, fail(SWATHE_ERROR_ARGUMENT, "disk:%s: RADIUS must be 0.1 to 500", text));
    TRY(maker_no_values(maker, 1));
    int64_t reach = (int64_t)ceil(radius - 0.5);
    TRY(one_mask(maker, 2 * reach + 1, 2 * reach + 1, &mask));
    blur_disk(radius, mask);
    return mask_normalise(mask);
}

static bool is_file(const char *path)
{
    struct os_about about;
    return os_about(path, &about) == 0 && about.kind == OS_REGULAR;
}

/* Reads one mask: its taps, or '@' and the name of a file. */
static swathe_status named_read_mask(const struct stage_maker *maker, const char *value,
                                     struct mask *mask)
{
    if (*value == '@')
        return mask_read(maker->arena, value + 1, mask);
    swathe_status status = mask_parse(maker->arena, value, mask);
    if (status == SWATHE_ERROR_ARGUMENT && is_file(value))
        return fail(status, "mask: '%.200s' is a file; to read a mask from it write mask:@%.200s",
                    value, value);
    return status == SWATHE_OK ? status : maker_fail_value(maker, value, status);
}

swathe_status make_mask(struct stage_maker *maker)
{
    struct stage *stage = maker->stage;
    int32_t count = 0;
    while (maker_value(maker, count))
        count++;
    if (count == 0)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "mask: taps are missing; write them as in mask:(1 2 1) or mask:@FILE");
    TRY(arena_new(maker->arena, count, sizeof *stage->masks, "masks", &stage->masks));
    stage->mask_count = count;
    for (int32_t i = 0; i < count; i++) {
        TRY(named_read_mask(maker, maker_value(maker, i), &stage->masks[i]));
        TRY(stage_check_taps(stage->masks, i + 1));
    }
    return maker_join(maker, STAGE_JOIN_NONE);
}

static void add_mask(struct text *out, const struct mask *mask)
{
    text_add(out, ":(");
    for (int64_t i = 0; i < (int64_t)mask->width * mask->height; i++) {
        if (i > 0)
            text_add(out, i % mask->width ? " " : "; ");
        text_add_double(out, mask->k[i]);
    }
    text_add(out, ")");
}

const char *named_add_array(struct text *out, const struct stage_array *array, const char *text)
{
    if (!array)
        return text;
    text_add(out, "mask");
    for (int32_t i = 0; i < array->count; i++)
        add_mask(out, &array->masks[i]);
    return text + strlen("mask");
}

swathe_status named_mask_text(struct arena *arena, const struct mask *masks, int32_t count,
                              const char *options, char **text)
{
    char *buffer = NULL;
    size_t needed = 0;
    for (int pass = 0; pass < 2; pass++) { /* computes the size, then writes */
        struct text out;
        text_init(&out, buffer, needed);
        text_add(&out, "mask");
        for (int32_t i = 0; i < count; i++)
            add_mask(&out, &masks[i]);
        text_add(&out, "%s", options);
        if (pass == 0) {
            needed = out.needed + 1;
            TRY(arena_new(arena, (int64_t)needed, 1, "a chain's text", &buffer));
        }
    }
    *text = buffer;
    return SWATHE_OK;
}

swathe_status named_array_text(struct arena *arena, const struct stage_array *array,
                               const char *options, struct stage *stage)
{
    enum { TAPS_SPELLED = 64 };
    struct stage_array *kept;
    int64_t taps = 0;
    for (int32_t i = 0; i < array->count; i++)
        taps += mask_taps(&array->masks[i]);
    if (taps <= TAPS_SPELLED)
        return named_mask_text(arena, array->masks, array->count, options, &stage->text);
    TRY(arena_new(arena, 1, sizeof *kept, "masks", &kept));
    *kept = *array;
    stage->array = kept;
    return named_mask_text(arena, NULL, 0, options, &stage->text);
}

/* Options may change the taps of the stage afterwards. */
static swathe_status spell_masks(struct arena *arena, const char *options, struct stage *stage)
{
    struct stage_array own, read = {.masks = stage->masks, .count = stage->mask_count};
    TRY(stage_copy_array(arena, &read, &own));
    return named_array_text(arena, &own, options, stage);
}

swathe_status named_text(struct arena *arena, const struct words *words, struct stage *stage)
{
    char rest[1024];
    bool spell_out = false;
    size_t length = strlen(words->name) + 1;
    struct text out;
    text_init(&out, rest, sizeof rest);
    for (int32_t i = 0; i < words->count; i++) {
        const struct word *arg = &words->args[i];
        bool is_mask = strcmp(words->name, "mask") == 0 && !arg->key &&
                       (arg->text[0] == '@' || arg->text[0] == '(');
        /* File names in parentheses may contain any character; comments do not fit on one line. */
        spell_out |= is_mask && (arg->value[0] == '@' || strpbrk(arg->text, "#{}\n"));
        length += strlen(arg->text) + 1;
        if (!is_mask)
            text_add(&out, ":%s", arg->text);
    }
    if (spell_out) {
        TRY(text_finish(&out, NULL));
        return spell_masks(arena, rest, stage);
    }
    TRY(arena_new(arena, (int64_t)length, 1, "a stage's text", &stage->text));
    text_init(&out, stage->text, length);
    text_add(&out, "%s", words->name);
    for (int32_t i = 0; i < words->count; i++)
        text_add(&out, ":%s", words->args[i].text);
    return text_finish(&out, NULL);
}

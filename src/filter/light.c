#include "filter/light.h"

#include <math.h>
#include <string.h>

/* ---- The option ------------------------------------------------------------------------------ */

static bool is_same(const struct curve *a, const struct curve *b)
{
    return memcmp(a->values, b->values, (size_t)a->size * sizeof *a->values) == 0;
}

static swathe_status copy_curves(struct arena *arena, const swathe_curves *from,
                                 struct light *light)
{
    if (!from->values || from->count < 1 || from->count > CURVE_COUNT_MAX)
        return fail(SWATHE_ERROR_ARGUMENT, "%d curves; give 1 to %d, one for each colour",
                    from->count, CURVE_COUNT_MAX);
    bool same = true;
    TRY(arena_new(arena, from->count, sizeof *light->curves, "curves", &light->curves));
    for (int32_t i = 0; i < from->count; i++) {
        struct curve *curve = &light->curves[i];
        curve->size = from->size;
        curve->values = (double *)(uintptr_t)(from->values + (int64_t)i * from->size);
        TRY(curve_check(curve));
        TRY(arena_new(arena, from->size, sizeof *curve->values, "curves", &curve->values));
        memcpy(curve->values, from->values + (int64_t)i * from->size,
               (size_t)from->size * sizeof *curve->values);
        same &= is_same(curve, &light->curves[0]);
    }
    light->curve_count = same ? 1 : from->count;
    return SWATHE_OK;
}

swathe_status light_choose(struct arena *arena, const swathe_plan_options *o, struct light *light)
{
    *light = (struct light){.linear = o->light > SWATHE_LIGHT_KEEP};
    return o->light == SWATHE_LIGHT_LINEAR && o->curves ? copy_curves(arena, o->curves, light)
                                                        : SWATHE_OK;
}

/* ---- What linear light refuses --------------------------------------------------------------- */

static swathe_status filter_light_check_source(const swathe_shape *source)
{
    const char *name = sample_entry(source->type)->name;
    if (sample_is_float(source->type))
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "samples of type %s are taken as linear light already; leave out light", name);
    if (source->type != SWATHE_U8 && source->type != SWATHE_U16)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "samples of type %s have no curve, only those of u8 and u16; leave out "
                    "light",
                    name);
    if (source->color == SWATHE_COLOR_CMYK || source->color == SWATHE_COLOR_LAB)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "%s samples are not amounts of light; leave out light, or convert the "
                    "image to RGB",
                    source->color == SWATHE_COLOR_CMYK ? "CMYK" : "Lab");
    return SWATHE_OK;
}

static swathe_status filter_light_check_number(const char *what, double value)
{
    if (fabs(value) <= 1.0)
        return SWATHE_OK;
    return fail(SWATHE_ERROR_ARGUMENT,
                "%s %g: in linear light black is 0 and white is 1, for every type; the limit is 1",
                what, value);
}

static swathe_status check_float(const char *what, swathe_type type)
{
    if (type == SWATHE_TYPE_DEFAULT || sample_is_float(type))
        return SWATHE_OK;
    return fail(SWATHE_ERROR_ARGUMENT,
                "%s %s: in linear light samples are floats from 0 to 1, which %s would round; use "
                "f32 or f64, or set the type of the result for the whole chain",
                what, sample_entry(type)->name, sample_entry(type)->name);
}

static swathe_status filter_light_check_stage(const struct stage *stage)
{
    TRY(check_float("type", stage->type));
    TRY(filter_light_check_number("bias", stage->bias));
    if (stage->has_border)
        TRY(filter_light_check_number("border constant", stage->border.value));
    if (!stage->has_clamp)
        return SWATHE_OK;
    TRY(filter_light_check_number("clamp", stage->clamp_low));
    return filter_light_check_number("clamp", stage->clamp_high);
}

static swathe_status filter_light_check_result(swathe_type result, swathe_type encoded)
{
    if (encoded == SWATHE_U8 || encoded == SWATHE_U16 || sample_is_float(result))
        return SWATHE_OK;
    return fail_about(SWATHE_ERROR_ARGUMENT, "type",
                      "the type of the result is %s; linear light is converted back to u8 or u16, "
                      "or stays as it is in f32 or f64",
                      sample_entry(result)->name);
}

swathe_status light_check(const swathe_shape *source, const struct chain *chain,
                          const struct border *border, swathe_type intermediate)
{
    TRY(filter_light_check_source(source));
    for (int32_t i = 0; i < chain->count; i++) {
        swathe_status status = filter_light_check_stage(&chain->stages[i]);
        if (status != SWATHE_OK)
            return fail_within(status, "stage %d (%.40s): ", i + 1, chain->stages[i].text);
    }
    TRY(check_float("intermediate", intermediate));
    return filter_light_check_number("border constant", border->value);
}

/* ---- The stages ------------------------------------------------------------------------------ */

swathe_type light_result(const struct chain *chain, const swathe_shape *source, swathe_type type)
{
    const struct stage *last = &chain->stages[chain->count - 1];
    if (type != SWATHE_TYPE_DEFAULT)
        return type;
    return sample_is_float(last->type) ? last->type : source->type;
}

static swathe_status filter_light_make_stage(struct arena *arena, const struct light *light,
                                             bool decodes, swathe_type type, struct stage *stage)
{
    const struct curve srgb = {0, NULL};
    const char *text = decodes ? "light=linear" : "light=samples";
    *stage = (struct stage){.rule = STAGE_POINT,
                            .point = decodes ? POINT_decode : POINT_encode,
                            .type = decodes ? SWATHE_F32 : type,
                            .curve_count = light->curve_count ? light->curve_count : 1,
                            .dilate_x = 1,
                            .dilate_y = 1};
    for (int32_t i = 0; i < stage->curve_count; i++)
        TRY(curve_table(arena, light->curve_count ? &light->curves[i] : &srgb, type,
                        &stage->curves[i]));
    TRY(stage_point_mask(arena, stage));
    return arena_copy(arena, text, strlen(text), &stage->text);
}

swathe_status light_wrap(struct arena *arena, const struct light *light, const swathe_shape *source,
                         const struct chain *chain, swathe_type result, struct op_options *options,
                         struct chain **wrapped)
{
    struct chain *made;
    TRY(filter_light_check_result(result, light->encoded));
    TRY(arena_new(arena, 1, sizeof *made, "a plan", &made));
    made->taps = chain->taps;
    TRY(filter_light_make_stage(arena, light, true, source->type, &made->stages[0]));
    memcpy(&made->stages[1], chain->stages, (size_t)chain->count * sizeof *chain->stages);
    made->count = options->own = chain->count + 1;
    options->type = result;
    if (light->encoded != SWATHE_TYPE_DEFAULT) {
        options->type = SWATHE_F32;
        TRY(filter_light_make_stage(arena, light, false, light->encoded,
                                    &made->stages[made->count++]));
    }
    *wrapped = made;
    return SWATHE_OK;
}

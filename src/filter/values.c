#include "filter/values.h"

#include "base/text.h"
#include "filter/plan_option.h"
#include "image/sample.h"

#include <string.h>

static bool filter_values_is_unsigned(swathe_type type)
{
    return type == SWATHE_U8 || type == SWATHE_U16 || type == SWATHE_U32;
}

/* Signed samples and floats are measurements (gradients, heights): mapping the whole range of s16
 * to that of u8 would make a gradient of 0 a middle grey. */
static swathe_values default_rule(swathe_type from, swathe_type to)
{
    return from != to && filter_values_is_unsigned(from) && filter_values_is_unsigned(to)
               ? SWATHE_VALUES_SCALE
               : SWATHE_VALUES_KEEP;
}

struct values values_choose(const swathe_plan_options *o, swathe_type from, swathe_type to)
{
    if (o->values == SWATHE_VALUES_DEFAULT)
        return (struct values){.rule = default_rule(from, to)};
    return (struct values){
        .rule = o->values, .asked = true, .range = {o->values_low, o->values_high}};
}

bool values_needs_stage(const struct values *values, swathe_type from, swathe_type to)
{
    bool floats = sample_is_float(from) && sample_is_float(to);
    return values->rule == SWATHE_VALUES_FIT ||
           (values->rule == SWATHE_VALUES_SCALE && from != to && !floats);
}

static swathe_status stage_text(struct arena *arena, const struct values *values, char **text)
{
    char buffer[160];
    struct text out;
    text_init(&out, buffer, sizeof buffer);
    text_add(&out, "values=%s", plan_option_values(values->rule));
    if (values->rule == SWATHE_VALUES_FIT) {
        text_add(&out, "(");
        text_add_double(&out, values->range.low);
        text_add(&out, "..");
        text_add_double(&out, values->range.high);
        text_add(&out, ")");
    }
    return arena_copy(arena, buffer, strlen(buffer), text);
}

swathe_status values_append(struct arena *arena, const struct chain *chain,
                            const struct values *values, swathe_type to, struct chain **extended)
{
    struct chain *made;
    TRY(arena_new(arena, 1, sizeof *made, "a plan", &made));
    *made = *chain;
    struct stage *stage = &made->stages[made->count++];
    *stage = (struct stage){.rule = STAGE_POINT,
                            .point = POINT_range,
                            .fits = values->rule == SWATHE_VALUES_FIT,
                            .fit = values->range,
                            .type = to,
                            .dilate_x = 1,
                            .dilate_y = 1};
    TRY(stage_point_mask(arena, stage));
    TRY(stage_text(arena, values, &stage->text));
    *extended = made;
    return SWATHE_OK;
}

static void filter_values_add_range(struct text *out, struct point_range range)
{
    text_add_double(out, range.low);
    text_add(out, "..");
    text_add_double(out, range.high);
}

static void add_reason(struct text *out, const struct values *values, swathe_type from,
                       swathe_type to)
{
    const char *from_name = sample_entry(from)->name, *to_name = sample_entry(to)->name;
    text_add(out, "%s, %s: ", plan_option_values(values->rule),
             values->asked ? "as requested"
             : values->rule == SWATHE_VALUES_SCALE
                 ? "the default between unsigned integers"
                 : "the default unless both types are unsigned integers");
    if (!values_needs_stage(values, from, to)) {
        text_add(out, from == to ? "the type stays %s" : "numbers stay as they are, from %s to %s",
                 from_name, to_name);
        return;
    }
    filter_values_add_range(out,
                            values->rule == SWATHE_VALUES_FIT ? values->range : point_whole(from));
    text_add(out, " of %s becomes ", from_name);
    filter_values_add_range(out, point_whole(to));
    text_add(out, " of %s", to_name);
}

swathe_status values_note(struct arena *arena, const struct values *values, swathe_type from,
                          swathe_type to, char **note)
{
    char buffer[256];
    struct text out;
    text_init(&out, buffer, sizeof buffer);
    add_reason(&out, values, from, to);
    return arena_copy(arena, buffer, strlen(buffer), note);
}

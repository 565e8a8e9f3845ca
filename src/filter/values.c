#include "filter/values.h"

#include "base/nearest_word.h"
#include "base/text.h"
#include "image/sample.h"

#include <math.h>
#include <string.h>

const char *values_name(enum values_rule rule)
{
    static const char *const names[] = {"keep", "scale", "fit"};
    return names[rule];
}

static bool is_unsigned(swathe_type type)
{
    return type == SWATHE_U8 || type == SWATHE_U16 || type == SWATHE_U32;
}

/* Signed samples and floats are measurements (gradients, heights): mapping the whole range of s16
 * to that of u8 would make a gradient of 0 a middle grey. */
static enum values_rule default_rule(swathe_type from, swathe_type to)
{
    return from != to && is_unsigned(from) && is_unsigned(to) ? VALUES_SCALE : VALUES_KEEP;
}

/* Parses "LO..HI" up to `end`. */
static bool parse_range(const char *text, const char *end, struct point_range *range)
{
    char low[64], high[64];
    const char *dots = strstr(text, "..");
    if (!dots || dots > end || dots - text >= (int)sizeof low || end - dots - 2 < 1 ||
        end - dots - 2 >= (int)sizeof high)
        return false;
    memcpy(low, text, (size_t)(dots - text));
    low[dots - text] = '\0';
    memcpy(high, dots + 2, (size_t)(end - dots - 2));
    high[end - dots - 2] = '\0';
    return text_to_double(low, &range->low) && text_to_double(high, &range->high);
}

static swathe_status parse_fit(const char *text, struct values *values)
{
    struct point_range range;
    size_t length = strlen(text);
    if (length < 5 || text[length - 1] != ')' ||
        !parse_range(text + 4, text + length - 1, &range) || !isfinite(range.high - range.low) ||
        range.low > range.high)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "values '%.80s': needs two numbers LO <= HI with a finite difference, as in "
                    "fit(0..4095)",
                    text);
    values->rule = VALUES_FIT;
    values->range = range;
    return SWATHE_OK;
}

swathe_status values_parse(const char *text, swathe_type from, swathe_type to,
                           struct values *values)
{
    char hint[64];
    struct nearest nearest;
    *values = (struct values){.rule = default_rule(from, to), .asked = text != NULL};
    if (!text)
        return SWATHE_OK;
    if (strncmp(text, "fit(", 4) == 0)
        return parse_fit(text, values);
    for (int rule = VALUES_KEEP; rule <= VALUES_SCALE; rule++)
        if (strcmp(text, values_name((enum values_rule)rule)) == 0) {
            values->rule = (enum values_rule)rule;
            return SWATHE_OK;
        }
    nearest_start(&nearest, text);
    nearest_offer_list(&nearest, "keep,scale", ',');
    return fail(SWATHE_ERROR_ARGUMENT, "no values '%.40s'%s; it must be keep, scale or fit(LO..HI)",
                text, nearest_hint(&nearest, "", hint, sizeof hint));
}

bool values_needs_stage(const struct values *values, swathe_type from, swathe_type to)
{
    bool floats = sample_is_float(from) && sample_is_float(to);
    return values->rule == VALUES_FIT || (values->rule == VALUES_SCALE && from != to && !floats);
}

static swathe_status stage_text(struct arena *arena, const struct values *values, char **text)
{
    char buffer[160];
    struct text out;
    text_init(&out, buffer, sizeof buffer);
    text_add(&out, "values=%s", values_name(values->rule));
    if (values->rule == VALUES_FIT) {
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
                            .fits = values->rule == VALUES_FIT,
                            .fit = values->range,
                            .type = to,
                            .dilate_x = 1,
                            .dilate_y = 1};
    TRY(stage_point_mask(arena, stage));
    TRY(stage_text(arena, values, &stage->text));
    *extended = made;
    return SWATHE_OK;
}

static void add_range(struct text *out, struct point_range range)
{
    text_add_double(out, range.low);
    text_add(out, "..");
    text_add_double(out, range.high);
}

static void add_reason(struct text *out, const struct values *values, swathe_type from,
                       swathe_type to)
{
    const char *from_name = sample_entry(from)->name, *to_name = sample_entry(to)->name;
    text_add(out, "%s, %s: ", values_name(values->rule),
             values->asked ? "as requested"
             : values->rule == VALUES_SCALE
                 ? "the default between unsigned integers"
                 : "the default unless both types are unsigned integers");
    if (!values_needs_stage(values, from, to)) {
        text_add(out, from == to ? "the type stays %s" : "numbers stay as they are, from %s to %s",
                 from_name, to_name);
        return;
    }
    add_range(out, values->rule == VALUES_FIT ? values->range : point_whole(from));
    text_add(out, " of %s becomes ", from_name);
    add_range(out, point_whole(to));
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

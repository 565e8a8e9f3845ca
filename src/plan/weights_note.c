#include "plan/weights_note.h"

#include "base/text.h"

#include <string.h>

/* "-9999", "nan" or "mask"; empty: nothing is missing by a rule of its own. */
static void add_rule(struct text *out, const struct weights_rule *rule)
{
    if (rule->kind == WEIGHTS_VALUE)
        text_add_double(out, rule->none);
    else if (rule->kind == WEIGHTS_NAN || rule->kind == WEIGHTS_MASK)
        text_add(out, rule->kind == WEIGHTS_NAN ? "nan" : "mask");
}

static void add_missing(struct text *out, const struct weights_rule *rule,
                        const struct weights_note *note)
{
    if (!*note->nodata_in)
        return;
    if (rule->kind == WEIGHTS_MASK)
        text_add(out, "pixels whose alpha is 0 are missing and weigh nothing");
    else
        text_add(out, "samples of %s are missing and weigh nothing", note->nodata_in);
    if (rule->kind != WEIGHTS_MASK && strcmp(note->nodata_in, note->nodata) != 0)
        text_add(out, "; missing results are %s", note->nodata);
    if (rule->fill)
        text_add(out, "; they are filled from samples around them");
    if (rule->least > 0.0)
        text_add(out, "; a share of %g of the weights must be present", rule->least);
}

static const char *about_alpha(const struct weights_rule *rule, const char *alpha)
{
    if (rule->kind == WEIGHTS_MASK)
        return "a mask of missing pixels";
    if (rule->kind == WEIGHTS_ALPHA)
        return "premultiply: colours are weighted by alpha, which is filtered with them";
    return alpha && strcmp(alpha, "filter") == 0 ? "filter: filtered like a colour"
                                                 : "keep: copied";
}

static swathe_status keep(struct arena *arena, struct text *out, const char *buffer, char **kept)
{
    TRY(text_finish(out, NULL));
    return arena_copy(arena, buffer, strlen(buffer), kept);
}

swathe_status weights_note(struct arena *arena, const struct weights_rule *given,
                           const struct weights_rule *result, bool has_alpha, const char *alpha,
                           struct weights_note *note)
{
    char buffer[256];
    struct text out;
    text_init(&out, buffer, sizeof buffer);
    add_rule(&out, given);
    TRY(keep(arena, &out, buffer, &note->nodata_in));
    text_init(&out, buffer, sizeof buffer);
    add_rule(&out, result);
    TRY(keep(arena, &out, buffer, &note->nodata));
    text_init(&out, buffer, sizeof buffer);
    add_missing(&out, given, note);
    TRY(keep(arena, &out, buffer, &note->missing));
    note->alpha = has_alpha ? about_alpha(given, alpha) : "";
    return SWATHE_OK;
}

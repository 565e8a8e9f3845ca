#include "filter/stage_maker.h"

#include "base/nearest_word.h"
#include "base/text.h"
#include "base/word_list.h"

#include <inttypes.h>
#include <string.h>

static const struct stage_option_entry options[] = {
#define OPTION(name, syntax, summary) {name, syntax, summary},
#include "filter/option.def"
#undef OPTION
};

const struct stage_option_entry *stage_option_entry(int index)
{
    return index >= 0 && index < (int)(sizeof options / sizeof *options) ? &options[index] : NULL;
}

static const char *const joins[STAGE_JOIN_COUNT] = {
    "",
    "stack",
#define JOIN(id, name, summary) name,
#include "filter/joins.def"
#undef JOIN
};

enum stage_join stage_join_named(const char *name)
{
    for (int i = STAGE_JOIN_STACK; i < STAGE_JOIN_COUNT; i++)
        if (strcmp(joins[i], name) == 0)
            return (enum stage_join)i;
    return STAGE_JOIN_NONE;
}

const char *stage_join_name(enum stage_join join)
{
    return joins[join];
}

bool maker_is_option(const char *name, bool with_value)
{
    for (int i = 0; stage_option_entry(i); i++)
        if (strcmp(options[i].name, name) == 0)
            return with_value == (strchr(options[i].syntax, '=') != NULL);
    return false;
}

swathe_status maker_masks(struct stage_maker *maker, int32_t count, int64_t width, int64_t height)
{
    struct stage *stage = maker->stage;
    TRY(arena_new(maker->arena, count, sizeof *stage->masks, "masks", &stage->masks));
    stage->mask_count = count;
    for (int32_t i = 0; i < count; i++) {
        TRY(mask_new(maker->arena, width, height, &stage->masks[i]));
        TRY(stage_check_taps(stage->masks, i + 1));
    }
    return SWATHE_OK;
}

swathe_status maker_terms(struct stage_maker *maker, int32_t count)
{
    struct stage *stage = maker->stage;
    TRY(arena_new(maker->arena, count, sizeof *stage->terms, "taps", &stage->terms));
    stage->term_count = count;
    stage->rule = STAGE_TWO_PASS;
    for (int32_t t = 0; t < count; t++) {
        struct stage_term *term = &stage->terms[t];
        TRY(arena_new(maker->arena, stage->masks->height, sizeof *term->down, "taps", &term->down));
        TRY(arena_new(maker->arena, stage->masks->width, sizeof *term->across, "taps",
                      &term->across));
    }
    return SWATHE_OK;
}

static bool is_bare_word(const struct stage_maker *maker, const char *value)
{
    return word_listed(maker->filter->words, ' ', value, strncmp) || maker_is_option(value, false);
}

const char *maker_value(const struct stage_maker *maker, int n)
{
    for (int32_t i = 0; i < maker->words->count; i++) {
        const struct word *arg = &maker->words->args[i];
        if (!arg->key && !is_bare_word(maker, arg->value) && n-- == 0)
            return arg->value;
    }
    return NULL;
}

const char *maker_key(const struct stage_maker *maker, const char *key)
{
    for (int32_t i = 0; i < maker->words->count; i++) {
        const struct word *arg = &maker->words->args[i];
        if (arg->key && strcmp(arg->key, key) == 0)
            return arg->value;
    }
    return NULL;
}

bool maker_word(const struct stage_maker *maker, const char *word)
{
    for (int32_t i = 0; i < maker->words->count; i++)
        if (!maker->words->args[i].key && strcmp(maker->words->args[i].value, word) == 0)
            return true;
    return false;
}

swathe_status maker_fail_value(const struct stage_maker *maker, const char *value,
                               swathe_status status)
{
    struct nearest nearest;
    if (strpbrk(value, " \t\n;,") || strspn(value, "0123456789+-.") > 0)
        return status; /* it is a number or a mask, not a misspelt word */
    nearest_start(&nearest, value);
    nearest_offer_list(&nearest, maker->filter->words, ' ');
    for (int i = 0; stage_option_entry(i); i++)
        nearest_offer(&nearest, options[i].name);
    if (!nearest_found(&nearest))
        return status;
    return fail(status, "%s: no argument '%.60s'; did you mean '%s'?", maker->filter->name, value,
                nearest_found(&nearest));
}

swathe_status maker_number(const struct stage_maker *maker, const char *key, double usual,
                           double low, double high, double *value)
{
    const char *text = maker_key(maker, key);
    *value = usual;
    if (text && (!text_to_double(text, value) || *value < low || *value > high))
        return fail(SWATHE_ERROR_ARGUMENT, "%s: %s=%s must be a number from %g to %g",
                    maker->filter->name, key, text, low, high);
    return SWATHE_OK;
}

swathe_status stage_point_mask(struct arena *arena, struct stage *stage)
{
    TRY(arena_new(arena, 1, sizeof *stage->masks, "a mask", &stage->masks));
    stage->mask_count = 1;
    return mask_copy(arena, 1, 1, &(const double){1.0}, stage->masks);
}

swathe_status stage_check_taps(const struct mask *masks, int32_t count)
{
    int64_t taps = 0;
    for (int32_t i = 0; i < count; i++)
        taps += mask_taps(&masks[i]);
    if (taps > MASK_TAPS_MAX)
        return fail(
            SWATHE_ERROR_ARGUMENT,
            "%d masks of one stage have %" PRId64
            " taps, the limit is %d in total; use smaller masks or one for all channels, or "
            "filter the channels as separate images",
            count, taps, MASK_TAPS_MAX);
    return SWATHE_OK;
}

swathe_status maker_no_values(const struct stage_maker *maker, int allowed)
{
    const char *extra = maker_value(maker, allowed);
    if (!extra)
        return SWATHE_OK;
    return maker_fail_value(maker, extra,
                            fail(SWATHE_ERROR_ARGUMENT, "%s: '%s' is one argument too many (%s)",
                                 maker->filter->name, extra, maker->filter->syntax));
}

swathe_status maker_join(struct stage_maker *maker, enum stage_join usual)
{
    struct nearest nearest;
    char hint[64];
    const char *name = maker_key(maker, "join");
    maker->stage->join = name ? stage_join_named(name) : usual;
    if (!name || maker->stage->join != STAGE_JOIN_NONE)
        return SWATHE_OK;
    nearest_start(&nearest, name);
    for (int i = STAGE_JOIN_STACK; i < STAGE_JOIN_COUNT; i++)
        nearest_offer(&nearest, stage_join_name((enum stage_join)i));
    return fail(SWATHE_ERROR_ARGUMENT, "join=%.40s: needs stack, hypot, max or sum%s", name,
                nearest_hint(&nearest, "", hint, sizeof hint));
}

swathe_status stage_copy_array(struct arena *arena, const struct stage_array *from,
                               struct stage_array *to)
{
    *to = (struct stage_array){.count = from->count};
    TRY(arena_new(arena, from->count, sizeof *to->masks, "masks", &to->masks));
    for (int32_t i = 0; i < from->count; i++) {
        const struct mask *mask = &from->masks[i];
        TRY(mask_copy(arena, mask->width, mask->height, mask->k, &to->masks[i]));
    }
    return SWATHE_OK;
}

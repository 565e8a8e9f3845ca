#include "filter/stage.h"

#include "base/nearest_word.h"
#include "base/text.h"
#include "base/word_list.h"
#include "filter/named.h"
#include "image/sample.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct filter_entry filters[] = {
#define FILTER(name, make, syntax, keys, words, summary, detail, example)                          \
    {name, make, syntax, keys, words, summary, detail, example},
#include "filter/filter.def"
#undef FILTER
};

const struct filter_entry *filter_entry(int index)
{
    return index >= 0 && index < (int)(sizeof filters / sizeof *filters) ? &filters[index] : NULL;
}

static const struct {
    const char *name, *subject, *advice;
} other_names[] = {
#define OTHER_NAME(name, subject, advice) {name, subject, advice},
#include "filter/other_name.def"
#undef OTHER_NAME
};

static swathe_status filter_stage_unknown_key(const struct filter_entry *entry, const char *key)
{
    char hint[64];
    struct nearest nearest;
    nearest_start(&nearest, key);
    nearest_offer_list(&nearest, entry->keys, ' ');
    for (int i = 0; stage_option_entry(i); i++)
        nearest_offer(&nearest, stage_option_entry(i)->name);
    return fail(SWATHE_ERROR_ARGUMENT, "%s: no argument '%.60s'%s (%s)", entry->name, key,
                nearest_hint(&nearest, "", hint, sizeof hint), entry->syntax);
}

static swathe_status find_filter(const char *name, const struct filter_entry **entry)
{
    char hint[64];
    struct nearest nearest;
    nearest_start(&nearest, name);
    for (int i = 0; filter_entry(i); i++) {
        if (strcmp(filters[i].name, name) == 0) {
            *entry = &filters[i];
            return SWATHE_OK;
        }
        nearest_offer(&nearest, filters[i].name);
    }
    if (*name == '\0')
        return fail(SWATHE_ERROR_ARGUMENT, "an empty stage; remove a ','");
    if (strchr(name, '='))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "no filter '%.60s'; arguments of a filter follow a colon, as in "
                    "gaussian:sigma=2",
                    name);
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (strcmp(other_names[i].name, name) == 0)
            return fail_about(SWATHE_ERROR_ARGUMENT, other_names[i].subject, "no filter '%s'; %s",
                              name, other_names[i].advice);
    return fail(SWATHE_ERROR_ARGUMENT, "no filter '%.60s'%s", name,
                nearest_found(&nearest) ? nearest_hint(&nearest, "", hint, sizeof hint)
                                        : "; 'swathe filters' lists them");
}

/* Checks that each key is known and given once. */
static swathe_status filter_stage_check_arguments(const struct stage_maker *maker)
{
    const struct words *words = maker->words;
    for (int32_t i = 0; i < words->count; i++) {
        const char *key = words->args[i].key;
        if (key &&
            (maker_is_option(key, false) || word_listed(maker->filter->words, ' ', key, strncmp)))
            return fail(SWATHE_ERROR_ARGUMENT, "%s: %s takes no value", maker->filter->name, key);
        if (key && !maker_is_option(key, true) &&
            !word_listed(maker->filter->keys, ' ', key, strncmp))
            return filter_stage_unknown_key(maker->filter, key);
        if (!key && word_listed(maker->filter->keys, ' ', words->args[i].value, strncmp))
            return fail(SWATHE_ERROR_ARGUMENT, "%s: %s needs a value, as in %s=%s",
                        maker->filter->name, words->args[i].value, words->args[i].value,
                        strcmp(words->args[i].value, "join") == 0 ? "hypot" : "2");
        if (!key && maker_is_option(words->args[i].value, true))
            return fail(SWATHE_ERROR_ARGUMENT, "%s: %s needs a value, as in %s=…",
                        maker->filter->name, words->args[i].value, words->args[i].value);
        for (int32_t j = 0; key && j < i; j++)
            if (words->args[j].key && strcmp(words->args[j].key, key) == 0)
                return fail(SWATHE_ERROR_ARGUMENT, "%s: %s= is given twice", maker->filter->name,
                            key);
    }
    return SWATHE_OK;
}

static swathe_status filter_stage_parse_clamp(const char *text, struct stage *stage)
{
    char low[64];
    const char *dots = strstr(text, "..");
    size_t length = dots ? (size_t)(dots - text) : 0;
    if (dots && length < sizeof low) {
        memcpy(low, text, length);
        low[length] = '\0';
        if (text_to_double(low, &stage->clamp_low) &&
            text_to_double(dots + 2, &stage->clamp_high) && stage->clamp_low <= stage->clamp_high) {
            stage->has_clamp = true;
            return SWATHE_OK;
        }
    }
    return fail(SWATHE_ERROR_ARGUMENT, "clamp=%s: needs LO..HI with LO <= HI, as in clamp=0..255",
                text);
}

static swathe_status filter_stage_parse_type(const char *text, struct stage *stage)
{
    const struct sample_entry *entry = sample_entry_named(text);
    if (!entry)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "type=%s: the types are u8, u16, s16, f32, u32, s32, f64", text);
    stage->type = entry->type;
    return SWATHE_OK;
}

static swathe_status parse_dilate(const char *text, struct stage *stage)
{
    int64_t x, y;
    if (!grammar_pair(text, &x, &y) || x < 1 || y < 1 || x > MASK_DILATE_MAX || y > MASK_DILATE_MAX)
        return fail(SWATHE_ERROR_ARGUMENT, "dilate=%s: needs N or NxM from 1 to %d", text,
                    MASK_DILATE_MAX);
    stage->dilate_x = (int32_t)x;
    stage->dilate_y = (int32_t)y;
    return SWATHE_OK;
}

static swathe_status parse_anchor(const char *text, struct stage *stage)
{
    int64_t x, y;
    if (!grammar_pair(text, &x, &y) || !strchr(text, 'x'))
        return fail(SWATHE_ERROR_ARGUMENT, "anchor=%s: needs XxY, as in anchor=0x2", text);
    for (int32_t i = 0; i < stage->mask_count; i++) {
        struct mask *mask = &stage->masks[i];
        if (x < 0 || y < 0 || x >= mask->width || y >= mask->height)
            return fail(SWATHE_ERROR_ARGUMENT, "anchor=%s is outside the %d x %d mask", text,
                        mask->width, mask->height);
        mask->anchor_x = (int32_t)x;
        mask->anchor_y = (int32_t)y;
    }
    return SWATHE_OK;
}

static void flip_stage(struct stage *stage)
{
    for (int32_t i = 0; i < stage->mask_count; i++)
        mask_flip(&stage->masks[i]);
    /* The taps of two-pass filters are symmetric, so only the anchor moves. */
}

/* Applies key=value options; the mask has been built. */
static swathe_status apply_options(const struct stage_maker *maker)
{
    struct stage *stage = maker->stage;
    const char *value;
    if (stage->rule == STAGE_MIX && (maker_key(maker, "anchor") || maker_key(maker, "dilate") ||
                                     maker_word(maker, "flip") || maker_word(maker, "normalise")))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "%s: anchor, dilate, flip and normalise are for masks over several pixels",
                    maker->filter->name);
    if ((value = maker_key(maker, "border"))) {
        TRY(border_parse(value, &stage->border));
        stage->has_border = true;
    }
    if ((value = maker_key(maker, "clamp")))
        TRY(filter_stage_parse_clamp(value, stage));
    if ((value = maker_key(maker, "type")))
        TRY(filter_stage_parse_type(value, stage));
    if ((value = maker_key(maker, "dilate")))
        TRY(parse_dilate(value, stage));
    if ((value = maker_key(maker, "anchor")))
        TRY(parse_anchor(value, stage));
    TRY(maker_number(maker, "bias", stage->bias, -1e30, 1e30, &stage->bias));
    if (maker_word(maker, "normalise") && stage->term_count > 1)
        stage->rule = STAGE_DENSE; /* its terms do not change */
    if (maker_word(maker, "normalise") && stage->rule == STAGE_DENSE)
        for (int32_t i = 0; i < stage->mask_count; i++)
            TRY(mask_normalise(&stage->masks[i]));
    if (maker_word(maker, "flip"))
        flip_stage(stage);
    return SWATHE_OK;
}

static swathe_status filter_stage_make(struct arena *arena, const struct words *words,
                                       struct stage *stage)
{
    struct stage_maker maker = {arena, stage, NULL, words};
    TRY(find_filter(words->name, &maker.filter));
    TRY(filter_stage_check_arguments(&maker));
    TRY(maker.filter->make(&maker));
    TRY(named_text(arena, words, stage)); /* before options change the taps that it contains */
    return apply_options(&maker);
}

swathe_status stage_parse(struct arena *arena, const char *text, size_t length, struct stage *stage)
{
    struct words words;
    TRY(grammar_split(arena, text, length, &words));
    *stage = (struct stage){.dilate_x = 1, .dilate_y = 1};
    return filter_stage_make(arena, &words, stage);
}

static swathe_status copy_mask(struct arena *arena, const swathe_mask *from, struct mask *to)
{
    if (!from->taps)
        return fail(SWATHE_ERROR_ARGUMENT, "mask: taps is NULL");
    TRY(mask_copy(arena, from->width, from->height, from->taps, to));
    for (int64_t i = 0; i < (int64_t)to->width * to->height; i++)
        if (!isfinite(to->k[i]))
            return fail(SWATHE_ERROR_ARGUMENT, "mask: tap %" PRId64 " is not a finite number", i);
    return SWATHE_OK;
}

static bool is_centred(const swathe_mask *mask)
{
    return !mask->has_anchor ||
           (mask->anchor_x == mask->width / 2 && mask->anchor_y == mask->height / 2);
}

static int32_t or_one(int32_t dilate)
{
    return dilate ? dilate : 1;
}

/* Checks that all masks of a stage have the same dilation, direction and bias. Anchors must be the
 * middle of each mask, or the same for all. */
static swathe_status check_same_options(const swathe_mask *masks, int32_t count, bool *centred)
{
    *centred = true;
    for (int32_t i = 0; i < count; i++)
        *centred &= is_centred(&masks[i]);
    for (int32_t i = 1; i < count; i++) {
        const swathe_mask *a = &masks[0], *b = &masks[i];
        bool same_anchor = a->has_anchor && b->has_anchor && a->anchor_x == b->anchor_x &&
                           a->anchor_y == b->anchor_y;
        if ((!*centred && !same_anchor) || or_one(a->dilate_x) != or_one(b->dilate_x) ||
            or_one(a->dilate_y) != or_one(b->dilate_y) || !a->flip != !b->flip ||
            a->bias != b->bias)
            return fail(
                SWATHE_ERROR_UNSUPPORTED,
                "the anchor, dilation, flip or bias of mask %d differs from mask 0; pad the "
                "masks with zeros to the same size and anchor",
                i);
    }
    return SWATHE_OK;
}

/* Writes the fields of a swathe_mask as options of a chain, such as ":anchor=0x2". */
static void mask_options(struct text *out, const swathe_mask *mask, bool centred,
                         const char *options_text)
{
    if (!centred)
        text_add(out, ":anchor=%dx%d", mask->anchor_x, mask->anchor_y);
    if (or_one(mask->dilate_x) != 1 || or_one(mask->dilate_y) != 1)
        text_add(out, ":dilate=%dx%d", or_one(mask->dilate_x), or_one(mask->dilate_y));
    if (mask->flip)
        text_add(out, ":flip");
    if (mask->bias != 0.0) {
        text_add(out, ":bias=");
        text_add_double(out, mask->bias);
    }
    if (options_text && *options_text)
        text_add(out, ":%s", options_text);
}

/* Copies the masks without their taps, so that anchors can differ. */
static swathe_status copy_headers(struct arena *arena, const struct stage_array *from,
                                  struct stage_array *to)
{
    *to = (struct stage_array){.count = from->count};
    TRY(arena_new(arena, from->count, sizeof *to->masks, "masks", &to->masks));
    memcpy(to->masks, from->masks, sizeof *to->masks * (size_t)from->count);
    return SWATHE_OK;
}

swathe_status stage_from_array(struct arena *arena, const struct stage_array *array,
                               const char *options_text, struct stage *stage)
{
    struct words words;
    char *text;
    struct stage_maker maker = {arena, stage, NULL, &words};
    struct stage_array own = *array;
    TRY(named_mask_text(arena, NULL, 0, options_text, &text));
    TRY(grammar_split(arena, text, strlen(text), &words));
    TRY(find_filter(words.name, &maker.filter));
    TRY(filter_stage_check_arguments(&maker));
    if (maker_value(&maker, 0))
        return fail(SWATHE_ERROR_ARGUMENT, "'%.40s' is not an option of a mask",
                    maker_value(&maker, 0));
    *stage = (struct stage){.dilate_x = 1, .dilate_y = 1};
    TRY(named_array_text(arena, array, options_text, stage));
    if (maker_word(&maker, "normalise") || maker_word(&maker, "flip")) /* change the taps */
        TRY(stage_copy_array(arena, array, &own));
    else
        TRY(copy_headers(arena, array, &own));
    stage->masks = own.masks;
    stage->mask_count = own.count;
    return apply_options(&maker);
}

swathe_status stage_from_masks(struct arena *arena, const swathe_mask *masks, int32_t count,
                               const char *options_text, struct stage *stage)
{
    if (count < 1 || !masks)
        return fail(SWATHE_ERROR_ARGUMENT, "a stage needs at least one mask, not %d", count);
    struct mask *own;
    bool centred;
    TRY(check_same_options(masks, count, &centred));
    TRY(arena_new(arena, count, sizeof *own, "masks", &own));
    for (int32_t i = 0; i < count; i++) {
        TRY(copy_mask(arena, &masks[i], &own[i]));
        TRY(stage_check_taps(own, i + 1));
    }
    char options_buffer[1024];
    struct text out;
    struct stage_array array = {count, own};
    text_init(&out, options_buffer, sizeof options_buffer);
    mask_options(&out, &masks[0], centred, options_text);
    TRY(text_finish(&out, NULL));
    return stage_from_array(arena, &array, options_buffer, stage);
}

#include "filter/chain.h"

#include "base/text.h"
#include "filter/named.h"

#include <inttypes.h>
#include <string.h>

static swathe_status check_stage_count(const struct chain *chain)
{
    if (chain->count == CHAIN_STAGES_MAX)
        return fail(SWATHE_ERROR_ARGUMENT, "chain: more than %d stages; run it in two steps",
                    CHAIN_STAGES_MAX);
    return SWATHE_OK;
}

/* Counts the taps that the stages store; those of a repeated stage count once. stage_check_taps()
 * limits a single stage. */
static swathe_status chain_count_taps(struct chain *chain, const struct stage *stage)
{
    int64_t taps = chain->taps;
    for (int32_t i = 0; i < stage->mask_count; i++)
        taps += mask_taps(&stage->masks[i]);
    if (taps > CHAIN_TAPS_MAX)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "with this stage the masks of the chain have %" PRId64
                    " taps, the limit is %d (a repeated stage counts once); run the chain in two "
                    "steps",
                    taps, CHAIN_TAPS_MAX);
    chain->taps = taps;
    return SWATHE_OK;
}

/* Parses the next stage. A stage that occurs earlier in the chain is shared, because planning it
 * again would take as long as the first time. */
static swathe_status parse_stage(struct chain *chain, const char *text, size_t length)
{
    struct stage *stage = &chain->stages[chain->count];
    for (int32_t i = 0; i < chain->count; i++) {
        const struct stage *other = &chain->stages[i];
        if (!other->array && strncmp(other->text, text, length) == 0 &&
            other->text[length] == '\0') {
            *stage = *other;
            return SWATHE_OK;
        }
    }
    TRY(stage_parse(&chain->arena, text, length, stage));
    return chain_count_taps(chain, stage);
}

static swathe_status parse_stages(struct chain *chain, const char *text)
{
    size_t length = strlen(text), piece;
    if (strspn(text, " \t\n") == length)
        return SWATHE_OK;
    for (;;) {
        TRY(grammar_piece(text, length, ',', &piece));
        TRY(check_stage_count(chain));
        swathe_status status = parse_stage(chain, text, piece);
        if (status != SWATHE_OK)
            return fail_within(status, "stage %d: ", chain->count + 1);
        chain->count++;
        if (piece == length)
            return SWATHE_OK;
        text += piece + 1;
        length -= piece + 1;
    }
}

swathe_status chain_parse(const struct memory *memory, const char *text, struct chain **chain)
{
    struct chain *got;
    TRY(memory_new(memory, 1, sizeof *got, "a chain", &got));
    got->arena.memory = memory;
    swathe_status status = parse_stages(got, text);
    if (status != SWATHE_OK) {
        chain_free(got);
        return status;
    }
    *chain = got;
    return SWATHE_OK;
}

swathe_status chain_append(struct chain *chain, const char *text)
{
    int32_t count = chain->count;
    int64_t taps = chain->taps;
    swathe_status status = parse_stages(chain, text);
    if (status != SWATHE_OK) { /* all stages or none are appended */
        chain->count = count;
        chain->taps = taps;
    }
    return status;
}

swathe_status chain_append_array(struct chain *chain, const struct stage_array *array,
                                 const char *options)
{
    TRY(check_stage_count(chain));
    TRY(stage_from_array(&chain->arena, array, options, &chain->stages[chain->count]));
    TRY(chain_count_taps(chain, &chain->stages[chain->count]));
    chain->count++;
    return SWATHE_OK;
}

swathe_status chain_append_masks(struct chain *chain, const swathe_mask *masks, int32_t count,
                                 const char *options)
{
    TRY(check_stage_count(chain));
    TRY(stage_from_masks(&chain->arena, masks, count, options, &chain->stages[chain->count]));
    TRY(chain_count_taps(chain, &chain->stages[chain->count]));
    chain->count++;
    return SWATHE_OK;
}

void chain_free(struct chain *chain)
{
    if (!chain)
        return;
    const struct memory *memory = chain->arena.memory;
    arena_free(&chain->arena);
    memory_free(memory, chain);
}

swathe_status chain_text(const struct chain *chain, char *text, size_t size, size_t *needed)
{
    struct text out;
    text_init(&out, text, size);
    for (int32_t i = 0; i < chain->count; i++) {
        const struct stage *stage = &chain->stages[i];
        text_add(&out, i ? "," : "");
        text_add(&out, "%s", named_add_array(&out, stage->array, stage->text));
    }
    return text_finish(&out, needed);
}

swathe_status chain_mask(const struct chain *chain, int32_t stage, int32_t channel,
                         swathe_mask *mask)
{
    if (stage < 0 || stage >= chain->count)
        return fail(SWATHE_ERROR_ARGUMENT, "no stage %d; the chain has %d", stage, chain->count);
    const struct stage *at = &chain->stages[stage];
    if (channel < 0 || (at->mask_count > 1 && channel >= at->mask_count))
        return fail(SWATHE_ERROR_ARGUMENT, "no mask %d; the stage has %d", channel, at->mask_count);
    if (at->rule == STAGE_POINT)
        return fail(SWATHE_ERROR_UNSUPPORTED, "%s has no mask: it maps single samples", at->text);
    const struct mask *from = &at->masks[at->mask_count > 1 ? channel : 0];
    if (!from->k)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "%s: the %d x %d taps are not stored, because it runs in two passes", at->text,
                    from->width, from->height);
    swathe_mask out = SWATHE_INIT(swathe_mask);
    out.width = from->width;
    out.height = from->height;
    out.anchor_x = from->anchor_x;
    out.anchor_y = from->anchor_y;
    out.has_anchor = 1;
    out.dilate_x = at->dilate_x;
    out.dilate_y = at->dilate_y;
    out.taps = from->k;
    out.bias = at->bias;
    *mask = out;
    return SWATHE_OK;
}

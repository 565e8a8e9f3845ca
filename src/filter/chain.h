/* A chain: its stages in order. */
#ifndef SWATHE_FILTER_CHAIN_H
#define SWATHE_FILTER_CHAIN_H

#include "filter/stage.h"

enum {
    CHAIN_STAGES_MAX = 256,
    /* A plan may add three: two for light, see light.h, and one for values, see values.h. */
    CHAIN_PLANNED_MAX = CHAIN_STAGES_MAX + 3,
    CHAIN_TAPS_MAX = MASK_TAPS_MAX
};

struct chain {
    struct arena arena;
    int32_t count;
    int64_t taps; /* of all masks; a repeated stage counts once */
    struct stage stages[CHAIN_PLANNED_MAX];
};

swathe_status chain_parse(const struct memory *memory, const char *text, struct chain **chain);
/* Appends the stages of a text, all or none. */
swathe_status chain_append(struct chain *chain, const char *text);
/* Appends a stage; `options` are ":border=wrap" and the like. The array must outlive the chain. */
swathe_status chain_append_array(struct chain *chain, const struct stage_array *array,
                                 const char *options);
swathe_status chain_append_masks(struct chain *chain, const swathe_mask *masks, int32_t count,
                                 const char *options);
void chain_free(struct chain *chain);
swathe_status chain_text(const struct chain *chain, char *text, size_t size, size_t *needed);
/* Describes one mask of a stage, as callers pass masks. */
swathe_status chain_mask(const struct chain *chain, int32_t stage, int32_t channel,
                         swathe_mask *mask);

#endif

/* Converts text and arrays to stages. */
#ifndef SWATHE_FILTER_STAGE_H
#define SWATHE_FILTER_STAGE_H

#include "filter/stage_maker.h"

/* NULL past the end. */
const struct filter_entry *filter_entry(int index);

/* Parses one stage, such as "gaussian:5:border=wrap". */
swathe_status stage_parse(struct arena *arena, const char *text, size_t length,
                          struct stage *stage);
/* From masks whose taps stay where they are; `options` as in ":border=wrap:flip", may be empty. */
swathe_status stage_from_array(struct arena *arena, const struct stage_array *array,
                               const char *options, struct stage *stage);
swathe_status stage_copy_array(struct arena *arena, const struct stage_array *from,
                               struct stage_array *to);
/* From arrays, which are copied; `options` as in a chain, or NULL. */
swathe_status stage_from_masks(struct arena *arena, const swathe_mask *masks, int32_t count,
                               const char *options, struct stage *stage);

#endif

/* Converts text and arrays to stages. */
#ifndef SWATHE_FILTER_STAGE_H
#define SWATHE_FILTER_STAGE_H

#include "filter/stage_maker.h"

/* NULL past the end. */
const struct filter_entry *filter_entry(int index);

/* Parses one stage, such as "gaussian:5:border=wrap". */
swathe_status stage_parse(struct arena *arena, const char *text, size_t length,
                          struct stage *stage);
/* Makes a stage from masks whose taps are not copied. `options` are as in ":border=wrap:flip", or
 * empty. */
swathe_status stage_from_array(struct arena *arena, const struct stage_array *array,
                               const char *options, struct stage *stage);
/* Makes a stage from arrays, which are copied. `options` are as in a chain, or NULL. */
swathe_status stage_from_masks(struct arena *arena, const swathe_mask *masks, int32_t count,
                               const char *options, struct stage *stage);

#endif

/* Converts text and arrays to stages. */
#ifndef SWATHE_FILTER_STAGE_H
#define SWATHE_FILTER_STAGE_H

#include "filter/stage_maker.h"

/* NULL past the end. */
const struct filter_entry *filter_entry(int index);

/* Parses one stage, such as "gaussian:5:border=wrap". */
swathe_status stage_parse(struct arena *arena, const char *text, size_t length,
                          struct stage *stage);
/* Builds a stage from arrays. `options` as in a chain; NULL: none. */
swathe_status stage_from_masks(struct arena *arena, const swathe_mask *masks, int32_t count,
                               const char *options, struct stage *stage);

#endif

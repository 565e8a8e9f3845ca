/* The makers of filter.def, and how a stage is written down. */
#ifndef SWATHE_FILTER_NAMED_H
#define SWATHE_FILTER_NAMED_H

#include "filter/stage_maker.h"

#define FILTER(name, make, syntax, keys, words, summary, detail, example)                          \
    swathe_status make(struct stage_maker *maker);
#include "filter/filter.def"
#undef FILTER

/* "mask:(…):(…)" + options, self-contained. */
swathe_status named_mask_text(struct arena *arena, const struct mask *masks, int32_t count,
                              const char *options, char **text);
/* Sets stage->text: as written, with the contents of files in their place. */
swathe_status named_text(struct arena *arena, const struct words *words, struct stage *stage);

#endif

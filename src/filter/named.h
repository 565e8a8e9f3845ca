/* The makers of filter.def, and the text of a stage. */
#ifndef SWATHE_FILTER_NAMED_H
#define SWATHE_FILTER_NAMED_H

#include "base/text.h"
#include "filter/stage_maker.h"

#define FILTER(name, make, syntax, keys, words, summary, detail, example)                          \
    swathe_status make(struct stage_maker *maker);
#include "filter/filter.def"
#undef FILTER

/* Writes "mask:(…):(…)" and the options; the text refers to no file. */
swathe_status named_mask_text(struct arena *arena, const struct mask *masks, int32_t count,
                              const char *options, char **text);
/* Adds "mask:(…):(…)" for an array that the text of a stage omits. Returns the rest of that text,
 * which is all of it if `array` is NULL. */
const char *named_add_array(struct text *out, const struct stage_array *array, const char *text);
/* Sets stage->text, with the taps only if they are few; otherwise stage->array, for callers that
 * need them. */
swathe_status named_array_text(struct arena *arena, const struct stage_array *array,
                               const char *options, struct stage *stage);
/* Sets stage->text: as written, with file names replaced by the contents of the files. */
swathe_status named_text(struct arena *arena, const struct words *words, struct stage *stage);

#endif

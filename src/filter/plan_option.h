/* Plan options as text, for problem strings and programs. */
#ifndef SWATHE_FILTER_PLAN_OPTION_H
#define SWATHE_FILTER_PLAN_OPTION_H

#include "base/text.h"
#include "image/border.h"

/* Implements swathe_plan_options_set. */
swathe_status plan_option_set(swathe_plan_options *options, const char *name, const char *text);
/* Appends " name=text" for every option that is not the default. */
void plan_option_print(const swathe_plan_options *options, struct text *out);

/* Fails for numbers that are not in an enumeration. */
swathe_status plan_option_check(const swathe_plan_options *options);
/* The border for stages that specify none. */
struct border plan_option_border(const swathe_plan_options *options);
/* "keep", "scale" or "fit". */
const char *plan_option_values(swathe_values values);

#endif

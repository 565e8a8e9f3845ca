/* What the command says about results that were clamped. */
#ifndef SWATHE_CLI_FILE_CLAMPED_RESULTS_H
#define SWATHE_CLI_FILE_CLAMPED_RESULTS_H

#include "swathe/swathe.h"

#include <stdbool.h>

/* Their share of all results, if it is more than one in a thousand; otherwise 0. */
double clamped_share(const swathe_clamped *found);
/* "about 12 % of the results were above": the share and where they were. */
const char *clamped_words(const swathe_clamped *found, char *text, size_t size);
/* Does the last filter keep the brightness of flat areas, as sharpening does? Its overshoots are
 * expected to be clamped. */
bool clamped_expected(const swathe_chain *chain);

#endif

/* The range of a result that --values fit maps to the whole range of a type. */
#ifndef SWATHE_CLI_FILE_FIT_RANGE_H
#define SWATHE_CLI_FILE_FIT_RANGE_H

#include "swathe/swathe.h"

#include <stdbool.h>

/* Runs a plan and measures the finite samples of all channels except alpha, without storing the
 * result. Missing samples are not measured, and `by_alpha` leaves out pixels whose alpha is 0. The
 * ends belong to shares in percent, 0 and 100: the lowest and the highest sample. An
 * end is the smallest value that at least its share of the samples does not exceed: exact for
 * samples of 8 and 16 bits; otherwise up to 2^-10 of its magnitude further out. An image without
 * finite samples has the range 0..0. */
swathe_status fit_measure(swathe_context *context, const swathe_plan *plan, swathe_source *source,
                          const swathe_run_options *options, bool by_alpha, const double shares[2],
                          double range[2]);

#endif

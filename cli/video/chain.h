/* Samples of 9 to 15 bits are stored as u16. Their range is the range of the bits. */
#ifndef SWATHE_CLI_VIDEO_CHAIN_H
#define SWATHE_CLI_VIDEO_CHAIN_H

#include "commands/options.h"

/* Creates a chain whose stages of u16 clamp to 0..highest, as if clamp=0..highest were written in
 * each, or to the part of a stage's own clamp= within it. The caller destroys it. On failure prints
 * a message and returns the exit code. */
int video_chain_limit(swathe_context *context, const struct options *options,
                      const swathe_chain *chain, int highest, swathe_chain **limited);

#endif

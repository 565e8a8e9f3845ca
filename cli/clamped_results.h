#ifndef SWATHE_CLI_BRIGHTNESS_H
#define SWATHE_CLI_BRIGHTNESS_H

#include "swathe/swathe.h"

#include <stdbool.h>

/* Does the last filter keep the brightness of flat areas, as sharpening does? Its overshoots are
 * expected to be clamped. */
bool brightness_kept(const swathe_chain *chain);

#endif

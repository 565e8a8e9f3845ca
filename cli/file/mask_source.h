/* An image whose missing pixels another image names (--mask). Rows of both are read together, so
 * that neither needs to be in memory. */
#ifndef SWATHE_CLI_FILE_MASK_SOURCE_H
#define SWATHE_CLI_FILE_MASK_SOURCE_H

#include "commands/options.h"

/* Replaces *source, which the new one owns. Missing pixels get the nodata value if there is one, or
 * NaN in floats; otherwise the image gets an alpha channel, which is 0 there. Without --mask
 * nothing changes. 0, or the exit code after a message; *source then remains as it was. */
int mask_source_wrap(swathe_context *context, const struct options *options,
                     swathe_source **source);

#endif

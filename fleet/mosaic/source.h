/* The source of a mosaic, which must not change while the set runs. */
#ifndef FLEET_MOSAIC_SOURCE_H
#define FLEET_MOSAIC_SOURCE_H

#include "set/set.h"
#include "store.h"

enum { SOURCE_VERSION = 192 };

/* The source's size and ETag as text, the same on every machine. */
swathe_status mosaic_version(struct store *store, const char *url, char version[SOURCE_VERSION]);
/* Opens the source. Fails with SWATHE_ERROR_INPUT if it is not the version in the set's record,
 * which may be NULL. */
swathe_status mosaic_open(struct store *store, swathe_context *context, const struct set *set,
                          const swathe_read_options *options, swathe_source **source);

#endif

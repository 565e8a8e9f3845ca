/* Images in object stores: s3://bucket/key. The code that reads and writes them is a module, loaded
 * at the first use, so that other runs do not load its libraries. */
#ifndef SWATHE_CLI_FILE_REMOTE_H
#define SWATHE_CLI_FILE_REMOTE_H

#include "swathe/swathe.h"

#include <stdbool.h>

/* True if the argument is a URL of an object. */
bool remote_is(const char *path);
/* Like swathe_file_open and swathe_file_create. */
swathe_status remote_open(swathe_context *context, const char *url,
                          const swathe_read_options *options, swathe_source **source);
swathe_status remote_create(swathe_context *context, const char *url, const swathe_shape *shape,
                            const swathe_metadata *metadata, const swathe_write_options *options,
                            swathe_sink **sink);
/* Call when no source or sink is left: closes connections and forgets credentials. */
void remote_close(void);

#endif

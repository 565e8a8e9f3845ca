/* The path of a result in a batch. */
#ifndef SWATHE_CLI_BATCH_RESULT_PATH_H
#define SWATHE_CLI_BATCH_RESULT_PATH_H

#include "commands/options.h"

/* The path in `folder` of the result of an image that has the relative path `name`: with the file
 * name of --name and the extension of --format. The caller frees it; NULL: no memory. */
char *result_path(const struct options *options, const char *folder, const char *name);
/* The end of a path behind its last slash. */
const char *result_last_name(const char *path);

#endif

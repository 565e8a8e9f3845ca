/* How a file stores its samples and metadata, for `swathe info`. */
#ifndef SWATHE_CLI_TERMINAL_STORED_PRINT_H
#define SWATHE_CLI_TERMINAL_STORED_PRINT_H

#include "swathe/swathe.h"
#include "terminal/json.h"

/* Prints nothing if metadata is NULL or has no encoding. */
void stored_print(const swathe_metadata *metadata);
void stored_json(struct json *json, const swathe_metadata *metadata);

/* Tags of a TIFF, such as the camera's maker, are stored like EXIF. They count as EXIF only if
 * there is an EXIF directory. Other formats store complete EXIF blocks. */
bool stored_exif(const swathe_metadata *metadata);

#endif

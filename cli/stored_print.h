/* How a file stores its samples and metadata, for `swathe info`. */
#ifndef SWATHE_CLI_STORED_PRINT_H
#define SWATHE_CLI_STORED_PRINT_H

#include "json.h"
#include "swathe/swathe.h"

/* NULL metadata, or some without an encoding, print nothing. */
void stored_print(const swathe_metadata *metadata);
void stored_json(struct json *json, const swathe_metadata *metadata);

/* A TIFF's own tags, such as its camera's maker, are kept like EXIF; they are an EXIF block only
 * where there is a directory of EXIF's. Other formats have whole blocks. */
bool stored_exif(const swathe_metadata *metadata);

#endif

/* An unnamed file, for bytes that must be read twice. */
#ifndef SWATHE_IO_BYTES_TEMPORARY_FILE_H
#define SWATHE_IO_BYTES_TEMPORARY_FILE_H

#include "base/status.h"

/* Creates the file in the system's directory for such files ($TMPDIR). It is deleted when the
 * descriptor is closed. */
swathe_status temporary_file_open(int *descriptor);
/* Fails because it could not be written; names its directory. */
swathe_status temporary_file_full(int error);

#endif

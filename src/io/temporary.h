/* A file without a name, for bytes that must be gone through twice. */
#ifndef SWATHE_IO_TEMPORARY_H
#define SWATHE_IO_TEMPORARY_H

#include "base/status.h"

/* In $TMPDIR, else /tmp. It vanishes when the descriptor is closed. */
swathe_status temporary_open(int *descriptor);

#endif

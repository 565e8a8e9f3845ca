/* PNG metadata that stands after the pixels, where exiftool and others put it. */
#ifndef SWATHE_IO_PNG_TAIL_H
#define SWATHE_IO_PNG_TAIL_H

#include "io/codec.h"

/* Keeps eXIf and XMP chunks that follow the image data; leaves the stream where it was. Only for
 * files with random access: a pipe's end is not known before its pixels were read. */
swathe_status png_tail_keep(struct reader *reader);

#endif

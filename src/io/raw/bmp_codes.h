/* Run-length encoding of BMP files with 4 or 8 bits per pixel. */
#ifndef SWATHE_IO_RAW_BMP_CODES_H
#define SWATHE_IO_RAW_BMP_CODES_H

#include "io/raw/packed_pixels.h"

/* Finds where each row starts. Fails if the codes end early. */
swathe_status bmp_codes_open(struct image_reader *reader);

#endif

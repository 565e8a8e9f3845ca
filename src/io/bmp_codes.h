/* The runs of BMP files with 4 or 8 bits a pixel. */
#ifndef SWATHE_IO_BMP_CODES_H
#define SWATHE_IO_BMP_CODES_H

#include "io/packed.h"

/* Finds the rows, and refuses a file whose codes end early. */
swathe_status bmp_codes_open(struct image_reader *reader);

#endif

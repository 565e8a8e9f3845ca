/* The JPEG writer with the numbers of its restart markers off by one. The comparison with libjpeg
 * alone must say so. */
#include <stdio.h>

#include <jpeglib.h>

#undef JPEG_RST0
#define JPEG_RST0 0xD1

#include "io/jpeg_write.c"

/* The JPEG writer with wrong numbers in its restart markers, off by one. The comparison with
 * libjpeg must find it. */
#include <stdio.h>

#include <jpeglib.h>

#undef JPEG_RST0
#define JPEG_RST0 0xD1

#include "io/jpeg/write.c"

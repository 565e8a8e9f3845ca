/* Turning to the wrong side: 6 is taken for 8. The test of orientations must say so. */
#include "io/exif.h"

static int planted_orientation(const swathe_metadata *metadata)
{
    int how = exif_orientation(metadata);
    return how == 6 ? 8 : how;
}

#define exif_orientation planted_orientation
#include "io/orient.c"

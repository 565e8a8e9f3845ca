/* Rotation to the wrong side: orientation 6 is treated as 8. The test of orientations must find
 * it. */
#include "io/metadata/exif.h"

static int planted_orientation(const swathe_metadata *metadata)
{
    int how = exif_orientation(metadata);
    return how == 6 ? 8 : how;
}

#define exif_orientation planted_orientation
#include "io/orient.c"

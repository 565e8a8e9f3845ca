/* How a JPEG file was stored: its quality and the resolution of its colours. */
#ifndef SWATHE_IO_JPEG_JUDGE_H
#define SWATHE_IO_JPEG_JUDGE_H

#include <stdio.h>

#include <jpeglib.h>

/* The quality, 1..100, whose tables by libjpeg are nearest to the file's; the same tables, hence
 * exactly the quality, if libjpeg made it. Of several that fit equally the highest. 0: no tables.
 */
int jpeg_judge_quality(const struct jpeg_decompress_struct *info);

/* 444, 422 and so on; 0 where colours are not stored so, or there are none. */
int jpeg_judge_subsampling(const struct jpeg_decompress_struct *info);
/* How many samples of the first component stand beside one of a colour, in each direction; {0, 0}
 * for a number that is none of these. */
struct jpeg_factors {
    int across, down;
};
struct jpeg_factors jpeg_judge_factors(int subsampling);

#endif

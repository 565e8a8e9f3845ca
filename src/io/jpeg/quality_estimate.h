/* How a JPEG file was encoded: its quality and chroma subsampling. */
#ifndef SWATHE_IO_JPEG_QUALITY_ESTIMATE_H
#define SWATHE_IO_JPEG_QUALITY_ESTIMATE_H

#include <stdio.h>

#include <jpeglib.h>

/* The quality, 1..100, for which libjpeg's quantization tables are closest to the file's; exact if
 * libjpeg wrote the file. If several are equally close, the highest. 0: no tables. */
int jpeg_estimate_quality(const struct jpeg_decompress_struct *info);

/* Returns 444, 422 and so on; 0 for other factors, or if there is no chroma. */
int jpeg_estimate_subsampling(const struct jpeg_decompress_struct *info);
/* Samples of the first component per chroma sample, in each direction; {0, 0} for an unknown
 * subsampling. */
struct jpeg_factors {
    int across, down;
};
struct jpeg_factors jpeg_estimate_factors(int subsampling);

#endif

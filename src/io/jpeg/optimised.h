/* JPEG with optimised Huffman codes: smaller files, encoded as a whole by one thread. */
#ifndef SWATHE_IO_JPEG_OPTIMISED_H
#define SWATHE_IO_JPEG_OPTIMISED_H

#include "io/codec.h"

/* Replaces the rest of codec_jpeg_create, after its checks. */
swathe_status jpeg_optimised_create(struct image_writer *writer);

#endif

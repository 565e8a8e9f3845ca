/* JPEG with Huffman codes of its own: smaller, and made by one thread in one piece. */
#ifndef SWATHE_IO_JPEG_SMALL_H
#define SWATHE_IO_JPEG_SMALL_H

#include "io/codec.h"

/* In place of what codec_jpeg_create does, after its checks. */
swathe_status jpeg_small_create(struct image_writer *writer);

#endif

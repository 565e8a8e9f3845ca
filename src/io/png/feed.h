/* Provides libpng with image data that are already inflated: ISA-L does this three times as fast as
 * zlib. libpng receives them as stored deflate blocks, and only has to undo the row filters. */
#ifndef SWATHE_IO_PNG_FEED_H
#define SWATHE_IO_PNG_FEED_H

#include "base/memory.h"
#include "io/bytes/stream.h"
#include "io/png/guard.h"

struct png_feed;

/* To be called at the start of the file. Makes libpng skip the checks that are done here. */
swathe_status png_feed_create(const struct memory *memory, struct png_guard *guard,
                              struct stream *in, struct png_feed **feed);
void png_feed_destroy(const struct memory *memory, struct png_feed *feed);

/* Reads the next bytes, for libpng's callback. Does not return from an error. */
void png_feed_read(struct png_feed *feed, png_bytep bytes, size_t size);

#endif

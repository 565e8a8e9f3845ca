/* What libpng reads, with the image data inflated already: ISA-L does that three times as fast as
 * zlib. libpng gets it as deflate blocks that are merely stored, and has the rows left to do. */
#ifndef SWATHE_IO_PNG_FEED_H
#define SWATHE_IO_PNG_FEED_H

#include "base/memory.h"
#include "io/png_guard.h"
#include "io/stream.h"

struct png_feed;

/* At the start of the file. Sets libpng up to believe what was checked here. */
swathe_status png_feed_create(const struct memory *memory, struct png_guard *guard,
                              struct stream *in, struct png_feed **feed);
void png_feed_destroy(const struct memory *memory, struct png_feed *feed);

/* For libpng's callback: the next bytes. Does not return from an error. */
void png_feed_read(struct png_feed *feed, png_bytep bytes, size_t size);

#endif

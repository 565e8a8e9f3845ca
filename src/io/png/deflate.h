/* The compression of PNG, without libraries. */
#ifndef SWATHE_IO_PNG_DEFLATE_H
#define SWATHE_IO_PNG_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Deflate without a search for matches: only Huffman codes, and runs of one byte. On the filtered
 * rows of photographs this compresses better than a search, because matches of a few noisy bytes
 * cost more bits than literals, and it is many times faster. The result depends only on the
 * bytes. */

/* The output space that deflate_runs requires for `size` bytes. */
size_t deflate_runs_bound(size_t size);
/* Writes raw deflate blocks that end at a byte boundary: with an empty stored block, or, if `last`,
 * with the end of the stream. Returns the number of bytes written. */
size_t deflate_runs(const uint8_t *bytes, size_t size, bool last, uint8_t *to);

/* Adler-32, the checksum of zlib's streams (RFC 1950), in loops that vectorise. */

/* The checksum of the first `size` bytes of a stream. */
uint32_t adler_of(const uint8_t *bytes, size_t size);

#endif

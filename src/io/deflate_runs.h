/* Deflate without a search: Huffman codes, and runs of one byte. On the filtered rows of
 * photographs that is smaller than what a search finds, because matches of a few noisy bytes cost
 * more bits than the bytes, and many times faster. The result depends on nothing but the bytes. */
#ifndef SWATHE_IO_DEFLATE_RUNS_H
#define SWATHE_IO_DEFLATE_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room that deflate_runs wants for `size` bytes. */
size_t deflate_runs_bound(size_t size);
/* Raw deflate blocks, ended at a whole byte: by an empty stored block, or with `last` as the end of
 * the stream. Returns how many bytes it wrote. */
size_t deflate_runs(const uint8_t *bytes, size_t size, bool last, uint8_t *to);

#endif

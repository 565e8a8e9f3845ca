/* Huffman codes as deflate stores them (RFC 1951, 3.2.2). */
#ifndef SWATHE_IO_PNG_HUFFMAN_H
#define SWATHE_IO_PNG_HUFFMAN_H

#include <stdint.h>

enum { HUFFMAN_SYMBOLS_MAX = 288, HUFFMAN_BITS_MAX = 15 };

/* Computes code lengths of at most `limit` bits for `count` symbols, 0 for those that do not occur.
 * At least two must occur; their frequencies sum to less than 2^32, and 2^limit >= count. */
void huffman_lengths(const uint32_t *frequencies, int count, int limit, uint8_t *lengths);
/* The codes, with the first bit of the stream in the lowest bit. */
void huffman_codes(const uint8_t *lengths, int count, uint16_t *codes);

#endif

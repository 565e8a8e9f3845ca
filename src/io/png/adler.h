/* Adler-32, the checksum of zlib's streams (RFC 1950), in loops that vectorise. */
#ifndef SWATHE_IO_PNG_ADLER_H
#define SWATHE_IO_PNG_ADLER_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of the first `size` bytes of a stream. */
uint32_t adler_of(const uint8_t *bytes, size_t size);

#endif

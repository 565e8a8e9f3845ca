/* 64-bit FNV-1a: distinguishes texts and files. It does not resist deliberate collisions. */
#ifndef SWATHE_BASE_HASH_H
#define SWATHE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START 0xcbf29ce484222325u

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

/* Hashes many numbers in less time, one number per step. The hash is rotated, because otherwise two
 * changed signs would cancel. */
static inline uint64_t hash_doubles(uint64_t hash, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        hash = ((hash << 23 | hash >> 41) ^ bits) * 0x100000001b3u;
    }
    return hash;
}

#endif

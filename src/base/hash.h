/* 64-bit FNV-1a: distinguishes texts and files. It does not resist deliberate collisions. */
#ifndef SWATHE_BASE_HASH_H
#define SWATHE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325u

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

#endif

/* Pixels and planes. */
#ifndef SWATHE_CPU_SHUFFLE_H
#define SWATHE_CPU_SHUFFLE_H

#include <stdint.h>

enum { TILES_PLANES = 16 /* maximum bytes of a pixel */ };

/* Splits pixels into planes of bytes, or joins planes of samples to pixels: as many vectors of 64
 * bytes in as out. Vectors of a split of 16-bit samples have the low bytes of 32 pixels, then the
 * high ones. */
struct tiles_shuffle {
    int32_t count;        /* planes, and number of vectors */
    int32_t size;         /* bytes of a sample */
    const uint8_t *index; /* count × count × 64: for each output and input vector */
    const uint64_t *from; /* count × count: mask of the bytes that this input vector contains */
    uint64_t flipped;     /* a bit for each plane of bytes whose top bits a split flips */
    /* If the vectors of a plane have no byte place in common, as with three channels, a plane needs
     * one permutation: split blends vectors before it, join after it by `from`. Otherwise NULL. */
    const uint8_t *once;   /* count × 64: for each plane */
    const uint64_t *blend; /* count × count, of split: bytes of each input vector */
};

#endif

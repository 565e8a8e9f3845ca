/* The chain and the images of a problem, and their cost. */
#ifndef SWATHE_BENCH_WORKLOAD_H
#define SWATHE_BENCH_WORKLOAD_H

#include "result.h"
#include "swathe/swathe.h"

#include <stdbool.h>

/* ---- Memory of an image, in pages of its own ------------------------------------------------- */

struct buffer {
    void *data;
    int64_t bytes;
    swathe_shape shape;
    swathe_layout layout;
    swathe_image view;
};

/* Zeros without gaps between rows. The pages are not mapped until they are written. */
swathe_status buffer_new(const swathe_shape *shape, swathe_layout layout, bool huge,
                         struct buffer *buffer);
/* A buffer of the same shape and layout. */
swathe_status buffer_like(const struct buffer *other, bool huge, struct buffer *buffer);
void buffer_free(struct buffer *buffer);

/* Random samples: all values of u8 and u16, 0 to 255 of s16, 0 to 1 of f32. */
void buffer_fill(struct buffer *buffer, uint64_t seed);

/* Fills it with garbage, which also touches every page. */
void buffer_garble(struct buffer *buffer);

uint64_t buffer_checksum(const struct buffer *buffer);

/* ---- An image file to measure instead of random samples -------------------------------------- */

/* True if the argument names a regular file or looks like the name of an image. An argument that
 * parses as a chain is a chain, even if there is a file of that name. */
bool own_image_is(const char *argument);

/* Reads its size, type and channels. */
swathe_status own_image_shape(const char *path, swathe_shape *shape);

/* Decodes it into an image of that shape. `largest` is the largest float sample, at least 1. */
swathe_status own_image_load(swathe_context *context, const char *path, const swathe_image *into,
                             double *largest);

/* ---- Chains ---------------------------------------------------------------------------------- */

/* Parses a chain, "dense:K", a dense random mask of rank K, which cannot be factored, or "blur:K",
 * a dense mask of K x K equal taps. */
swathe_status workload_chain(swathe_context *context, const char *filter, swathe_chain **chain);

swathe_shape workload_shape(const struct problem *problem);

/* Operations as the reports count them: 2 for each tap of the full mask and each sample, over all
 * stages; 0 if a mask is too large to be expanded. */
double workload_flop(const swathe_chain *chain, const swathe_shape *result);
/* The plan of the definition in this arithmetic (NULL: the contract's), and the shape of its
 * result: type= or border=valid in the chain change it. */
swathe_status workload_plan(swathe_context *context, const struct problem *problem,
                            const swathe_chain *chain, const char *arithmetic, swathe_plan **plan);
swathe_status workload_result(swathe_context *context, const struct problem *problem,
                              const swathe_chain *chain, swathe_shape *result);
/* Multiply-adds of the definition per sample, over all stages. */
double workload_cost(const swathe_plan *plan);
/* Bytes of the input and the output together; 0 if they exceed 2^63. */
double workload_bytes(const struct problem *problem, const swathe_shape *result);

#endif

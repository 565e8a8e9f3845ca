/* Random problems: chain, image, options, and how to run them. */
#ifndef TESTS_MAKER_H
#define TESTS_MAKER_H

#include "canvas.h"

enum { MAKER_TEXT = 65536 };

/* A test case, and the text that reproduces it. */
struct trial {
    uint64_t fill;    /* seed of the samples */
    int32_t special;  /* floats with NaN, infinities, denormals */
    int32_t from, to; /* canvas_layout */
    int32_t threads;
    int64_t cell_rows, span_columns;
    int32_t stream;           /* enum stream_kind */
    swathe_rect region;       /* empty: the whole result */
    char problem[MAKER_TEXT]; /* a plan's text */
};

/* Generates the text of a random plan and how to run it. The region is chosen later, when the
 * result's size is known. */
void maker_random(struct rng *rng, struct trial *trial);

/* "fill=… threads=… | contract=3 …" */
void maker_print(const struct trial *trial, char *text, size_t size);
bool maker_parse(const char *text, struct trial *trial);

#endif

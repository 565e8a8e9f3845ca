/* What the headers of the Netpbm family share: words, numbers and comments. */
#ifndef SWATHE_IO_NETPBM_H
#define SWATHE_IO_NETPBM_H

#include "io/codec.h"

/* A word's length with its NUL, and the largest number of bytes before the samples, or between two
 * of them: a pipe of spaces may be endless. */
enum { NETPBM_WORD = 32, NETPBM_GAP = 1 << 20 };

static inline bool netpbm_is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next word, without comments, and the one space or line end after it. */
swathe_status netpbm_word(struct stream *in, char word[NETPBM_WORD]);
/* The next word as a number in 1..`most`; `what` names it. */
swathe_status netpbm_number(struct stream *in, const char *what, int64_t most, int64_t *number);

/* Does the file hold `rows` rows of `row_bytes` after `start`? For files with random access. */
swathe_status netpbm_check_size(struct stream *in, int64_t start, int64_t rows, int64_t row_bytes);

/* Grey, RGB, and each with alpha, by the number of channels. */
void netpbm_colors(swathe_shape *shape);

#endif

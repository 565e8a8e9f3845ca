/* What the headers of the Netpbm family share: words, numbers and comments. */
#ifndef SWATHE_IO_RAW_NETPBM_H
#define SWATHE_IO_RAW_NETPBM_H

#include "io/codec.h"

/* Size of a word with its NUL; most bytes before the samples, or between two of them, because a
 * pipe of spaces may be endless. */
enum { NETPBM_WORD = 32, NETPBM_GAP = 1 << 20 };

static inline bool netpbm_is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Reads the next word and the one space or line end after it; skips comments. */
swathe_status netpbm_word(struct stream *in, char word[NETPBM_WORD]);
/* Reads the next word as a number in 1..`most`; `what` is its name in messages. */
swathe_status netpbm_number(struct stream *in, const char *what, int64_t most, int64_t *number);

/* Checks that the file contains `rows` rows of `row_bytes` after `start`. For files with random
 * access. */
swathe_status netpbm_check_size(struct stream *in, int64_t start, int64_t rows, int64_t row_bytes);

/* Sets the colour space and alpha by the number of channels. */
void netpbm_colors(swathe_shape *shape);

#endif

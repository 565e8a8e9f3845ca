/* Borders: how pixels outside the image are filled. One entry each in border.def. */
#ifndef SWATHE_IMAGE_BORDER_H
#define SWATHE_IMAGE_BORDER_H

#include "base/status.h"

#include <stdbool.h>

enum border_mode {
#define BORDER(constant, name, map, far, syntax, summary, picture) constant,
#include "image/border.def"
#undef BORDER
    BORDER_COUNT
};

/* Returned by a map if the border's value is used instead of a sample. */
enum { BORDER_OUTSIDE = -1 };

/* Defined for n >= 1 and every i of at most 62 bits. */
typedef int64_t border_map(int64_t i, int64_t n);

#define BORDER(constant, name, map, far, syntax, summary, picture) border_map map;
#include "image/border.def"
#undef BORDER

struct border {
    enum border_mode mode;
    double value; /* of BORDER_CONSTANT; otherwise 0 */
};

struct border_entry {
    const char *name, *syntax, *summary, *picture;
    border_map *map;
    bool far; /* takes samples from the opposite edge */
};

/* NULL past the end. */
const struct border_entry *border_entry(int mode);

/* Parses a border such as "reflect" or "constant(7)". */
swathe_status border_parse(const char *text, struct border *border);
/* The text of a border; a `size` of 64 always suffices. */
const char *border_text(const struct border *border, char *text, size_t size);

static inline int64_t border_index(const struct border *border, int64_t i, int64_t n)
{
    return i >= 0 && i < n ? i : border_entry(border->mode)->map(i, n);
}

#endif

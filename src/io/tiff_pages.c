#include "io/tiff_pages.h"

enum { REDUCED = 1, MASK = 4, OLD_REDUCED = 2, DIRECTORIES_MAX = 1 << 16 };
enum { TAG_NEW_SUBFILE = 254, TAG_SUBFILE = 255 };

static bool fetch(void *user, uint64_t offset, void *bytes, size_t size)
{
    return stream_seek(user, (int64_t)offset) == SWATHE_OK &&
           stream_read_all(user, bytes, size) == SWATHE_OK;
}

struct ifd_source tiff_pages_source(struct stream *in)
{
    return (struct ifd_source){.fetch = fetch, .user = in, .size = (uint64_t)stream_size(in)};
}

static bool is_page(const struct ifd_source *source, uint64_t directory)
{
    uint64_t kind = ifd_peek(source, directory, TAG_NEW_SUBFILE);
    return !(kind & (REDUCED | MASK)) && ifd_peek(source, directory, TAG_SUBFILE) != OLD_REDUCED;
}

/* The number of directories before one is repeated in a damaged file, by Brent's method;
 * DIRECTORIES_MAX if none is, or the list is longer. */
static int64_t until_repeated(const struct ifd_source *source, uint64_t first)
{
    uint64_t slow = first, fast = ifd_next(source, first);
    int64_t power = 1, circle = 1, before = 0;
    for (int64_t step = 0; fast != 0 && fast != slow; step++) {
        if (step == DIRECTORIES_MAX)
            return DIRECTORIES_MAX;
        if (circle == power) {
            slow = fast;
            power *= 2;
            circle = 0;
        }
        fast = ifd_next(source, fast);
        circle++;
    }
    if (fast == 0)
        return DIRECTORIES_MAX;
    slow = fast = first;
    for (int64_t i = 0; i < circle; i++)
        fast = ifd_next(source, fast);
    for (; slow != fast; before++) {
        slow = ifd_next(source, slow);
        fast = ifd_next(source, fast);
    }
    return before + circle;
}

swathe_status tiff_pages_find(const struct ifd_source *source, uint64_t first, int64_t wanted,
                              uint64_t *directory, int64_t *pages)
{
    int64_t most = until_repeated(source, first), step = 0;
    uint64_t at = first;
    *directory = 0;
    *pages = 0;
    for (; at != 0 && step < most; step++) {
        if (is_page(source, at) && ++*pages == wanted)
            *directory = at;
        at = ifd_next(source, at);
    }
    if (at != 0 && most == DIRECTORIES_MAX)
        return fail(SWATHE_ERROR_LIMIT, "TIFF with more than %d directories; split the file first",
                    DIRECTORIES_MAX);
    if (*pages == 0) {
        *pages = 1;
        *directory = wanted == 1 ? first : 0;
    }
    return SWATHE_OK;
}

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

static bool is_picture(const struct ifd_source *source, uint64_t directory)
{
    uint64_t kind = ifd_peek(source, directory, TAG_NEW_SUBFILE);
    return !(kind & (REDUCED | MASK)) && ifd_peek(source, directory, TAG_SUBFILE) != OLD_REDUCED;
}

/* A damaged file may lead round in circles: a place that comes again ends the list. It is looked
 * for at places that are twice as far apart each time. */
void tiff_pages_find(const struct ifd_source *source, uint64_t first, int64_t wanted,
                     uint64_t *directory, int64_t *pages)
{
    uint64_t mark = 0;
    int64_t until = 1, step = 0;
    *directory = 0;
    *pages = 0;
    for (uint64_t at = first; at != 0 && at != mark && step < DIRECTORIES_MAX; step++) {
        if (step == until) {
            mark = at;
            until *= 2;
        }
        if (is_picture(source, at) && ++*pages == wanted)
            *directory = at;
        at = ifd_next(source, at);
    }
    if (*pages == 0) {
        *pages = 1;
        *directory = wanted == 1 ? first : 0;
    }
}

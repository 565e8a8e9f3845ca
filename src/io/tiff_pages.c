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

/* The pages among the first directories. */
struct page_count {
    uint64_t directory; /* of the requested page; 0: there are fewer */
    int64_t pages;
    bool repeated; /* counting stopped because a directory was counted again */
    bool longer;   /* there are more directories */
};

/* Counts the pages of up to `most` directories. A repeated directory is noticed by Brent's method:
 * each is compared with one before it, which is replaced after 1, 2, 4, ... steps. */
static struct page_count count_pages(const struct ifd_source *source, uint64_t first, int64_t most,
                                     int64_t wanted)
{
    struct page_count found = {0};
    uint64_t at = first, mark = first;
    for (int64_t step = 1, power = 1; at != 0 && step <= most && !found.repeated; step++) {
        bool low;
        uint64_t next = ifd_step(source, at, TAG_SUBFILE, &low);
        if ((!low || is_page(source, at)) && ++found.pages == wanted)
            found.directory = at;
        at = next;
        found.repeated = at == mark;
        if (step == power) {
            mark = at;
            power *= 2;
        }
    }
    found.longer = at != 0;
    return found;
}

swathe_status tiff_pages_find(const struct ifd_source *source, uint64_t first, int64_t wanted,
                              uint64_t *directory, int64_t *pages)
{
    int64_t most = DIRECTORIES_MAX;
    struct page_count found = count_pages(source, first, most, wanted);
    if (found.repeated) {
        most = until_repeated(source, first);
        found = count_pages(source, first, most, wanted);
    }
    if (found.longer && most == DIRECTORIES_MAX)
        return fail(SWATHE_ERROR_LIMIT, "TIFF with more than %d directories; split the file first",
                    DIRECTORIES_MAX);
    if (found.pages == 0)
        found = (struct page_count){.pages = 1, .directory = wanted == 1 ? first : 0};
    *directory = found.directory;
    *pages = found.pages;
    return SWATHE_OK;
}

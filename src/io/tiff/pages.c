#include "io/tiff/decoder.h"

#include "base/checked.h"

#include <stdatomic.h>
#include <string.h>

enum { REDUCED = 1, MASK = 4, OLD_REDUCED = 2, DIRECTORIES_MAX = 1 << 16 };
enum { TAG_NEW_SUBFILE = 254, TAG_SUBFILE = 255 };

static bool tiff_pages_fetch(void *user, uint64_t offset, void *bytes, size_t size)
{
    return stream_seek(user, (int64_t)offset) == SWATHE_OK &&
           stream_read_all(user, bytes, size) == SWATHE_OK;
}

struct ifd_source tiff_pages_source(struct stream *in)
{
    return (struct ifd_source){
        .fetch = tiff_pages_fetch, .user = in, .size = (uint64_t)stream_size(in)};
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

struct tiff_pages {
    const struct memory *memory;
    atomic_int owners;
    int64_t count, room;
    uint64_t *directories;
};

static swathe_status add_page(struct tiff_pages *pages, uint64_t directory)
{
    if (pages->count == pages->room) {
        int64_t room = max64(2 * pages->room, 4);
        uint64_t *more;
        TRY(memory_new_raw(pages->memory, room, sizeof *more, "TIFF pages", &more));
        if (pages->directories)
            memcpy(more, pages->directories, (size_t)pages->count * sizeof *more);
        memory_free(pages->memory, pages->directories);
        pages->directories = more;
        pages->room = room;
    }
    pages->directories[pages->count++] = directory;
    return SWATHE_OK;
}

/* Why a list of directories ended. */
enum list_end { END_LAST, END_REPEATED, END_MOST };

/* Adds the pages of up to `most` directories. A repeated directory is noticed by Brent's method:
 * each is compared with one before it, which is replaced after 1, 2, 4, ... steps. */
static swathe_status add_pages(const struct ifd_source *source, uint64_t first, int64_t most,
                               struct tiff_pages *pages, enum list_end *end)
{
    uint64_t at = first, mark = first;
    for (int64_t step = 1, power = 1; at != 0; step++) {
        bool low;
        uint64_t next = ifd_step(source, at, TAG_SUBFILE, &low);
        if (!low || is_page(source, at))
            TRY(add_page(pages, at));
        at = next;
        *end = at == mark ? END_REPEATED : at != 0 && step == most ? END_MOST : END_LAST;
        if (*end != END_LAST)
            return SWATHE_OK;
        if (step == power) {
            mark = at;
            power *= 2;
        }
    }
    return SWATHE_OK;
}

static swathe_status find_all(const struct ifd_source *source, uint64_t first,
                              struct tiff_pages *pages)
{
    int64_t most = DIRECTORIES_MAX;
    enum list_end end = END_LAST;
    TRY(add_pages(source, first, most, pages, &end));
    if (end == END_REPEATED) {
        pages->count = 0;
        most = until_repeated(source, first);
        TRY(add_pages(source, first, most, pages, &end));
    }
    if (end == END_MOST && most == DIRECTORIES_MAX)
        return fail(SWATHE_ERROR_LIMIT, "TIFF with more than %d directories; split the file first",
                    DIRECTORIES_MAX);
    return pages->count == 0 ? add_page(pages, first) : SWATHE_OK;
}

swathe_status tiff_pages_read(const struct memory *memory, const struct ifd_source *source,
                              uint64_t first, struct tiff_pages **pages)
{
    struct tiff_pages *made;
    TRY(memory_new(memory, 1, sizeof *made, "TIFF pages", &made));
    made->memory = memory;
    atomic_init(&made->owners, 1);
    swathe_status status = find_all(source, first, made);
    if (status == SWATHE_OK)
        *pages = made;
    else
        tiff_pages_drop(made);
    return status;
}

struct tiff_pages *tiff_pages_share(struct tiff_pages *pages)
{
    if (pages)
        atomic_fetch_add(&pages->owners, 1);
    return pages;
}

void tiff_pages_drop(struct tiff_pages *pages)
{
    if (!pages || atomic_fetch_sub(&pages->owners, 1) > 1)
        return;
    memory_free(pages->memory, pages->directories);
    memory_free(pages->memory, pages);
}

int64_t tiff_pages_count(const struct tiff_pages *pages)
{
    return pages->count;
}

uint64_t tiff_pages_at(const struct tiff_pages *pages, int64_t page)
{
    return page >= 1 && page <= pages->count ? pages->directories[page - 1] : 0;
}

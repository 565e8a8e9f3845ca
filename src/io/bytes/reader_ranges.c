#include "io/bytes/reader_ranges.h"

#include "base/checked.h"

#include <inttypes.h>
#include <string.h>

/* Default and bounds of the minimum request. KEPT_MAX: bytes that are kept, enough for the offsets
 * of half a million tiles. Both are at most a part of the memory limit. */
enum { REQUEST_USUAL = 1 << 16, REQUEST_MIN = 1 << 12, REQUEST_MAX = 1 << 23, KEPT_MAX = 1 << 23 };
enum { MEMORY_PARTS = 16 };

swathe_status ranges_open(const struct memory *memory, const swathe_reader *reader,
                          int64_t max_memory, struct ranges **ranges)
{
    struct ranges *made;
    if (!reader->read_at)
        return fail(SWATHE_ERROR_ARGUMENT, "the reader has no read_at function");
    if (reader->size < 0 || reader->size > INT64_MAX / 2) /* offsets past the end must fit, too */
        return fail(SWATHE_ERROR_ARGUMENT,
                    "the reader's size is %" PRId64 "; 0 to 2^62 - 1 is allowed", reader->size);
    if (reader->request_bytes < 0)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "the reader's request_bytes is %" PRId64 "; it must not be negative",
                    reader->request_bytes);
    TRY(memory_new(memory, 1, sizeof *made, "a reader", &made));
    made->memory = memory;
    made->most = max_memory / MEMORY_PARTS;
    made->reader = *reader;
    pthread_mutex_init(&made->mutex, NULL);
    *ranges = made;
    return SWATHE_OK;
}

void ranges_close(struct ranges *ranges)
{
    if (!ranges)
        return;
    for (int i = 0; i < ranges->count; i++)
        memory_free(ranges->memory, ranges->kept[i].bytes);
    pthread_mutex_destroy(&ranges->mutex);
    memory_free(ranges->memory, ranges);
}

size_t ranges_request(const struct ranges *ranges)
{
    int64_t wanted = ranges->reader.request_bytes;
    wanted = min64(wanted > 0 ? wanted : REQUEST_USUAL, min64(REQUEST_MAX, ranges->most));
    return (size_t)max64(REQUEST_MIN, wanted);
}

static bool fetch_kept(const struct ranges *ranges, int64_t offset, void *bytes, size_t size,
                       size_t *got)
{
    for (int i = 0; i < ranges->count; i++) {
        const struct range *range = &ranges->kept[i];
        int64_t skip = offset - range->at;
        if (skip < 0 || skip >= (int64_t)range->size)
            continue;
        size_t left = range->size - (size_t)skip;
        *got = left < size ? left : size;
        memcpy(bytes, range->bytes + skip, *got);
        return true;
    }
    return false;
}

static swathe_status reader_ranges_call(struct ranges *ranges, int64_t offset, void *bytes,
                                        size_t size, size_t *got)
{
    const swathe_reader *reader = &ranges->reader;
    bool alone = !(reader->flags & SWATHE_CONCURRENT);
    struct failure kept = fail_keep();
    *got = 0;
    fail_record(SWATHE_ERROR_INTERNAL, "the reader failed at byte %" PRId64 " and gave no reason",
                offset);
    if (alone)
        pthread_mutex_lock(&ranges->mutex);
    swathe_status status = reader->read_at(reader->user, offset, bytes, size, got);
    if (alone)
        pthread_mutex_unlock(&ranges->mutex);
    status = fail_returned(status, "the reader's read_at");
    if (status == SWATHE_OK && *got > size)
        status = fail(SWATHE_ERROR_ARGUMENT,
                      "the reader reports %zu bytes read, %zu were requested", *got, size);
    return fail_release(&kept, status);
}

swathe_status ranges_fetch(struct ranges *ranges, int64_t offset, void *bytes, size_t size,
                           size_t *got)
{
    int64_t left = max64(0, ranges->reader.size - offset);
    if (fetch_kept(ranges, offset, bytes, size, got))
        return SWATHE_OK;
    size = (size_t)min64((int64_t)size, left);
    *got = 0;
    return size > 0 ? reader_ranges_call(ranges, offset, bytes, size, got) : SWATHE_OK;
}

swathe_status ranges_keep(struct ranges *ranges, int64_t offset, const void *bytes, size_t size)
{
    struct range *range = &ranges->kept[ranges->count];
    int64_t left = min64(KEPT_MAX, ranges->most) - ranges->kept_bytes;
    if (size == 0 || ranges->count == RANGES_MAX || (int64_t)size > left)
        return SWATHE_OK;
    TRY(memory_new_raw(ranges->memory, (int64_t)size, 1, "a range of the input", &range->bytes));
    memcpy(range->bytes, bytes, size);
    range->at = offset;
    range->size = size;
    ranges->kept_bytes += (int64_t)size;
    ranges->count++;
    return SWATHE_OK;
}

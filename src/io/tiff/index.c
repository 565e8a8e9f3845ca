#include "io/tiff/encoder.h"

#include "base/checked.h"
#include "io/bytes/output.h"

enum { COPY_BYTES = 1 << 20 };

static swathe_status new_list(const struct image_writer *writer, int64_t count, int64_t **list)
{
    TRY(limits_check_memory(&writer->limits, size_mul(count, sizeof **list),
                            "the list of tiles or strips"));
    return memory_new(writer->memory, count, sizeof **list, "a list of tiles or strips", list);
}

void tiff_index_open_lent(struct tiff_index *index, const struct image_writer *writer,
                          const struct tile_order *order, int64_t planes, int64_t *sizes)
{
    *index = (struct tiff_index){
        .memory = writer->memory, .order = *order, .planes = planes, .sizes = sizes, .lent = true};
    index->count = order->across * order->down * planes; /* fits: less than 2^32 */
    index->start = index->end = output_size(writer->out);
}

swathe_status tiff_index_open(struct tiff_index *index, const struct image_writer *writer,
                              const struct tile_order *order, int64_t planes)
{
    tiff_index_open_lent(index, writer, order, planes, NULL);
    index->lent = false;
    return new_list(writer, index->count, &index->sizes);
}

void tiff_index_close(struct tiff_index *index)
{
    if (!index->memory)
        return;
    memory_free(index->memory, index->offsets);
    if (!index->lent)
        memory_free(index->memory, index->sizes);
    *index = (struct tiff_index){0};
}

/* The first block out of order: from now on offsets are not the sums of sizes. */
static swathe_status leave_order(struct tiff_index *index, const struct image_writer *writer)
{
    TRY(new_list(writer, index->count, &index->offsets));
    int64_t offset = index->start;
    for (int64_t i = 0; i < index->next; i++) {
        index->offsets[i] = offset;
        offset += index->sizes[i];
    }
    return SWATHE_OK;
}

swathe_status tiff_index_put(struct tiff_index *index, const struct image_writer *writer,
                             int64_t block, int64_t size)
{
    if (block != index->next && !index->offsets)
        TRY(leave_order(index, writer));
    if (index->offsets)
        index->offsets[block] = index->end;
    index->sizes[block] = size;
    index->end += size;
    index->next = block + 1;
    return SWATHE_OK;
}

static swathe_status tiff_index_copy_bytes(const struct image_writer *writer, int64_t from,
                                           int64_t to, int64_t size, uint8_t *buffer)
{
    for (int64_t done = 0; done < size;) {
        size_t got, wanted = (size_t)min64(COPY_BYTES, size - done);
        TRY(cancel_check(&writer->cancel));
        TRY(output_seek(writer->out, from + done));
        TRY(output_read(writer->out, buffer, wanted, &got));
        if (got != wanted)
            return fail(SWATHE_ERROR_IO, "cannot read back what was written");
        TRY(output_seek(writer->out, to + done));
        TRY(output_write(writer->out, buffer, got));
        done += (int64_t)got;
    }
    return SWATHE_OK;
}

/* Copies all blocks in order behind the present end. Blocks that are adjacent in both places are
 * copied together. */
static swathe_status copy_in_order(const struct tiff_index *index,
                                   const struct image_writer *writer, uint8_t *buffer, int64_t *end)
{
    *end = index->end;
    for (int64_t i = 0, after; i < index->count; i = after) {
        int64_t size = index->sizes[i];
        for (after = i + 1;
             after < index->count && index->offsets[after] == index->offsets[i] + size; after++)
            size += index->sizes[after];
        TRY(tiff_index_copy_bytes(writer, index->offsets[i], *end, size, buffer));
        *end += size;
    }
    return SWATHE_OK;
}

/* Uses as much disk space again as the blocks take, in the file itself: a temporary directory may
 * be too small. */
swathe_status tiff_index_sort(struct tiff_index *index, const struct image_writer *writer)
{
    uint8_t *buffer;
    int64_t end;
    if (!index->offsets)
        return SWATHE_OK;
    TRY(memory_new_raw(index->memory, COPY_BYTES, 1, "a buffer", &buffer));
    swathe_status status = copy_in_order(index, writer, buffer, &end);
    int64_t size = end - index->end;
    if (status == SWATHE_OK)
        status = tiff_index_copy_bytes(writer, index->end, index->start, size, buffer);
    memory_free(index->memory, buffer);
    if (status == SWATHE_OK)
        status = output_truncate(writer->out, index->start + size);
    index->end = index->start + size;
    return status;
}

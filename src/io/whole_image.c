#include "io/whole_image.h"

#include "base/checked.h"
#include "image/view.h"
#include "io/file.h"
#include "io/limits.h"

#include <string.h>

/* Cancellation is checked between strips of about this many bytes. They are large, because the
 * bytes of a strip are fetched from a reader together. */
enum { ALIGN = 16, STRIP_BYTES = 1 << 24 };

static int64_t aligned_size(int64_t size)
{
    return round_up(size, ALIGN);
}

static int64_t text_bytes(const char *text)
{
    return text ? (int64_t)strlen(text) + 1 : 0;
}

/* Bytes of metadata after the samples. */
static int64_t metadata_bytes(const swathe_metadata *from)
{
    int64_t encoding = from->encoding ? aligned_size((int64_t)sizeof *from->encoding) : 0;
    return encoding + aligned_size((int64_t)from->icc_size) +
           aligned_size((int64_t)from->exif_size) + aligned_size((int64_t)from->xmp_size) +
           aligned_size((int64_t)from->geo_size) + aligned_size(text_bytes(from->nodata));
}

/* Copies the block to *at, and advances *at past it. */
static const void *whole_image_put(uint8_t **at, const void *block, size_t size)
{
    void *copy = *at;
    if (!block || size == 0)
        return NULL;
    memcpy(copy, block, size);
    *at += aligned_size((int64_t)size);
    return copy;
}

static void whole_image_copy_metadata(const swathe_metadata *from, uint8_t *at, swathe_metadata *to)
{
    *to = *from;
    to->encoding = whole_image_put(&at, from->encoding, sizeof *from->encoding);
    to->icc = whole_image_put(&at, from->icc, from->icc_size);
    to->exif = whole_image_put(&at, from->exif, from->exif_size);
    to->xmp = whole_image_put(&at, from->xmp, from->xmp_size);
    to->geo = whole_image_put(&at, from->geo, from->geo_size);
    to->nodata = whole_image_put(&at, from->nodata, (size_t)text_bytes(from->nodata));
}

/* Calls `move`, of a source or a sink, for strips of whole tiles from the top. */
static swathe_status move_strips(swathe_status (*move)(void *user, const swathe_image *strip),
                                 void *user, int64_t tile_height, const swathe_image *image)
{
    int64_t row = image->width * image->channels * sample_size(image->type);
    int64_t tile = max64(1, tile_height), height;
    int64_t rows = size_mul(ceil_div(max64(1, STRIP_BYTES / row), tile), tile);
    for (int64_t y = 0; y < image->height; y += height) {
        swathe_image strip;
        height = min64(rows, image->height - y);
        TRY(view_crop(image, &(swathe_rect){0, y, image->width, height}, &strip));
        TRY(move(user, &strip));
    }
    return SWATHE_OK;
}

swathe_status whole_image_load(const struct memory *memory, int64_t limit,
                               const swathe_source *source, swathe_image *image,
                               swathe_metadata *metadata)
{
    struct limits limits = {.max_memory = limit};
    int64_t pixels, more = metadata ? metadata_bytes(source->metadata) : 0;
    uint8_t *data;
    TRY(shape_bytes(&source->shape, &pixels));
    TRY(limits_check_memory(&limits, size_add(source->held_bytes, pixels), "the whole image"));
    TRY(memory_new_raw(memory, size_add(aligned_size(pixels), more), 1, "the image", &data));
    swathe_image view;
    swathe_status status = view_init(&source->shape, SWATHE_INTERLEAVED, data, &view);
    if (status == SWATHE_OK)
        status = move_strips(source->read, source->user, source->tile_height, &view);
    if (status != SWATHE_OK) {
        memory_free(memory, data);
        return status;
    }
    if (metadata)
        whole_image_copy_metadata(source->metadata, data + aligned_size(pixels), metadata);
    *image = view;
    return SWATHE_OK;
}

swathe_status whole_image_save(const swathe_image *image, swathe_sink *sink)
{
    TRY(view_check(image, "the view to write from"));
    TRY(move_strips(sink->write, sink->user, sink->tile_height, image));
    return file_commit(sink);
}

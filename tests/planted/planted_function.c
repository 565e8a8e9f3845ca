/* One file of the library with a bug, by PLANT_...: a function that it calls or defines is replaced
 * by a wrong one. */

#ifdef PLANT_BORDER /* reflect101 repeats the last sample, but not the first */
#include "image/border.h"

#define border_entry(mode) right_border_entry(mode)
#include "image/border.c"
#undef border_entry

static int64_t wrong_map(int64_t i, int64_t n)
{
    return i < n ? border_map_reflect101(i, n) : border_map_reflect(i, n);
}

/* All users obtain maps here. */
const struct border_entry *border_entry(int mode)
{
    static struct border_entry wrong;
    const struct border_entry *right = right_border_entry(mode);
    if (mode != BORDER_REFLECT101)
        return right;
    wrong = *right;
    wrong.map = wrong_map;
    return &wrong;
}

#elif defined PLANT_OUTBOX /* the last byte of the rows above a part is lost */
#include <string.h>

static void *copy_less(void *to, const void *from, size_t count)
{
    return memmove(to, from, count > 0 ? count - 1 : 0);
}

#define memcpy copy_less
#include "run/outbox.c"

#elif defined PLANT_PNM /* rows of a PNM are one sample too close */
#include "image/view.h"

static void *planted_at(const swathe_image *image, int64_t x, int64_t y, int64_t channel)
{
    swathe_image wrong = *image;
    wrong.row_stride -= wrong.row_stride > 0 ? sample_size(image->type) : -sample_size(image->type);
    return view_at(&wrong, x, y, channel);
}

#define view_at planted_at
#include "io/raw/pnm.c"

#elif defined                                                                                      \
    PLANT_PNG /* the dictionary of segments that are prepared separately is one byte off */
#include <zlib.h>

static int planted_dictionary(z_stream *stream, const Bytef *bytes, uInt size)
{
    return deflateSetDictionary(stream, bytes - 1, size);
}

#define deflateSetDictionary planted_dictionary
#include "io/png/coder.c"

#elif defined PLANT_JPEG /* the numbers of restart markers are one too high */
#include <stdio.h>

#include <jpeglib.h>

#undef JPEG_RST0
#define JPEG_RST0 0xD1

#include "io/jpeg/write.c"

#elif defined PLANT_ORIENT /* rotation to the wrong side: orientation 6 is treated as 8 */
#include "io/metadata/metadata.h"

static int planted_orientation(const swathe_metadata *metadata)
{
    int how = exif_orientation(metadata);
    return how == 6 ? 8 : how;
}

#define exif_orientation planted_orientation
#include "io/orient.c"

#elif defined PLANT_GATHER /* a stream hides the cost of its read calls: each tile needs its own   \
                            */
#define stream_calls true_stream_calls
#include "io/bytes/stream.c"
#undef stream_calls

bool stream_calls(const struct stream *stream);
bool stream_calls(const struct stream *stream)
{
    (void)stream;
    return false;
}

#elif defined PLANT_TIFF_ORDER /* tiles that arrive in another order are not sorted */
#define tiff_index_sort unused_sort
#include "io/tiff/index.c"
#undef tiff_index_sort

swathe_status tiff_index_sort(struct tiff_index *index, const struct image_writer *writer);
swathe_status tiff_index_sort(struct tiff_index *index, const struct image_writer *writer)
{
    (void)index;
    (void)writer;
    return SWATHE_OK;
}

#elif defined PLANT_TIFF_EDGES /* the padding beyond the edge holds the thread's previous block,   \
                                * so that bytes depend on which thread compressed what */
#include <string.h>

static void *planted_set(void *to, int value, size_t size)
{
    (void)value;
    (void)size;
    return to;
}

#define memset planted_set
#include "io/tiff/write.c"
#endif

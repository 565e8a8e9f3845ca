#include "io/jpeg/jpeg.h"

#include "io/metadata/metadata.h"

#include <string.h>

enum { PROFILE_HEAD = 14 };

static const char exif_start[] = "Exif\0";
static const char profile_start[] = "ICC_PROFILE";
static const char xmp_start[] = "http://ns.adobe.com/xap/1.0/";

static int jpeg_markers_next_byte(j_decompress_ptr info)
{
    struct jpeg_source_mgr *source = info->src;
    if (source->bytes_in_buffer == 0)
        source->fill_input_buffer(info); /* never suspends */
    source->bytes_in_buffer--;
    return *source->next_input_byte++;
}

/* Reads the marker's data, without the two bytes of its length. */
static size_t read_data(j_decompress_ptr info, uint8_t data[JPEG_MARKERS_MAX])
{
    int length = jpeg_markers_next_byte(info) << 8;
    length |= jpeg_markers_next_byte(info);
    size_t size = length > 2 ? (size_t)length - 2 : 0;
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)jpeg_markers_next_byte(info);
    return size;
}

static bool jpeg_markers_starts_with(const uint8_t *data, size_t size, const char *start,
                                     size_t start_size)
{
    return size > start_size && memcmp(data, start, start_size) == 0;
}

/* EXIF is preceded by "Exif", a zero byte and a byte of padding; XMP by its address and a zero
 * byte. */
static swathe_status take_app1(struct jpeg_markers *markers, size_t size)
{
    const uint8_t *data = markers->data;
    if (jpeg_markers_starts_with(data, size, exif_start, 5))
        return reader_store_metadata(markers->reader, METADATA_EXIF, data + 6, size - 6);
    if (jpeg_markers_starts_with(data, size, xmp_start, sizeof xmp_start))
        return reader_store_metadata(markers->reader, METADATA_XMP, data + sizeof xmp_start,
                                     size - sizeof xmp_start);
    return SWATHE_OK;
}

/* A profile is split into numbered parts. */
static swathe_status take_app2(struct jpeg_markers *markers, size_t size)
{
    const uint8_t *data = markers->data;
    if (size <= PROFILE_HEAD || memcmp(data, profile_start, sizeof profile_start) != 0)
        return SWATHE_OK;
    int number = data[12], count = data[13];
    if (number < 1 || number > count || (markers->total && count != markers->total) ||
        markers->parts[number])
        return SWATHE_OK;
    markers->total = count;
    markers->bytes += size - PROFILE_HEAD;
    TRY(limits_check_metadata(&markers->reader->limits, markers->bytes, "ICC profile"));
    markers->sizes[number] = size - PROFILE_HEAD;
    TRY(memory_new_raw(markers->reader->memory, (int64_t)size, 1, "ICC profile",
                       &markers->parts[number]));
    memcpy(markers->parts[number], data + PROFILE_HEAD, size - PROFILE_HEAD);
    return SWATHE_OK;
}

void jpeg_markers_read(struct jpeg_markers *markers, j_decompress_ptr info)
{
    size_t size = read_data(info, markers->data);
    swathe_status status = SWATHE_OK;
    if (!markers->closed)
        status = info->unread_marker == JPEG_APP0 + 1 ? take_app1(markers, size)
                                                      : take_app2(markers, size);
    if (status != SWATHE_OK)
        jpeg_guard_leave((j_common_ptr)info, status);
}

static swathe_status jpeg_markers_join(const struct jpeg_markers *markers)
{
    struct image_reader *reader = markers->reader;
    size_t size = markers->bytes;
    uint8_t *profile, *to;
    TRY(memory_new_raw(reader->memory, (int64_t)size, 1, "ICC profile", &profile));
    to = profile;
    for (int i = 1; i <= markers->total; i++) {
        memcpy(to, markers->parts[i], markers->sizes[i]);
        to += markers->sizes[i];
    }
    swathe_status status = reader_store_metadata(reader, METADATA_ICC, profile, size);
    memory_free(reader->memory, profile);
    return status;
}

swathe_status jpeg_markers_keep_profile(struct jpeg_markers *markers)
{
    bool complete = markers->total > 0;
    for (int i = 1; i <= markers->total; i++)
        complete = complete && markers->parts[i];
    swathe_status status = complete ? jpeg_markers_join(markers) : SWATHE_OK;
    markers->closed = true;
    jpeg_markers_free(markers);
    return status;
}

void jpeg_markers_free(struct jpeg_markers *markers)
{
    for (int i = 0; i < JPEG_MARKERS_PARTS; i++) {
        memory_free(markers->reader->memory, markers->parts[i]);
        markers->parts[i] = NULL;
    }
}

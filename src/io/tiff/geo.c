#include "io/tiff/geo.h"

#include "base/text.h"
#include "image/sample.h"
#include "io/metadata/metadata.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* ---- The value of missing samples, as GDAL stores it ---------------------------------------- */

/* Do the reader's samples have the numbers of the file, or those that map_value gives? */
static bool keeps_numbers(const struct tiff_form *form)
{
    return !form->palette && !form->by_rgba && !form->signed_lab && !form->premultiplied &&
           form->unpack != TIFF_UNPACK_SCALED;
}

/* A file in which 0 is white is read with 0 as black. */
static double map_value(const struct tiff_form *form, double value)
{
    return form->invert ? ldexp(1.0, form->bits) - 1.0 - value : value;
}

/* Can a sample be the value? Floats are compared after rounding: writers print f32 in many ways. */
static bool tiff_geo_occurs(double value, swathe_type type)
{
    const struct sample_entry *entry = sample_entry(type);
    if (type == SWATHE_F32)
        return fabs(value) < 0x1.ffffffp127; /* rounds to a finite one */
    return type == SWATHE_F64 ||
           (value >= entry->lowest && value <= entry->highest && value == floor(value));
}

/* Copies the text without the spaces around it. False if it is too long. */
static bool tiff_geo_trim(const char *text, char *to, size_t size)
{
    text += strspn(text, " \t\r\n");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        length--;
    if (length >= size)
        return false;
    memcpy(to, text, length);
    to[length] = '\0';
    return true;
}

/* Sets reader->metadata.nodata from the text of the tag, for the samples that the reader gives. */
static void tiff_nodata_set(struct image_reader *reader, const struct tiff_form *form,
                            const char *text)
{
    char word[NODATA_SIZE];
    double value;
    struct text out;
    swathe_type type = form->shape.type;
    if (!keeps_numbers(form)) {
        reader->metadata.nodata = ""; /* it describes no sample of ours */
        return;
    }
    if (!tiff_geo_trim(text, word, sizeof word))
        return;
    bool number = text_to_double(word, &value);
    if (!number && (strcasecmp(word, "nan") != 0 || !sample_is_float(type)))
        return;
    text_init(&out, reader->nodata, sizeof reader->nodata);
    if (number && !tiff_geo_occurs(map_value(form, value), type))
        return;
    if (number)
        text_add_double(&out, map_value(form, value));
    else
        text_add(&out, "nan");
    text_finish(&out, NULL);
    reader->metadata.nodata = reader->nodata;
}

/* ---- Tags ----------------------------------------------------------------------------------- */

enum { HEADER = 8, TIEPOINT = 6, MATRIX = 16 };
enum { TAG_TIEPOINTS = 33922, TAG_MATRIX = 34264, TAG_GDAL = 42112, TAG_NODATA = 42113 };

#define FIELD(tag, type, name)                                                                     \
    {                                                                                              \
        tag, TIFF_VARIABLE2, TIFF_VARIABLE2, type, FIELD_CUSTOM, 1, 1, (char *)name                \
    }

static const TIFFFieldInfo fields[] = {
    FIELD(33550, TIFF_DOUBLE, "ModelPixelScale"),
    FIELD(TAG_TIEPOINTS, TIFF_DOUBLE, "ModelTiepoint"),
    FIELD(TAG_MATRIX, TIFF_DOUBLE, "ModelTransformation"),
    FIELD(34735, TIFF_SHORT, "GeoKeyDirectory"),
    FIELD(34736, TIFF_DOUBLE, "GeoDoubleParams"),
    FIELD(34737, TIFF_ASCII, "GeoAsciiParams"),
    FIELD(TAG_GDAL, TIFF_ASCII, "GDALMetadata"),
    FIELD(TAG_NODATA, TIFF_ASCII, "GDALNoData"),
};

enum { FIELDS = sizeof fields / sizeof *fields };

static const TIFFFieldInfo *find_field(uint16_t tag)
{
    for (int i = 0; i < FIELDS; i++)
        if (fields[i].field_tag == tag)
            return &fields[i];
    return NULL;
}

static bool tiff_geo_wanted(uint16_t tag)
{
    return find_field(tag) != NULL;
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* Drops tags of the same number but another type, which have another meaning. */
static void drop_others(struct ifd *ifd)
{
    for (int32_t i = ifd->count - 1; i >= 0; i--)
        if (find_field(ifd->entries[i].tag)->field_type != (TIFFDataType)ifd->entries[i].type)
            ifd_remove(ifd, ifd->entries[i].tag);
}

static swathe_status tiff_geo_keep(struct image_reader *reader, const struct ifd *ifd)
{
    int64_t size = HEADER + ifd_size(ifd, false);
    uint8_t *block;
    TRY(limits_check_metadata(&reader->limits, (uint64_t)size, "GeoTIFF tags"));
    TRY(memory_new_raw(reader->memory, size, 1, "GeoTIFF tags", &block));
    memcpy(block, "II*\0\x08\0\0\0", HEADER);
    ifd_write(ifd, false, HEADER, block + HEADER);
    swathe_status status = reader_store_metadata(reader, METADATA_GEO, block, (size_t)size);
    memory_free(reader->memory, block);
    return status;
}

/* Where `text` starts between `from` and `end`; `end` if it is not there. */
static const char *tiff_geo_find(const char *from, const char *end, const char *text)
{
    size_t length = strlen(text);
    for (; (from = memchr(from, *text, (size_t)(end - from))); from++)
        if (length <= (size_t)(end - from) && memcmp(from, text, length) == 0)
            return from;
    return end;
}

/* True if an item is a minimum, mean, histogram … of the samples. `head` is the end of its start
 * tag. */
static bool is_statistic(const char *item, const char *head)
{
    static const char start[] = "STATISTICS_";
    const char *name = tiff_geo_find(item, head, "name=");
    return head - name > 6 && strncmp(name + 6, start, strlen(start)) == 0;
}

/* The end of the element whose start tag ends at `head`, including the line end if nothing else is
 * on the line. */
static const char *item_end(const char *head, const char *end)
{
    static const char tag[] = "</Item>";
    if (head == end)
        return end;
    const char *after = head[-1] == '/' ? head + 1 : tiff_geo_find(head, end, tag);
    if (after < end && head[-1] != '/')
        after += strlen(tag);
    return after + (after < end && *after == '\n');
}

/* Removes statistics from `text` in place, in one pass. Returns the new length; 0: no item is
 * left. */
static size_t strip_items(char *text, size_t length)
{
    const char *end = text + length, *from = text;
    char *to = text;
    bool items = false;
    while (from < end) {
        const char *item = tiff_geo_find(from, end, "<Item");
        memmove(to, from, (size_t)(item - from));
        to += item - from;
        from = item;
        if (item == end)
            break;
        /* In damaged text this may be the end of another item's tag. */
        const char *head = item + 1 + strcspn(item + 1, "<>");
        if (is_statistic(item, head)) {
            from = item_end(head, end);
            while (to > text && to[-1] == ' ')
                to--;
        } else {
            *to++ = *from++;
            items = true;
        }
    }
    *to = '\0';
    return items ? (size_t)(to - text) : 0;
}

/* GDAL's statistics describe the samples before filtering; other items are kept. */
static void drop_statistics(struct ifd *ifd)
{
    struct ifd_entry *entry = (struct ifd_entry *)ifd_find(ifd, TAG_GDAL);
    if (!entry)
        return;
    char *text = (char *)ifd->values + entry->at; /* zeros follow it */
    size_t length = strlen(text), left;
    if (tiff_geo_find(text, text + length, "<Item") == text + length)
        return;
    left = strip_items(text, length);
    if (left == 0)
        ifd_remove(ifd, TAG_GDAL);
    else if (left < length)
        entry->count = (uint32_t)left + 1;
}

swathe_status tiff_geo_read(struct image_reader *reader, const struct ifd_source *source,
                            uint64_t directory, const struct tiff_form *form)
{
    struct ifd ifd;
    TRY(ifd_read(source, directory, tiff_geo_wanted, "GeoTIFF tags", reader->memory,
                 &reader->limits, &ifd));
    drop_others(&ifd);
    drop_statistics(&ifd);
    const struct ifd_entry *nodata = ifd_find(&ifd, TAG_NODATA);
    if (nodata)
        tiff_nodata_set(reader, form, (const char *)ifd.values + nodata->at); /* zeros follow it */
    swathe_status status = ifd.count > 0 ? tiff_geo_keep(reader, &ifd) : SWATHE_OK;
    ifd_free(reader->memory, &ifd);
    return status;
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* Copies the numbers of a tag in this machine's byte order. */
static void take_values(const struct ifd *ifd, const struct ifd_entry *entry, void *values)
{
    for (uint32_t i = 0; i < entry->count; i++) {
        uint64_t bits = ifd_bits(ifd, entry, i);
        uint16_t narrow = (uint16_t)bits;
        if (entry->type == TIFF_DOUBLE)
            memcpy((uint64_t *)values + i, &bits, sizeof bits);
        else if (entry->type == TIFF_SHORT)
            memcpy((uint16_t *)values + i, &narrow, sizeof narrow);
        else
            ((uint8_t *)values)[i] = (uint8_t)bits;
    }
}

/* Tie points map a pixel to a location: the same pixel has other coordinates now. A matrix maps
 * pixels to locations: its last column is the location of pixel (0, 0). */
static void tiff_geo_move(const struct ifd_entry *entry, double x, double y, double *values)
{
    for (uint32_t i = 0; entry->tag == TAG_TIEPOINTS && i + TIEPOINT <= entry->count;
         i += TIEPOINT) {
        values[i] -= x;
        values[i + 1] -= y;
    }
    for (int row = 0; entry->tag == TAG_MATRIX && entry->count == MATRIX && row < 3; row++)
        values[4 * row + 3] += values[4 * row] * x + values[4 * row + 1] * y;
}

static swathe_status set_field(const struct image_writer *writer, struct tiff_stream *stream,
                               TIFF *tiff, const struct ifd *ifd, const struct ifd_entry *entry)
{
    const swathe_metadata *metadata = writer->metadata;
    void *values;
    TRY(memory_new(writer->memory, entry->count, sizeof(uint64_t), "GeoTIFF tags", &values));
    take_values(ifd, entry, values);
    if (entry->type == TIFF_DOUBLE && (metadata->geo_x != 0 || metadata->geo_y != 0))
        tiff_geo_move(entry, (double)metadata->geo_x, (double)metadata->geo_y, values);
    tiff_stream_set(stream, tiff, entry->tag, entry->count, values);
    memory_free(writer->memory, values);
    return SWATHE_OK;
}

/* The tags are known only to this handle, and only until its next page. */
static swathe_status add_fields(struct tiff_stream *stream, TIFF *tiff)
{
    TRY(tiff_stream_check(stream, "setting tags"));
    return TIFFMergeFieldInfo(tiff, fields, FIELDS) == 0
               ? SWATHE_OK
               : tiff_stream_failed(stream, "setting tags");
}

/* Sets the tags of the block. */
static swathe_status tiff_geo_set_block(const struct image_writer *writer,
                                        struct tiff_stream *stream, TIFF *tiff)
{
    const swathe_metadata *metadata = writer->metadata;
    struct ifd_source source = ifd_source_bytes(metadata->geo, metadata->geo_size);
    struct ifd ifd;
    uint64_t first;
    swathe_status status = SWATHE_OK;
    if (!ifd_open(&source, &first))
        return SWATHE_OK;
    TRY(ifd_read(&source, first, tiff_geo_wanted, "GeoTIFF tags", writer->memory, &writer->limits,
                 &ifd));
    drop_others(&ifd);
    if (metadata->nodata)
        ifd_remove(&ifd, TAG_NODATA);
    if (ifd.count > 0)
        status = add_fields(stream, tiff);
    for (int32_t i = 0; i < ifd.count && status == SWATHE_OK; i++)
        status = set_field(writer, stream, tiff, &ifd, &ifd.entries[i]);
    ifd_free(writer->memory, &ifd);
    return status;
}

swathe_status tiff_geo_write(const struct image_writer *writer, struct tiff_stream *stream,
                             TIFF *tiff)
{
    const char *nodata = writer->metadata->nodata;
    TRY(tiff_geo_set_block(writer, stream, tiff));
    if (!nodata || !*nodata)
        return SWATHE_OK;
    TRY(add_fields(stream, tiff));
    tiff_stream_set(stream, tiff, TAG_NODATA, (uint32_t)strlen(nodata) + 1, nodata);
    return SWATHE_OK;
}

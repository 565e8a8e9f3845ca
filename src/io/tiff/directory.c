#include "io/tiff/stream.h"

#include "base/checked.h"

#include <inttypes.h>
#include <string.h>
#include <tiffio.h>

enum { COUNT = 8, ENTRY = 20, INLINE = 8, ENTRIES_MAX = 48 };
/* A number that is not a compression. */
enum { DEFERRED = 65534 };
/* Limit on values other than the offsets and sizes of blocks, whose number grows with the file.
 * Colour maps and JPEG tables are the largest. */
enum { VALUE_MAX = 1 << 20 };

_Static_assert(COUNT + ENTRIES_MAX * ENTRY + 8 <= TIFF_DIRECTORY_BYTES, "entries fit");

static bool places_blocks(uint16_t tag)
{
    return tag == TIFFTAG_STRIPOFFSETS || tag == TIFFTAG_STRIPBYTECOUNTS ||
           tag == TIFFTAG_TILEOFFSETS || tag == TIFFTAG_TILEBYTECOUNTS;
}

/* True for tags that decoding depends on, except the predictor, which we apply ourselves. */
static bool tiff_directory_wanted(uint16_t tag)
{
    static const uint16_t tags[] = {TIFFTAG_IMAGEWIDTH,
                                    TIFFTAG_IMAGELENGTH,
                                    TIFFTAG_BITSPERSAMPLE,
                                    TIFFTAG_COMPRESSION,
                                    TIFFTAG_PHOTOMETRIC,
                                    TIFFTAG_FILLORDER,
                                    TIFFTAG_SAMPLESPERPIXEL,
                                    TIFFTAG_ROWSPERSTRIP,
                                    TIFFTAG_PLANARCONFIG,
                                    TIFFTAG_GROUP3OPTIONS,
                                    TIFFTAG_GROUP4OPTIONS,
                                    TIFFTAG_COLORMAP,
                                    TIFFTAG_TILEWIDTH,
                                    TIFFTAG_TILELENGTH,
                                    TIFFTAG_INKSET,
                                    TIFFTAG_EXTRASAMPLES,
                                    TIFFTAG_SAMPLEFORMAT,
                                    TIFFTAG_JPEGTABLES,
                                    TIFFTAG_JPEGPROC,
                                    TIFFTAG_JPEGIFOFFSET,
                                    TIFFTAG_JPEGIFBYTECOUNT,
                                    TIFFTAG_JPEGRESTARTINTERVAL,
                                    TIFFTAG_JPEGQTABLES,
                                    TIFFTAG_JPEGDCTABLES,
                                    TIFFTAG_JPEGACTABLES,
                                    TIFFTAG_YCBCRCOEFFICIENTS,
                                    TIFFTAG_YCBCRSUBSAMPLING,
                                    TIFFTAG_YCBCRPOSITIONING,
                                    TIFFTAG_REFERENCEBLACKWHITE,
                                    TIFFTAG_IMAGEDEPTH,
                                    TIFFTAG_TILEDEPTH,
                                    TIFFTAG_LERC_PARAMETERS};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (tags[i] == tag)
            return true;
    return places_blocks(tag);
}

/* True for compressions with predictors, for which libtiff adds a tag to its known tags. */
static bool tiff_directory_predicts(uint16_t compression)
{
    return compression == COMPRESSION_LZW || compression == COMPRESSION_DEFLATE ||
           compression == COMPRESSION_ADOBE_DEFLATE || compression == COMPRESSION_ZSTD ||
           compression == COMPRESSION_LZMA || compression == COMPRESSION_PIXARLOG;
}

/* Reads the first value of a tag's first entry, which is the valid one. Leaves *code unchanged if
 * the tag is absent. */
static swathe_status read_code(const struct ifd_source *source, uint64_t offset, uint16_t tag,
                               const char *name, uint16_t *code)
{
    uint64_t count = ifd_raw_count(source, offset), value;
    for (uint64_t i = 0; i < count; i++) {
        struct ifd_raw raw = {0};
        bool whole = ifd_raw_read(source, offset, i, &raw);
        if (raw.tag != tag)
            continue;
        if (!whole || !ifd_raw_integer(source, &raw, &value) || value > UINT16_MAX)
            return fail(SWATHE_ERROR_INPUT,
                        "TIFF: tag %d (%s) is damaged: %" PRIu64
                        " values of type %d; it must be an integer from 0 to 65535",
                        tag, name, raw.count, raw.type);
        *code = (uint16_t)value;
        return SWATHE_OK;
    }
    return SWATHE_OK;
}

static swathe_status find_compression(const struct ifd_source *source, uint64_t offset,
                                      struct tiff_directory *directory)
{
    directory->compression = COMPRESSION_NONE;
    directory->predictor = PREDICTOR_NONE;
    TRY(read_code(source, offset, TIFFTAG_COMPRESSION, "Compression", &directory->compression));
    directory->deferred = tiff_directory_predicts(directory->compression);
    if (!directory->deferred)
        return SWATHE_OK;
    return read_code(source, offset, TIFFTAG_PREDICTOR, "Predictor", &directory->predictor);
}

/* Small values are stored in the entry; others remain at their offset in the file. */
static bool put_entry(const struct ifd_source *source, const struct ifd_raw *raw, uint8_t *entry)
{
    memset(entry, 0, ENTRY);
    ifd_put_number(source, raw->tag, 2, entry);
    ifd_put_number(source, raw->type, 2, entry + 2);
    ifd_put_number(source, raw->count, 8, entry + 4);
    if (raw->bytes <= INLINE)
        return ifd_raw_value(source, raw, entry + 12);
    ifd_put_number(source, raw->offset, 8, entry + 12);
    return places_blocks(raw->tag) || raw->tag == TIFFTAG_COMPRESSION || raw->bytes <= VALUE_MAX;
}

/* Writes the compression that we read, so that libtiff decodes what we expect. */
static void put_compression(const struct ifd_source *source, const struct tiff_directory *directory,
                            uint8_t *entry)
{
    uint16_t code = directory->deferred ? DEFERRED : directory->compression;
    ifd_put_number(source, IFD_SHORT, 2, entry + 2);
    ifd_put_number(source, 1, 8, entry + 4);
    ifd_put_number(source, code, 2, entry + 12);
}

static bool tiff_directory_seen(const struct ifd_source *source, const uint8_t *entries,
                                int64_t count, uint16_t tag)
{
    for (int64_t i = 0; i < count; i++)
        if (ifd_get_number(source, entries + i * ENTRY, 2) == tag)
            return true;
    return false;
}

/* libtiff would use a default for a truncated value, and decode other pixels from the same
 * bytes. */
static swathe_status put_entries(const struct ifd_source *source, uint64_t offset,
                                 struct tiff_directory *directory, int64_t *put)
{
    uint8_t *entries = directory->bytes + COUNT;
    uint64_t all = ifd_raw_count(source, offset);
    int64_t count = 0;
    for (uint64_t i = 0; i < all && count < ENTRIES_MAX; i++) {
        uint8_t *entry = entries + count * ENTRY;
        struct ifd_raw raw = {0};
        bool there = ifd_raw_read(source, offset, i, &raw);
        if (!tiff_directory_wanted(raw.tag) || tiff_directory_seen(source, entries, count, raw.tag))
            continue;
        if (!there && raw.bytes > 0)
            return fail(SWATHE_ERROR_INPUT,
                        "the file ends early: the value of TIFF tag %d is outside it", raw.tag);
        if (!there || !put_entry(source, &raw, entry))
            continue;
        if (raw.tag == TIFFTAG_COMPRESSION)
            put_compression(source, directory, entry);
        count++;
    }
    *put = count;
    return SWATHE_OK;
}

static void tiff_directory_put_header(const struct ifd_source *source,
                                      struct tiff_directory *directory)
{
    memset(directory->header, 0, sizeof directory->header);
    memset(directory->header, source->swapped ? 'M' : 'I', 2);
    ifd_put_number(source, 43, 2, directory->header + 2);
    ifd_put_number(source, 8, 2, directory->header + 4);
    ifd_put_number(source, (uint64_t)directory->at, 8, directory->header + 8);
}

swathe_status tiff_directory_make(const struct ifd_source *source, uint64_t offset,
                                  struct tiff_directory *directory)
{
    memset(directory, 0, sizeof *directory);
    TRY(find_compression(source, offset, directory));
    int64_t count = 0;
    TRY(put_entries(source, offset, directory, &count));
    if (count == 0)
        return fail(SWATHE_ERROR_INPUT, "TIFF: the directory at byte %" PRIu64 " is damaged",
                    offset);
    ifd_put_number(source, (uint64_t)count, COUNT, directory->bytes);
    directory->at = round_up((int64_t)source->size, 16);
    directory->size = COUNT + count * ENTRY + 8; /* 8 zero bytes: no other directory follows */
    tiff_directory_put_header(source, directory);
    return SWATHE_OK;
}

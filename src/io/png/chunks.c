#include "io/png/png.h"

#include "base/checked.h"
#include "io/metadata/metadata.h"

#include <string.h>
#include <zlib.h>

static const char xmp_keyword[] = "XML:com.adobe.xmp";

/* The offset after a string's NUL, or `size` if there is none. */
static size_t skip_string(const uint8_t *bytes, size_t at, size_t size)
{
    while (at < size && bytes[at])
        at++;
    return at < size ? at + 1 : size;
}

/* Deflate expands a byte to at most 1032 bytes. A damaged text is dropped. */
static swathe_status keep_deflated(struct image_reader *reader, const uint8_t *bytes, size_t size)
{
    int64_t limit = reader->limits.max_metadata, most = min64(limit, (int64_t)size * 1032);
    uint8_t *text;
    TRY(memory_new_raw(reader->memory, most, 1, "XMP packet", &text));
    uLongf made = (uLongf)most;
    int code = uncompress(text, &made, bytes, (uLong)size);
    swathe_status status = SWATHE_OK;
    if (code == Z_OK)
        status = reader_store_metadata(reader, METADATA_XMP, text, made);
    else if (code == Z_MEM_ERROR)
        status = fail(SWATHE_ERROR_MEMORY, "no memory to inflate an XMP packet");
    else if (code == Z_BUF_ERROR)
        status = limits_fail_metadata(&reader->limits, "a compressed XMP packet");
    memory_free(reader->memory, text);
    return status;
}

/* Keyword, compression flag and method, language, translated keyword, text. */
static swathe_status keep_xmp(struct image_reader *reader, const uint8_t *bytes, size_t size)
{
    size_t at = sizeof xmp_keyword;
    if (size < at + 2 || memcmp(bytes, xmp_keyword, at) != 0 || reader->metadata.xmp)
        return SWATHE_OK;
    bool deflated = bytes[at] != 0;
    at = skip_string(bytes, skip_string(bytes, at + 2, size), size);
    return deflated ? keep_deflated(reader, bytes + at, size - at)
                    : reader_store_metadata(reader, METADATA_XMP, bytes + at, size - at);
}

static swathe_status keep_exif(struct image_reader *reader, const uint8_t *bytes, size_t size)
{
    bool tiff = size >= 4 && (memcmp(bytes, "II*\0", 4) == 0 || memcmp(bytes, "MM\0*", 4) == 0);
    return tiff ? reader_store_metadata(reader, METADATA_EXIF, bytes, size) : SWATHE_OK;
}

static bool is_exif(const png_byte name[4])
{
    return memcmp(name, "eXIf", 4) == 0;
}

static bool is_text(const png_byte name[4])
{
    return memcmp(name, "iTXt", 4) == 0;
}

swathe_status png_chunks_keep(struct image_reader *reader, const png_byte name[4],
                              const uint8_t *bytes, size_t size)
{
    return is_exif(name)   ? keep_exif(reader, bytes, size)
           : is_text(name) ? keep_xmp(reader, bytes, size)
                           : SWATHE_OK;
}

/* Texts other than XMP are skipped, whatever their length. */
static swathe_status is_wanted(struct image_reader *reader, const png_byte name[4], uint32_t length,
                               bool *wanted)
{
    uint8_t start[sizeof xmp_keyword];
    size_t got;
    *wanted = is_exif(name) && length > 0;
    if (!is_text(name) || length < sizeof start)
        return SWATHE_OK;
    int64_t here = stream_tell(reader->in);
    TRY(stream_read(reader->in, start, sizeof start, &got));
    *wanted = got == sizeof start && memcmp(start, xmp_keyword, sizeof start) == 0;
    return stream_seek(reader->in, here);
}

static swathe_status read_chunk(struct image_reader *reader, const png_byte name[4],
                                uint32_t length)
{
    bool wanted;
    uint8_t *bytes;
    size_t got;
    TRY(is_wanted(reader, name, length, &wanted));
    if (!wanted)
        return SWATHE_OK;
    TRY(limits_check_metadata(&reader->limits, length, is_exif(name) ? "eXIf" : "iTXt"));
    TRY(memory_new_raw(reader->memory, length, 1, "a PNG chunk", &bytes));
    swathe_status status = stream_read(reader->in, bytes, length, &got);
    if (status == SWATHE_OK && got == length)
        status = png_chunks_keep(reader, name, bytes, got);
    memory_free(reader->memory, bytes);
    return status;
}

/* Damage ends this loop without an error: libpng reads the same chunks later and reports it. libpng
 * has already passed the chunks before the pixels to us, unless one was too long for it. */
static swathe_status png_chunks_walk(struct image_reader *reader, bool all)
{
    int64_t offset = 8;
    for (;;) {
        uint8_t head[8];
        size_t got;
        TRY(stream_seek(reader->in, offset));
        TRY(stream_read(reader->in, head, sizeof head, &got));
        uint32_t length = (uint32_t)head[0] << 24 | head[1] << 16 | head[2] << 8 | head[3];
        if (got < sizeof head || length > INT32_MAX || memcmp(head + 4, "IEND", 4) == 0)
            return SWATHE_OK;
        all = all || memcmp(head + 4, "IDAT", 4) == 0;
        if (all)
            TRY(read_chunk(reader, head + 4, length));
        offset += 12 + (int64_t)length;
    }
}

swathe_status png_chunks_keep_rest(struct image_reader *reader, bool dropped)
{
    if (!stream_seekable(reader->in))
        return dropped ? limits_fail_metadata(&reader->limits, "an iTXt or eXIf chunk") : SWATHE_OK;
    int64_t here = stream_tell(reader->in);
    TRY(png_chunks_walk(reader, dropped));
    return stream_seek(reader->in, here);
}

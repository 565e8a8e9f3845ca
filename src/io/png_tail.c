#include "io/png_tail.h"

#include "io/keep.h"

#include <string.h>

/* Past a string's NUL, or `size` when there is none. */
static size_t skip_string(const uint8_t *bytes, size_t at, size_t size)
{
    while (at < size && bytes[at])
        at++;
    return at < size ? at + 1 : size;
}

/* Keyword, compression flag and method, language, translated keyword, text. */
static swathe_status keep_xmp(struct reader *reader, const uint8_t *bytes, size_t size)
{
    static const char keyword[] = "XML:com.adobe.xmp";
    size_t at = sizeof keyword;
    if (size < at + 2 || memcmp(bytes, keyword, at) != 0 || bytes[at] != 0)
        return SWATHE_OK;
    at = skip_string(bytes, skip_string(bytes, at + 2, size), size);
    return reader_keep(reader, KEEP_XMP, bytes + at, size - at);
}

static swathe_status keep_exif(struct reader *reader, const uint8_t *bytes, size_t size)
{
    bool tiff = size >= 4 && (memcmp(bytes, "II*\0", 4) == 0 || memcmp(bytes, "MM\0*", 4) == 0);
    return tiff ? reader_keep(reader, KEEP_EXIF, bytes, size) : SWATHE_OK;
}

static swathe_status keep_chunk(struct reader *reader, const char *name, uint32_t length)
{
    bool exif = strcmp(name, "eXIf") == 0;
    if (length == 0 || (!exif && strcmp(name, "iTXt") != 0))
        return SWATHE_OK;
    uint8_t *bytes;
    size_t got;
    TRY(limits_check_metadata(&reader->limits, length, name));
    TRY(memory_new_raw(reader->memory, length, 1, name, &bytes));
    swathe_status status = stream_read(reader->in, bytes, length, &got);
    if (status == SWATHE_OK && got == length)
        status = exif ? keep_exif(reader, bytes, got) : keep_xmp(reader, bytes, got);
    memory_free(reader->memory, bytes);
    return status;
}

/* Damage ends the walk quietly: libpng passes the same chunks later and says what is wrong. */
static swathe_status walk(struct reader *reader)
{
    int64_t offset = 8;
    bool after_pixels = false;
    for (;;) {
        uint8_t head[8];
        size_t got;
        TRY(stream_seek(reader->in, offset));
        TRY(stream_read(reader->in, head, sizeof head, &got));
        uint32_t length = (uint32_t)head[0] << 24 | head[1] << 16 | head[2] << 8 | head[3];
        if (got < sizeof head || length > INT32_MAX || memcmp(head + 4, "IEND", 4) == 0)
            return SWATHE_OK;
        char name[5] = "";
        memcpy(name, head + 4, 4);
        after_pixels = after_pixels || strcmp(name, "IDAT") == 0;
        if (after_pixels)
            TRY(keep_chunk(reader, name, length));
        offset += 12 + (int64_t)length;
    }
}

swathe_status png_tail_keep(struct reader *reader)
{
    if (!stream_seekable(reader->in))
        return SWATHE_OK;
    int64_t here = stream_tell(reader->in);
    TRY(walk(reader));
    return stream_seek(reader->in, here);
}

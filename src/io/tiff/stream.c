#include "io/tiff/stream.h"

#include "base/checked.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* The smallest limit on one allocation of libtiff. */
enum { PIECE_MIN = 1 << 24 };

static bool stream_failed(struct tiff_stream *stream, swathe_status status)
{
    if (status != SWATHE_OK && stream->status == SWATHE_OK)
        stream->status = status;
    return status != SWATHE_OK;
}

/* ---- Failed allocations --------------------------------------------------------------------- */

/* A failed malloc sets errno, and nothing resets it. This detects failures that no return value
 * reports. Must be called before other code can change errno. */
bool tiff_stream_out_of_memory(struct tiff_stream *stream)
{
    if (errno == ENOMEM)
        stream->out_of_memory = true;
    return stream->out_of_memory;
}

void tiff_stream_clear_errors(struct tiff_stream *stream)
{
    stream->text[0] = '\0';
    stream->limited = stream->out_of_memory = stream->damaged = false;
    errno = 0;
}

/* ---- What libtiff calls --------------------------------------------------------------------- */

/* Reads our replacement of the file's bytes at the position: its header, or the directory. */
static tmsize_t read_own(struct tiff_stream *stream, void *bytes, tmsize_t size)
{
    const struct tiff_directory *directory = stream->directory;
    int64_t position = stream_tell(stream->in), start = stream->opening ? 0 : directory->at;
    const uint8_t *from = stream->opening ? directory->header : directory->bytes;
    int64_t left = (stream->opening ? TIFF_DIRECTORY_HEADER : directory->size) - (position - start);
    int64_t got = max64(0, min64(left, size));
    memcpy(bytes, from + (left > 0 ? position - start : 0), (size_t)got);
    return stream_failed(stream, stream_seek(stream->in, position + got)) ? -1 : (tmsize_t)got;
}

static tmsize_t tiff_stream_read_bytes(thandle_t handle, void *bytes, tmsize_t size)
{
    struct tiff_stream *stream = handle;
    size_t got = 0;
    tiff_stream_out_of_memory(stream);
    if (stream->status != SWATHE_OK || stream->captures || size < 0)
        return -1;
    if (stream->in && (stream->opening || stream_tell(stream->in) >= stream->directory->at))
        return read_own(stream, bytes, size);
    swathe_status status = stream->in ? stream_read(stream->in, bytes, (size_t)size, &got)
                                      : output_read(stream->out, bytes, (size_t)size, &got);
    return stream_failed(stream, status) ? -1 : (tmsize_t)got;
}

static tmsize_t tiff_stream_write_bytes(thandle_t handle, void *bytes, tmsize_t size)
{
    struct tiff_stream *stream = handle;
    tiff_stream_out_of_memory(stream);
    if (stream->status != SWATHE_OK || stream->in || size < 0)
        return -1;
    if (stream->listing) {
        stream->listed_to += size;
        return size;
    }
    if (stream->captures)
        return stream->bytes && stream_failed(stream, bytes_append(stream->bytes, bytes, size))
                   ? -1
                   : size;
    return stream_failed(stream, output_write(stream->out, bytes, (size_t)size)) ? -1 : size;
}

/* The position that libtiff sees if there is no file: past the header, whatever was written. */
enum { NO_FILE_POSITION = 16 };

static toff_t tiff_stream_size_of(thandle_t handle)
{
    const struct tiff_stream *stream = handle;
    if (stream->captures)
        return NO_FILE_POSITION;
    if (stream->listing)
        return (toff_t)stream->listed_to;
    return (toff_t)(stream->in ? stream->directory->at + stream->directory->size
                               : output_size(stream->out) + stream->gap);
}

/* The position in the output for one in the file, which is not inside the gap. */
static int64_t in_output(const struct tiff_stream *stream, int64_t position)
{
    return position < stream->gap_at + stream->gap ? position : position - stream->gap;
}

/* The position in the file. */
static toff_t tiff_stream_tell(const struct tiff_stream *stream)
{
    if (stream->in)
        return (toff_t)stream_tell(stream->in);
    int64_t position = output_tell(stream->out);
    return (toff_t)(position < stream->gap_at ? position : position + stream->gap);
}

static toff_t seek_to(thandle_t handle, toff_t offset, int whence)
{
    struct tiff_stream *stream = handle;
    toff_t from = 0;
    if (stream->captures)
        return whence == SEEK_SET ? offset : NO_FILE_POSITION;
    if (stream->listing)
        return whence == SEEK_SET ? offset : (toff_t)stream->listed_to;
    if (whence == SEEK_CUR)
        from = tiff_stream_tell(stream);
    else if (whence == SEEK_END)
        from = tiff_stream_size_of(handle);
    toff_t to = from + offset; /* wraps for a negative offset, as libtiff expects */
    if (stream->status != SWATHE_OK || to > (toff_t)INT64_MAX)
        return (toff_t)-1;
    swathe_status status = stream->in ? stream_seek(stream->in, (int64_t)to)
                                      : output_seek(stream->out, in_output(stream, (int64_t)to));
    return stream_failed(stream, status) ? (toff_t)-1 : to;
}

/* The stream or output is closed by its owner. */
static int close_nothing(thandle_t handle)
{
    (void)handle;
    return 0;
}

/* Some of libtiff's messages have several lines; ours have one. */
static void to_one_line(char *text)
{
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
}

static int tiff_stream_note_error(TIFF *tiff, void *user, const char *module, const char *format,
                                  va_list args)
{
    struct tiff_stream *stream = user;
    (void)tiff;
    (void)module;
    if (stream->text[0] == '\0')
        vsnprintf(stream->text, sizeof stream->text, format, args);
    to_one_line(stream->text);
    if (strstr(stream->text, "limit defined in open options"))
        stream->limited = true;
    return 1; /* handled: do not call the global handler, which prints */
}

/* True if a warning of libjpeg may mean that it invented samples. Only the first warning of a block
 * is reported. So extra bytes between segments, which are harmless but may hide damage, count as
 * damage, and so does a missing end marker, which libjpeg reports before missing data. */
static bool tiff_stream_means_damage(const char *text)
{
    return strstr(text, "Corrupt JPEG data") || strstr(text, "Premature end of JPEG") ||
           strstr(text, "Inconsistent progression");
}

/* True for JPEG data, including the old style. Other codecs fail on damaged data. */
static bool from_jpeg(const char *module)
{
    return module && (strcmp(module, "JPEGLib") == 0 || strcmp(module, "LibJpeg") == 0);
}

static int tiff_stream_note_warning(TIFF *tiff, void *user, const char *module, const char *format,
                                    va_list args)
{
    struct tiff_stream *stream = user;
    char text[sizeof stream->text];
    (void)tiff;
    if (!from_jpeg(module) || stream->text[0] != '\0')
        return 1;
    vsnprintf(text, sizeof text, format, args);
    if (tiff_stream_means_damage(text)) {
        to_one_line(text);
        memcpy(stream->text, text, sizeof text);
        stream->damaged = true;
    }
    return 1;
}

/* ---- Calling libtiff ------------------------------------------------------------------------ */

swathe_status tiff_stream_failed(struct tiff_stream *stream, const char *what)
{
    bool out_of_memory = tiff_stream_out_of_memory(stream);
    if (stream->status != SWATHE_OK)
        return stream->status;
    if (out_of_memory)
        return fail(SWATHE_ERROR_MEMORY, "TIFF: %s: out of memory", what);
    if (stream->limited)
        return fail_limit("max_memory", 0, "TIFF: %s: %s", what, stream->text);
    return fail(stream->in ? SWATHE_ERROR_INPUT : SWATHE_ERROR_INTERNAL, "TIFF: %s: %s", what,
                stream->text[0] ? stream->text : "failed");
}

swathe_status tiff_stream_check(struct tiff_stream *stream, const char *what)
{
    return tiff_stream_out_of_memory(stream) || stream->text[0] ? tiff_stream_failed(stream, what)
                                                                : SWATHE_OK;
}

void tiff_stream_set(struct tiff_stream *stream, TIFF *tiff, uint32_t tag, ...)
{
    va_list args;
    if (tiff_stream_out_of_memory(stream) || stream->text[0])
        return;
    va_start(args, tag);
    if (!TIFFVSetField(tiff, tag, args) && !stream->text[0])
        snprintf(stream->text, sizeof stream->text, "libtiff does not accept tag %d", (int)tag);
    va_end(args);
    stream->inconsistent = stream->inconsistent || tiff_stream_out_of_memory(stream);
}

swathe_status tiff_stream_open(struct tiff_stream *stream, const char *mode,
                               const struct limits *limits, TIFF **tiff)
{
    tiff_stream_clear_errors(stream);
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options)
        return fail(SWATHE_ERROR_MEMORY, "TIFF: opening: out of memory");
    TIFFOpenOptionsSetMaxSingleMemAlloc(options,
                                        (tmsize_t)max64(limits->max_memory / 2, PIECE_MIN));
    TIFFOpenOptionsSetErrorHandlerExtR(options, tiff_stream_note_error, stream);
    TIFFOpenOptionsSetWarningHandlerExtR(options, tiff_stream_note_warning, stream);
    stream->opening = true;
    TIFF *got =
        TIFFClientOpenExt("file", mode, stream, tiff_stream_read_bytes, tiff_stream_write_bytes,
                          seek_to, close_nothing, tiff_stream_size_of, NULL, NULL, options);
    bool out_of_memory = tiff_stream_out_of_memory(stream);
    stream->opening = false;
    TIFFOpenOptionsFree(options);
    if (got && !out_of_memory) {
        *tiff = got;
        return SWATHE_OK;
    }
    if (got)
        tiff_stream_close(got);
    return tiff_stream_failed(stream, "opening");
}

/* libtiff counts a tag before it allocates space for it, and would free memory past its list:
 * leaking an inconsistent handle is safer. */
void tiff_stream_close(TIFF *tiff)
{
    const struct tiff_stream *stream = TIFFClientdata(tiff);
    if (stream->inconsistent)
        return;
    TIFFSetMode(tiff, O_RDONLY); /* as libtiff does itself, so that an incomplete handle is not
                                    flushed */
    TIFFClose(tiff);
}

/* libtiff on our streams. */
#ifndef SWATHE_IO_TIFF_STREAM_H
#define SWATHE_IO_TIFF_STREAM_H

#include "io/bytes/in_memory.h"
#include "io/bytes/output.h"
#include "io/bytes/stream.h"
#include "io/limits.h"
#include "io/metadata/ifd.h"

#include <stdbool.h>

#include <tiffio.h>

/* A directory of a TIFF file as presented to libtiff: only tags that specify how pixels are stored,
 * in a BigTIFF file. Other tags then cost nothing, and libtiff need not extend its list of known
 * tags, during which it crashes if memory runs out. */

enum { TIFF_DIRECTORY_HEADER = 16, TIFF_DIRECTORY_BYTES = 1024 };

struct tiff_directory {
    uint16_t compression; /* as in the file */
    uint16_t predictor;
    bool deferred; /* libtiff sees an unknown compression; the real one is set later */
    uint8_t header[TIFF_DIRECTORY_HEADER]; /* replaces the file's header */
    int64_t at, size; /* offset and size of `bytes`; the offset is past the end of the file */
    uint8_t bytes[TIFF_DIRECTORY_BYTES];
};

/* Makes the directory for libtiff from the one at `offset` of the file. */
swathe_status tiff_directory_make(const struct ifd_source *source, uint64_t offset,
                                  struct tiff_directory *directory);

/* libtiff over our streams and outputs, without its global handlers. */

/* Must remain valid, at the same address, as long as the TIFF handle. */
struct tiff_stream {
    struct stream *in;                      /* exactly one of `in`, `out` and `captures` is set */
    const struct tiff_directory *directory; /* with `in`: the directory presented to libtiff */
    bool opening;                           /* reads at offset 0 return the directory's header */
    struct output *out;
    bool captures; /* there is no file: output is appended to `bytes`, or discarded if that is
                      NULL */
    struct bytes *bytes;
    bool listing; /* with `out`: pixels are there already, and libtiff only records the blocks
                     that it seems to append from listed_to on */
    int64_t listed_to;
    int64_t gap_at, gap;  /* with `out`: this many bytes of the file are missing in the output, at
                             this offset */
    swathe_status status; /* of the first failure of `in` or `out`; its text is recorded */
    bool limited;         /* an allocation of libtiff exceeded its limit */
    bool out_of_memory;   /* an allocation failed while libtiff worked */
    bool damaged;         /* libjpeg invented missing samples, and only warned */
    bool inconsistent;    /* the handle counts a tag that it has no space for */
    char text[256]; /* its first error or warning since tiff_stream_clear_errors; empty: none */
};

/* `mode` as for TIFFOpen. */
swathe_status tiff_stream_open(struct tiff_stream *stream, const char *mode,
                               const struct limits *limits, TIFF **tiff);
/* Frees the handle, unless it is inconsistent. Writes nothing: the file is already complete. */
void tiff_stream_close(TIFF *tiff);
/* To be called before calls of libtiff: resets the errors and warnings of earlier calls. */
void tiff_stream_clear_errors(struct tiff_stream *stream);
/* To be called after them: true if an allocation failed since tiff_stream_clear_errors. libtiff and
 * its libraries continue after some failed allocations, and their results must then not be used. */
bool tiff_stream_out_of_memory(struct tiff_stream *stream);
/* Calls TIFFSetField, unless a tag before it failed: a handle whose list of tags could not grow
 * must not be used again, except by tiff_stream_close. tiff_stream_check reports the failure. */
void tiff_stream_set(struct tiff_stream *stream, TIFF *tiff, uint32_t tag, ...);
/* Fails if an allocation failed or libtiff reported an error since tiff_stream_clear_errors. */
swathe_status tiff_stream_check(struct tiff_stream *stream, const char *what);
/* Fails with the message of a call of libtiff that failed; `what` names the operation. */
swathe_status tiff_stream_failed(struct tiff_stream *stream, const char *what);

#endif

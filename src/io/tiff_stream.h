/* libtiff over our streams and outputs, without its global handlers. */
#ifndef SWATHE_IO_TIFF_STREAM_H
#define SWATHE_IO_TIFF_STREAM_H

#include "io/bytes.h"
#include "io/limits.h"
#include "io/output.h"
#include "io/stream.h"
#include "io/tiff_directory.h"

#include <stdbool.h>
#include <tiffio.h>

/* Lives as long as the TIFF handle and does not move. */
struct tiff_stream {
    struct stream *in;                      /* one of the three */
    const struct tiff_directory *directory; /* with `in`: that libtiff is to see */
    bool opening;                           /* bytes at the start are its header */
    struct output *out;
    bool captures; /* nothing is a file: what is written is added to `bytes`; NULL: forgotten */
    struct bytes *bytes;
    swathe_status status; /* of the first failure of `in` or `out`; its text is recorded */
    bool limited;         /* libtiff was refused memory by its limit */
    bool starved;         /* an allocation failed while libtiff worked */
    bool damaged;         /* libjpeg made up samples for what is missing, and only warned */
    bool torn;            /* the handle counts a tag that it has no room for */
    char text[256];       /* its first complaint since tiff_stream_calm; empty: none */
};

/* `mode` as for TIFFOpen. */
swathe_status tiff_stream_open(struct tiff_stream *stream, const char *mode,
                               const struct limits *limits, TIFF **tiff);
/* Frees the handle, unless it is torn. It writes nothing: what was to be in the file is there. */
void tiff_stream_close(TIFF *tiff);
/* Before calls of libtiff: forgets the complaints of earlier ones. */
void tiff_stream_calm(struct tiff_stream *stream);
/* After them: did an allocation fail since tiff_stream_calm? libtiff and the libraries below it go
 * on without some of what they could not allocate, and their results are then not to be used. */
bool tiff_stream_starved(struct tiff_stream *stream);
/* TIFFSetField, unless a tag before it failed: a handle whose list of tags could not grow must not
 * be touched again but by tiff_stream_close. tiff_stream_check tells. */
void tiff_stream_set(struct tiff_stream *stream, TIFF *tiff, uint32_t tag, ...);
/* Fails when an allocation failed or libtiff complained since tiff_stream_calm. */
swathe_status tiff_stream_check(struct tiff_stream *stream, const char *what);
/* After a call of libtiff failed: its complaint as a status; `what` says what was tried. */
swathe_status tiff_stream_failed(struct tiff_stream *stream, const char *what);

#endif

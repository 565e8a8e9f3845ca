/* libtiff over our streams and outputs, without its global handlers. */
#ifndef SWATHE_IO_TIFF_STREAM_H
#define SWATHE_IO_TIFF_STREAM_H

#include "io/limits.h"
#include "io/output.h"
#include "io/stream.h"

#include <stdbool.h>
#include <tiffio.h>

/* Bytes that grow. */
struct tiff_bytes {
    const struct memory *memory;
    uint8_t *data;
    int64_t used, room;
};

/* Makes room for so many bytes in all. */
swathe_status tiff_bytes_reserve(struct tiff_bytes *bytes, int64_t room);

/* Lives as long as the TIFF handle and does not move. */
struct tiff_stream {
    struct stream *in; /* one of the three */
    struct output *out;
    bool captures; /* nothing is a file: what is written is added to `bytes`; NULL: forgotten */
    struct tiff_bytes *bytes;
    swathe_status status; /* of the first failure of `in` or `out`; its text is recorded */
    bool limited;         /* libtiff was refused memory */
    char text[256];       /* its first complaint since tiff_stream_calm; empty: none */
};

/* `mode` as for TIFFOpen. */
swathe_status tiff_stream_open(struct tiff_stream *stream, const char *mode,
                               const struct limits *limits, TIFF **tiff);
/* Forgets complaints of earlier calls. */
void tiff_stream_calm(struct tiff_stream *stream);
/* After a call of libtiff failed: its complaint as a status; `what` says what was tried. */
swathe_status tiff_stream_failed(const struct tiff_stream *stream, const char *what);

#endif

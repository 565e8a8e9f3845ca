/* What the files of this folder share. */
#ifndef SWATHE_IO_JPEG_JPEG_H
#define SWATHE_IO_JPEG_JPEG_H

#include "base/status.h"
#include "io/codec.h"
#include "io/object_pool.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>

#include <jpeglib.h>

/* Converts libjpeg's errors, which use longjmp, to a status. */

struct jpeg_guard {
    struct jpeg_error_mgr manager; /* first member: libjpeg passes its address to callbacks */
    jmp_buf escape;                /* set it before any call of libjpeg */
    swathe_status status;          /* the reason for the longjmp */
    bool ended;                    /* the file ended before its end marker */
};

/* To be stored in the `err` field of a libjpeg struct. */
struct jpeg_error_mgr *jpeg_guard_init(struct jpeg_guard *guard);

/* Returns from libjpeg to the setjmp with a status whose text is recorded. */
_Noreturn void jpeg_guard_leave(j_common_ptr info, swathe_status status);

/* Metadata in the markers of a JPEG file: EXIF, XMP and ICC. libjpeg's own list of markers takes
 * quadratic time, and memory for markers that are not used. */

enum { JPEG_MARKERS_PARTS = 256, JPEG_MARKERS_MAX = 0xFFFF };

struct jpeg_markers {
    struct image_reader *reader;
    /* The parts of the profile read so far, by number. Files may repeat a part: the first is
     * kept. */
    uint8_t *parts[JPEG_MARKERS_PARTS];
    size_t sizes[JPEG_MARKERS_PARTS];
    size_t bytes; /* of all parts */
    int total;    /* number of parts; 0: none was seen */
    bool closed;  /* no more parts are kept */
    uint8_t data[JPEG_MARKERS_MAX];
};

/* For libjpeg's callbacks for APP1 and APP2: reads the next marker. */
void jpeg_markers_read(struct jpeg_markers *markers, j_decompress_ptr info);
/* To be called after the header: keeps the profile if it is complete. Later markers are skipped. */
swathe_status jpeg_markers_keep_profile(struct jpeg_markers *markers);
void jpeg_markers_free(struct jpeg_markers *markers);

/* A libjpeg compressor that writes to memory. Each thread has its own. */

struct jpeg_encoder {
    struct pooled_object pooled;
    struct jpeg_compress_struct info;
    struct jpeg_guard guard;
    struct jpeg_destination_mgr target;
    struct jpeg_progress_mgr progress; /* used if the whole image is encoded at once */
    const struct image_writer *writer;
    uint8_t *bytes; /* the encoded data, `size` bytes */
    size_t size, capacity;

    /* The call in progress: a segment's rows, and the marker that follows it. */
    const swathe_image *from;
    int64_t first, count;
    int marker;
    uint8_t *copies; /* of rows whose layout libjpeg does not accept */
    bool created, started;
};

swathe_status jpeg_encoder_create(const struct image_writer *writer, struct jpeg_encoder **encoder);
void jpeg_encoder_destroy(struct jpeg_encoder *encoder);

/* Writes everything before the entropy-coded data, for the whole image. */
swathe_status jpeg_encoder_header(struct jpeg_encoder *encoder, unsigned restart_interval);
/* Appends the entropy-coded data of `count` rows from row `first` on, and the marker after them. If
 * these are all rows of the image, this continues after jpeg_encoder_header, if that was called. */
swathe_status jpeg_encoder_add(struct jpeg_encoder *encoder, const swathe_image *from,
                               int64_t first, int64_t count, int marker);

/* Encodes the whole file with optimised Huffman codes: libjpeg keeps all coefficients until the
 * end. Rows are passed from top to bottom. */
swathe_status jpeg_encoder_start_whole(struct jpeg_encoder *encoder);
swathe_status jpeg_encoder_add_whole(struct jpeg_encoder *encoder, const swathe_image *from);
swathe_status jpeg_encoder_end_whole(struct jpeg_encoder *encoder);

/* How an image is stored as JPEG: the contents of its header, and the positions of its restart
 * markers. */

/* Checks that the format supports the size, number of channels and quality. */
swathe_status jpeg_form_check(const struct image_writer *writer);

/* Sets colours, quality and resolution of a new libjpeg struct. Values that the options do not
 * specify are taken from the source, if that is a JPEG. Otherwise chroma is stored at half the
 * resolution in both directions (4:2:0) up to quality 95, as libjpeg and Pillow do, and at full
 * resolution above it. */
void jpeg_form_set(const struct image_writer *writer, struct jpeg_compress_struct *info);

/* Writes EXIF, XMP and ICC. Call it after jpeg_start_compress. */
void jpeg_form_write_metadata(const swathe_metadata *metadata, struct jpeg_compress_struct *info);

/* Rows between two restart markers, a multiple of the MCU height (or all rows, without such
 * markers), and the number of MCUs between them. They depend only on the shape and the quality, so
 * that files do not depend on the machine. */
struct jpeg_segments {
    int64_t rows;
    unsigned interval; /* 0: no markers */
};
struct jpeg_segments jpeg_form_segments(const struct jpeg_compress_struct *info);

/* How a JPEG file was encoded: its quality and chroma subsampling. */

/* The quality, 1..100, for which libjpeg's quantization tables are closest to the file's; exact if
 * libjpeg wrote the file. If several are equally close, the highest. 0: no tables. */
int jpeg_estimate_quality(const struct jpeg_decompress_struct *info);

/* Returns 444, 422 and so on; 0 for other factors, or if there is no chroma. */
int jpeg_estimate_subsampling(const struct jpeg_decompress_struct *info);
/* Samples of the first component per chroma sample, in each direction; {0, 0} for an unknown
 * subsampling. */
struct jpeg_factors {
    int across, down;
};
struct jpeg_factors jpeg_estimate_factors(int subsampling);

#endif

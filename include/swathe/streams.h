/* Swathe: encoded images, and images that are not in memory: sources, sinks, files and bytes.
 * swathe.h includes this header; the rules at the top of swathe.h apply here too. */
#ifndef SWATHE_STREAMS_H
#define SWATHE_STREAMS_H

#include "swathe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sources and sinks ----------------------------------------------------------------------- */

/* How a file stores its samples. A source reports the encoding of its file. A file written in the
 * same format uses it wherever the options do not specify otherwise. 0 and NULL: unknown, or does
 * not apply. */
typedef struct swathe_encoding {
    size_t struct_size;
    const char *format;              /* of the file, a name from the table */
    const char *compression;         /* such as "deflate"; static string */
    int32_t quality;                 /* JPEG: 1..100, estimated from its quantization tables */
    int32_t subsampling;             /* JPEG, chroma: 444, 440, 422, 420, 411 or 410 */
    int32_t bits;                    /* of a stored sample, if fewer than the type has */
    int32_t palette;                 /* 1: samples were indices into a colour map */
    int32_t planar;                  /* TIFF: 1: each channel is stored as a separate plane */
    int32_t orientation;             /* 1..8, as in EXIF */
    int64_t tile_width, tile_height; /* TIFF: size of tiles; if the width is 0, the height is the
                                        rows per strip */
    int32_t frames;                  /* WebP: number of frames; only the first is read */
    int32_t progressive;             /* JPEG: 1: progressive; results are never */
} swathe_encoding;

typedef struct swathe_metadata {
    size_t struct_size;
    const void *icc; /* the ICC profile, as stored */
    size_t icc_size;
    const void *exif; /* a TIFF structure, without the "Exif\0\0" prefix of JPEG */
    size_t exif_size;
    const void *xmp; /* the XMP packet, as stored */
    size_t xmp_size;
    double x_resolution, y_resolution; /* pixels per metre; 0: unknown */
    const void *geo; /* georeference, TIFF only: GeoTIFF's tags in a TIFF structure */
    size_t geo_size;
    int64_t geo_x, geo_y; /* writing: position of this image in the one that `geo` describes */
    const swathe_encoding *encoding; /* may be NULL; valid until the source is destroyed */
    const char *nodata; /* TIFF: the value of missing samples, such as "-9999" or "nan" (GDAL's
                           tag), for swathe_plan_options.nodata; reading: NULL or empty: none, or no
                           sample can have it. Writing: empty: no tag; NULL: as in `geo` */
} swathe_metadata;

/* From samples to light: the curves of an ICC profile, or tables. */
typedef struct swathe_curves {
    size_t struct_size;
    const void *profile; /* an ICC profile of RGB or grey with curves and no tables of colours;
                            NULL: the tables */
    size_t profile_size;
    const double *values; /* `count` tables of `size` values from 0 to 1, which never decrease: the
                             light of evenly spaced samples, with straight lines between them */
    int32_t count, size;  /* 1 table, or one for each channel except alpha; 2 to 4095 values */
} swathe_curves;

/* Flags of sources, sinks and readers. */
enum {
    SWATHE_FORWARD = 1,    /* takes full-width rows only, from top to bottom, each once */
    SWATHE_CONCURRENT = 2, /* several threads may call it at once */
    SWATHE_PAGES = 4       /* a sink that takes several pages: see swathe_sink_next_page */
};

/* Where pixels come from: a file, encoded bytes, or functions of yours. */
typedef struct swathe_source swathe_source;

typedef struct swathe_source_info {
    size_t struct_size;
    swathe_shape shape;
    int64_t tile_width, tile_height; /* hint: reading whole tiles is fastest; 0: no preference */
    const swathe_metadata *metadata; /* may be NULL; valid until the source is destroyed */
    const char *format;              /* may be NULL */
    int64_t pages;                   /* number of images in the file, including this one; 0:
                                        unknown */
    int64_t held_bytes;              /* memory that the source holds while it is read; counts
                                        towards the run's limit */
    uint64_t flags;
} swathe_source_info;

/* Functions that provide pixels. */
typedef struct swathe_source_callbacks {
    size_t struct_size;
    void *user;
    /* Fills `into`. Its x, y, width and height specify the part to read; it has any strides and the
     * source's sample type. */
    swathe_status (*read)(void *user, const swathe_image *into);
    void (*destroy)(void *user); /* may be NULL */
} swathe_source_callbacks;

/* Makes a source of your functions, with the properties in `info`, whose metadata and format must
 * outlive it. Who reads it obeys its flags. If this fails, `destroy` is not called. */
SWATHE_API swathe_status swathe_source_wrap(swathe_context *context, const swathe_source_info *info,
                                            const swathe_source_callbacks *callbacks,
                                            swathe_source **source);
/* The properties of a source. */
SWATHE_API swathe_status swathe_source_get(const swathe_source *source, swathe_source_info *info);
/* Reads the part that the x, y, width and height of `into` specify. It has any strides and the
 * source's sample type. */
SWATHE_API swathe_status swathe_source_read(swathe_source *source, const swathe_image *into);
/* Closes the file, or calls your `destroy`. */
SWATHE_API void swathe_source_destroy(swathe_source *source);

/* The properties as a value. If the source is NULL, they are unknown, and no failure is recorded.
 */
static inline swathe_source_info swathe_source_properties(const swathe_source *source)
{
    swathe_source_info info = SWATHE_INIT(swathe_source_info);
    if (source)
        swathe_source_get(source, &info);
    return info;
}

/* Where pixels go. */
typedef struct swathe_sink swathe_sink;

typedef struct swathe_sink_info {
    size_t struct_size;
    swathe_shape shape;
    /* Parts consist of whole tiles; 0: any size. If tile_width is 0, tile_height is only a hint:
     * the fastest height. */
    int64_t tile_width, tile_height;
    const char *format; /* may be NULL */
    uint64_t flags;
} swathe_sink_info;

/* Functions that take pixels. */
typedef struct swathe_sink_callbacks {
    size_t struct_size;
    void *user;
    /* Writes the part that `from` contains. */
    swathe_status (*write)(void *user, const swathe_image *from);
    swathe_status (*commit)(void *user); /* called after everything was written; may be NULL */
    void (*destroy)(void *user);         /* discards what was written if there was no commit;
                                            may be NULL */
    /* See swathe_sink_next_page; may be NULL. `info` has the properties of the page before, with
     * the new shape; the function changes what else is different now. */
    swathe_status (*next_page)(void *user, const swathe_shape *shape,
                               const swathe_metadata *metadata, swathe_sink_info *info);
} swathe_sink_callbacks;

/* Makes a sink of your functions, with the properties in `info`, whose format must outlive it. Who
 * writes to it obeys its flags and tiles. If this fails, `destroy` is not called. */
SWATHE_API swathe_status swathe_sink_wrap(swathe_context *context, const swathe_sink_info *info,
                                          const swathe_sink_callbacks *callbacks,
                                          swathe_sink **sink);
/* The properties of a sink. */
SWATHE_API swathe_status swathe_sink_get(const swathe_sink *sink, swathe_sink_info *info);
/* The properties as a value. If the sink is NULL, they are unknown, and no failure is recorded. */
static inline swathe_sink_info swathe_sink_properties(const swathe_sink *sink)
{
    swathe_sink_info info = SWATHE_INIT(swathe_sink_info);
    if (sink)
        swathe_sink_get(sink, &info);
    return info;
}
/* Writes the part that `from` contains. Write each pixel once: a file refuses a part that overlaps
 * an earlier one. */
SWATHE_API swathe_status swathe_sink_write(swathe_sink *sink, const swathe_image *from);
/* Call after all pixels of a page were written: starts another page in the same file. Only TIFF
 * supports this. The sink's shape, tiles and flags are then those of the new page. NULL metadata:
 * none. */
SWATHE_API swathe_status swathe_sink_next_page(swathe_sink *sink, const swathe_shape *shape,
                                               const swathe_metadata *metadata);
/* Call after everything was written: makes the complete file appear under its name. Fails if pixels
 * of a file are missing. */
SWATHE_API swathe_status swathe_sink_commit(swathe_sink *sink);
/* Frees the sink. Discards the file if it was not committed. */
SWATHE_API void swathe_sink_destroy(swathe_sink *sink);

/* Reads from a source and writes the result to a sink, in bounded memory. Does not commit the
 * sink. */
SWATHE_API swathe_status swathe_run_stream(swathe_context *context, const swathe_plan *plan,
                                           swathe_source *source, swathe_sink *sink,
                                           const swathe_run_options *options);

/* Returns what is needed to create a file for a plan's result: the shape, and the source's metadata
 * with the position of the result in the source. The metadata still belong to the source, except
 * `nodata`, which is the plan's if missing results have a value. `region` is the part that will be
 * computed; NULL or all 0: all of the result. `metadata` may be NULL. */
SWATHE_API swathe_status swathe_plan_output(const swathe_plan *plan, const swathe_source *source,
                                            const swathe_rect *region, swathe_shape *shape,
                                            swathe_metadata *metadata);

/* How a file is read. */
typedef struct swathe_read_options {
    size_t struct_size;
    const char *format; /* name or extension; NULL: detected from the content */
    int64_t page;       /* number of the image in the file; 0: 1, the first */
    int32_t orient;     /* 1: rotates the image upright according to its EXIF block, and updates the
                           block; 0: leaves both as they are */
    int64_t max_pixels; /* for formats that must be in memory as a whole; 0: 2^28, and at most
                           2^26 plus 1024 for each byte of the file */
    int64_t max_memory; /* bytes that a codec may allocate; 0: the context's limit, and 48 MiB for
                           data that are compressed by more than 1032 to 1 */
    int64_t max_metadata; /* bytes of one block of metadata; 0: 2^24 */
    int64_t max_spool;    /* bytes of a pipe to copy to a temporary file, if the format is not read
                             from start to end; 0: 2^30 */
    /* If it returns non-zero, the call in progress fails with SWATHE_ERROR_CANCELLED. Called from
     * any thread where a run's progress callback cannot be: while waiting for a pipe, and inside
     * slow codecs. NULL: never cancelled. */
    int32_t (*cancelled)(void *user);
    void *cancel_user;
    /* Standard input that is a pipe: its first bytes, if the caller has read them already, for
     * example in order to recognise a format of its own. At most 2^16; copied by the call. */
    const void *head;
    size_t head_size;
    /* An open source of the same file, or NULL. Its list of pages is used again, so that opening
     * each page of a file takes the same time. */
    const swathe_source *same_file;
} swathe_read_options;

/* How a file is written. `quality`, `lossless`, `subsampling`, `compression` and `tile` are errors
 * for formats that do not support them. */
typedef struct swathe_write_options {
    size_t struct_size;
    const char *format;  /* name or extension; NULL: from the extension of the path */
    int32_t overwrite;   /* 1 replaces an existing file */
    int32_t unsynced;    /* 1: does not sync; the caller must sync before relying on the file. The
                            file still appears only when complete, even if the process is killed. */
    int32_t nofollow;    /* 1: a symbolic link at the path is itself the existing file, and commit
                            replaces the link; 0: replaces the file that it points to */
    int32_t quality;     /* JPEG and WebP, 1..100; 0: that of the source if both are JPEG, otherwise
                            90 */
    int32_t lossless;    /* WebP: 1: lossless; 0: as in the source if both are WebP and `quality` is
                            0 */
    int32_t subsampling; /* JPEG, chroma: 444, 440, 422, 420, 411 or 410; 0: that of the source if
                            both are JPEG, otherwise 420, or 444 above quality 95 */
    const char *compression; /* PNG, TIFF, JPEG: "fast", "default", "small"; TIFF: "none", "lzw",
                                "deflate", "zstd", a level as in "zstd:9"; PNG: "0".."9". NULL: that
                                of the source if both are TIFF and it can be written, otherwise
                                "default" */
    int64_t tile;            /* TIFF: edge of tiles, a multiple of 16; -1: strips; 0: as in the
                                source if both are TIFF, otherwise strips, or tiles for large
                                images */
    int64_t pages;           /* TIFF: approximate number of pages, so that BigTIFF is chosen if
                                offsets may need 64 bits; 0: 1 */
    int64_t max_pixels;      /* as for reading, except that 0 means 2^28 pixels */
    int64_t max_memory;      /* these three: as for reading */
    int64_t max_metadata;
    int32_t (*cancelled)(void *user);
    void *cancel_user;
    struct swathe_tiff_part *tiff_part; /* see unstable.h; NULL: the whole file */
} swathe_write_options;

/* Opens an image file, or standard input if `path` is "-". */
SWATHE_API swathe_status swathe_file_open(swathe_context *context, const char *path,
                                          const swathe_read_options *options,
                                          swathe_source **source);
/* Creates an image file, or writes to standard output if `path` is "-" (`format` is then required).
 * Nothing appears at `path` before swathe_sink_commit; the complete file then appears at once. */
SWATHE_API swathe_status swathe_file_create(swathe_context *context, const char *path,
                                            const swathe_shape *shape,
                                            const swathe_metadata *metadata,
                                            const swathe_write_options *options,
                                            swathe_sink **sink);
/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Where encoded bytes come from if not from a path: an object store, a member of an archive,
 * memory. Formats that are read in parts (TIFF, BMP, PNM, PFM, TGA) request only the bytes that a
 * part needs, and adjacent ranges together. */
typedef struct swathe_reader {
    size_t struct_size;
    void *user;
    int64_t size;          /* total, in bytes */
    uint32_t flags;        /* SWATHE_CONCURRENT: several threads may call at once; 0: any
                              thread, one at a time */
    int64_t request_bytes; /* smaller requests cost as much as this size, so requests are at least
                              this large, except at the end; 2^12 to 2^23, and at most a sixteenth
                              of max_memory; 0: 2^16 */
    const char *name;      /* for messages, where '?' replaces control characters; its extension
                              helps to detect TGA; may be NULL */
    /* Reads up to `count` bytes at `offset` into `buffer`. Fewer are allowed; 0 means the end of
     * the data. `count` is at least 1, and `offset` + `count` at most `size`. */
    swathe_status (*read_at)(void *user, int64_t offset, void *buffer, size_t count, size_t *got);
    void (*destroy)(void *user); /* may be NULL */
} swathe_reader;

/* Where encoded bytes go if not to a path. */
typedef struct swathe_writer {
    size_t struct_size;
    void *user;
    const char *name; /* for messages, where '?' replaces control characters; its extension selects
                         the format if the options do not; may be NULL */
    /* Appends all bytes, or fails. Called by any thread, one at a time. */
    swathe_status (*write)(void *user, const void *bytes, size_t count);
    /* The last call is exactly one of these: `finish` from swathe_sink_commit after all bytes were
     * written, otherwise `abandon`. Either may be NULL. */
    swathe_status (*finish)(void *user);
    void (*abandon)(void *user);
} swathe_writer;

/* Like swathe_file_open, but from a reader, of which it takes ownership: `destroy` is called once,
 * by swathe_source_destroy or if this call fails. The struct and its name are copied. */
SWATHE_API swathe_status swathe_source_open(swathe_context *context, const swathe_reader *reader,
                                            const swathe_read_options *options,
                                            swathe_source **source);
/* Like swathe_file_create, but to a writer, of which it takes ownership: if this call fails, it
 * calls `abandon`. Formats that seek in their output (TIFF, BMP, PFM) collect it in an unnamed
 * temporary file in $TMPDIR, and call `write` only during swathe_sink_commit. */
SWATHE_API swathe_status swathe_sink_create(swathe_context *context, const swathe_writer *writer,
                                            const swathe_shape *shape,
                                            const swathe_metadata *metadata,
                                            const swathe_write_options *options,
                                            swathe_sink **sink);

/* ---- Whole images ---------------------------------------------------------------------------- */

/* The shape of the image that a view shows, or of which it is a part. */
static inline swathe_shape swathe_image_shape(const swathe_image *image)
{
    swathe_shape shape = {0, 0, 0, 0, 0, 0, {0, 0, 0, 0}};
    shape.width = image->full_width ? image->full_width : image->width;
    shape.height = image->full_height ? image->full_height : image->height;
    shape.channels = image->channels;
    shape.type = image->type;
    shape.color = image->color;
    shape.alpha = image->alpha;
    return shape;
}

/* Reads an image file into memory, as interleaved samples; free it with swathe_free(context,
 * image->data). `metadata`, unless NULL, is filled too; its blocks are part of the same allocation.
 * options->max_memory (or the context's) limits the size. */
SWATHE_API swathe_status swathe_load(swathe_context *context, const char *path,
                                     const swathe_read_options *options, swathe_image *image,
                                     swathe_metadata *metadata);
/* The same for a file whose bytes are in memory. */
SWATHE_API swathe_status swathe_load_bytes(swathe_context *context, const void *bytes, size_t size,
                                           const swathe_read_options *options, swathe_image *image,
                                           swathe_metadata *metadata);
/* Writes a view as an image file. `metadata` may be NULL. */
SWATHE_API swathe_status swathe_save(swathe_context *context, const swathe_image *image,
                                     const swathe_metadata *metadata, const char *path,
                                     const swathe_write_options *options);
/* The same to memory; free it with swathe_free. options->format is required. */
SWATHE_API swathe_status swathe_save_bytes(swathe_context *context, const swathe_image *image,
                                           const swathe_metadata *metadata,
                                           const swathe_write_options *options, void **bytes,
                                           size_t *size);
/* Frees memory that the library allocated for the caller; accepts NULL. */
SWATHE_API void swathe_free(swathe_context *context, void *memory);

#ifdef __cplusplus
}
#endif

#endif

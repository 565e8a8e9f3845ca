/*
 * Swathe: encoded images, and images that are not in memory: sources, sinks, files and bytes.
 *
 * A part of swathe.h, which includes it: the rules at its top hold here too.
 */
#ifndef SWATHE_STREAMS_H
#define SWATHE_STREAMS_H

#include "swathe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sources and sinks ----------------------------------------------------------------------- */

/* How a file stores its samples. A source says what its file has; a file that is written in the
 * same format keeps it where the options leave the choice. 0 and NULL: unknown, or does not apply.
 */
typedef struct swathe_encoding {
    size_t struct_size;
    const char *format;      /* the file's, a name from the table */
    const char *compression; /* such as "deflate"; lives as long as the library */
    int32_t quality;         /* JPEG: 1..100, estimated from its tables */
    int32_t subsampling;     /* JPEG, of colour: 444, 440, 422, 420, 411 or 410 */
    int32_t bits;            /* of a stored sample, where these are fewer than the type has */
    int32_t palette;         /* 1: samples were indices into a colour map */
    int32_t planar;          /* TIFF: 1: each channel is stored as a plane of its own */
    int32_t orientation;     /* 1..8, as EXIF counts */
    int64_t tile_width, tile_height; /* TIFF: of its tiles; width 0: rows of its strips */
    uint64_t reserved[4];
} swathe_encoding;

typedef struct swathe_metadata {
    size_t struct_size;
    const void *icc; /* profile, raw */
    size_t icc_size;
    const void *exif; /* TIFF structure, without the "Exif\0\0" that JPEG puts before it */
    size_t exif_size;
    const void *xmp; /* packet, raw */
    size_t xmp_size;
    double x_resolution, y_resolution; /* pixels per metre; 0: unknown */
    const void *geo; /* place on Earth, of TIFF only: GeoTIFF's tags in a TIFF structure */
    size_t geo_size;
    int64_t geo_x, geo_y; /* writing: where in the picture that `geo` is of this one starts */
    const swathe_encoding *encoding; /* may be NULL; lives as long as the source */
} swathe_metadata;

enum {
    SWATHE_FORWARD = 1,   /* full-width rows, from the top, each once */
    SWATHE_CONCURRENT = 2 /* may be called from several threads at once */
};

/* Where pixels come from. Fill your own, or let swathe_file_open make one. */
typedef struct swathe_source {
    size_t struct_size;
    void *user;
    swathe_shape shape;
    uint32_t flags;
    uint32_t reserved0;
    int64_t tile_width, tile_height; /* hint: reading whole tiles is cheapest; 0: any */
    const swathe_metadata *metadata; /* may be NULL; lives as long as the source */
    const char *format;              /* may be NULL */
    /* Fills `into`, whose place and size say which part; any strides, the source's type. */
    swathe_status (*read)(void *user, const swathe_image *into);
    void (*destroy)(void *user); /* may be NULL */
    int64_t pages;               /* pictures in the file, this one included; 0: not known */
    int64_t held_bytes;          /* that it keeps while it is read: the run's limit counts them */
    uint64_t reserved[2];
} swathe_source;

/* Where pixels go. */
typedef struct swathe_sink {
    size_t struct_size;
    void *user;
    swathe_shape shape;
    uint32_t flags;
    uint32_t reserved0;
    /* Parts come in whole tiles; 0: any. With tile_width 0 the height is a hint, cheapest. */
    int64_t tile_width, tile_height;
    const char *format; /* may be NULL */
    /* Takes the part that `from` holds. */
    swathe_status (*write)(void *user, const swathe_image *from);
    swathe_status (*commit)(void *user); /* everything was written; may be NULL */
    void (*destroy)(void *user);         /* without commit: undo; may be NULL */
    /* See swathe_sink_next_page; may be NULL. */
    swathe_status (*next_page)(void *user, const swathe_shape *shape,
                               const swathe_metadata *metadata);
    uint64_t reserved[3];
} swathe_sink;

/* Pulls from a source, pushes to a sink, in bounded memory. Does not commit the sink. */
SWATHE_API swathe_status swathe_run_stream(swathe_context *context, const swathe_plan *plan,
                                           const swathe_source *source, const swathe_sink *sink,
                                           const swathe_run_options *options);

/* What a file of a plan's result has: its shape, and the source's metadata, which still belong to
 * the source, with the place of the result in it. `region` is the part that will be run; NULL or
 * empty: all of the result. `metadata` may be NULL. */
SWATHE_API swathe_status swathe_plan_output(const swathe_plan *plan, const swathe_source *source,
                                            const swathe_rect *region, swathe_shape *shape,
                                            swathe_metadata *metadata);

/* How a file is read. */
typedef struct swathe_read_options {
    size_t struct_size;
    const char *format; /* name from the table; NULL: by content */
    int64_t page;       /* which picture of the file; 0: 1, the first */
    int32_t orient;     /* 1 turns the picture upright as its EXIF block says, and notes that there;
                           0 leaves both as they are */
    int32_t reserved0;
    int64_t max_pixels;   /* for formats that must be whole in memory; 0: 2^28, but at most 2^26
                             plus 1024 for each byte of the file */
    int64_t max_memory;   /* bytes a codec may hold; 0: the context's, and 48 MiB from compressed
                             data that is 1/1032 of that or less */
    int64_t max_metadata; /* bytes of one block of metadata; 0: 2^24 */
    int64_t max_spool;    /* bytes of a pipe to copy to a temporary file, where a format is not read
                             from its start to its end; 0: 2^30 */
    /* Non-zero: the call in progress fails with SWATHE_ERROR_CANCELLED. Asked now and then, from
     * any thread: where a run cannot ask, as while a pipe has nothing to read, and within slow
     * codecs. NULL: never. */
    int32_t (*cancelled)(void *user);
    void *cancel_user;
    uint64_t reserved[4];
} swathe_read_options;

/* How a file is written. `quality`, `lossless`, `subsampling`, `compression` and `tile` are refused
 * by formats that do not take them. */
typedef struct swathe_write_options {
    size_t struct_size;
    const char *format; /* name from the table; NULL: by the path's extension */
    int32_t overwrite;  /* 1 replaces an existing file */
    int32_t unsynced;   /* 1 leaves out the syncs; the caller syncs before relying on the file. It
                           still appears whole, however this process ends. */
    int32_t nofollow;   /* 1 takes a symbolic link at the path for the existing file, and replaces
                           it itself, on commit; 0 replaces the file it points to */
    int32_t quality;    /* JPEG and WebP, 1..100; 0: as in a JPEG that goes to JPEG, else 90 */
    int32_t lossless;   /* WebP: 1: lossless; 0: as in a WebP that goes to WebP, unless `quality` is
                           set */
    int32_t subsampling;     /* JPEG, of colour: 444, 440, 422, 420, 411 or 410; 0: as in a JPEG
                                that goes to JPEG, else 420, or 444 above quality 95 */
    const char *compression; /* PNG, TIFF, JPEG: "fast", "default", "small"; TIFF: "none", "lzw",
                                "deflate", "zstd", a level as in "zstd:9"; PNG: "0".."9". NULL: as
                                in a TIFF that goes to TIFF, where it can be written, else
                                "default" */
    int64_t tile;            /* TIFF: edge of tiles, a multiple of 16; -1: strips; 0: as in a TIFF
                                that goes to TIFF, else strips unless large */
    int64_t pages;           /* TIFF: about how many there will be, so that offsets have 64 bits
                                where they may need them; 0: 1 */
    int64_t max_pixels;      /* these three as for reading, but 0 is 2^28 pixels */
    int64_t max_memory;
    int64_t max_metadata;
    int32_t (*cancelled)(void *user); /* likewise */
    void *cancel_user;
    uint64_t reserved[4];
} swathe_write_options;

/* Opens an image file, or standard input when path is "-". */
SWATHE_API swathe_status swathe_file_open(swathe_context *context, const char *path,
                                          const swathe_read_options *options,
                                          swathe_source **source);
/* Calls its destroy, whoever made it: closes a file that swathe_file_open opened. */
SWATHE_API void swathe_source_destroy(swathe_source *source);

/* Starts an image file, or standard output when path is "-" (then `format` is needed). Nothing
 * appears under `path` before swathe_sink_commit, and then the whole file at once. */
SWATHE_API swathe_status swathe_file_create(swathe_context *context, const char *path,
                                            const swathe_shape *shape,
                                            const swathe_metadata *metadata,
                                            const swathe_write_options *options,
                                            swathe_sink **sink);
/* Everything of a picture was written: starts another in the same file, which only TIFF holds. The
 * sink's shape, tiles and flags are then those of the new one. NULL metadata is none. */
SWATHE_API swathe_status swathe_sink_next_page(swathe_sink *sink, const swathe_shape *shape,
                                               const swathe_metadata *metadata);
/* Everything was written: makes the file appear, complete, under its name. */
SWATHE_API swathe_status swathe_sink_commit(swathe_sink *sink);
/* Discards the file when it was not committed. */
SWATHE_API void swathe_sink_destroy(swathe_sink *sink);

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Where encoded bytes come from when it is not a path: an object of a store, a part of an archive,
 * memory. Formats that are read in parts (TIFF, BMP, PNM, PFM, TGA) ask only for the bytes that a
 * part needs, neighbouring ones at once. */
typedef struct swathe_reader {
    size_t struct_size;
    void *user;
    int64_t size;   /* bytes in all */
    uint32_t flags; /* SWATHE_CONCURRENT: several threads may call at once; 0: one does */
    uint32_t reserved0;
    int64_t request_bytes; /* below this a call costs as much as at it: asked for at least, but at
                              the end; from 2^12 to 2^23; 0: 2^16 */
    const char *name;      /* for messages; its extension tells TGA from noise; may be NULL */
    /* Puts up to `count` bytes from `offset` on into `buffer`; fewer are fine, none means that the
     * bytes end there. `count` is at least 1, and `offset` + `count` at most `size`. */
    swathe_status (*read_at)(void *user, int64_t offset, void *buffer, size_t count, size_t *got);
    void (*destroy)(void *user); /* may be NULL */
    uint64_t reserved[4];
} swathe_reader;

/* Where encoded bytes go when it is not a path. */
typedef struct swathe_writer {
    size_t struct_size;
    void *user;
    const char *name; /* for messages; its extension names the format if options do not; may be
                         NULL */
    /* Takes the bytes that follow those before; all of them, or it fails. Never called by two
     * threads at once. */
    swathe_status (*write)(void *user, const void *bytes, size_t count);
    /* Exactly one of these is called, once, as the last call: finish by swathe_sink_commit, when
     * all bytes were written; abandon when that will not happen. Either may be NULL. */
    swathe_status (*finish)(void *user);
    void (*abandon)(void *user);
    uint64_t reserved[4];
} swathe_writer;

/* As swathe_file_open, from a reader. It takes the reader over: destroy is called once, by
 * swathe_source_destroy or when this call fails. The struct and its name are copied. */
SWATHE_API swathe_status swathe_source_open(swathe_context *context, const swathe_reader *reader,
                                            const swathe_read_options *options,
                                            swathe_source **source);
/* As swathe_file_create, to a writer, which it takes over: where this call fails it calls abandon.
 * Formats that go back in what they have written (TIFF, BMP, PFM) collect it in a temporary file
 * without a name in $TMPDIR, and call write from swathe_sink_commit on. */
SWATHE_API swathe_status swathe_sink_create(swathe_context *context, const swathe_writer *writer,
                                            const swathe_shape *shape,
                                            const swathe_metadata *metadata,
                                            const swathe_write_options *options,
                                            swathe_sink **sink);

/* A reader of memory, which stays the caller's and must outlive the source. */
SWATHE_API swathe_status swathe_reader_memory(const void *bytes, size_t size,
                                              swathe_reader *reader);
/* A writer to memory: finish puts there what was written, for swathe_free, and its size; without
 * finish both stay as they are. */
SWATHE_API swathe_status swathe_writer_memory(swathe_context *context, void **bytes, size_t *size,
                                              swathe_writer *writer);

/* ---- Whole images ---------------------------------------------------------------------------- */

/* Reads an image file into memory for swathe_free(context, image->data), as interleaved samples.
 * `metadata`, unless NULL, is filled too; its blocks lie in the same memory. options->max_memory
 * (or the context's) limits the size. */
SWATHE_API swathe_status swathe_load(swathe_context *context, const char *path,
                                     const swathe_read_options *options, swathe_image *image,
                                     swathe_metadata *metadata);
/* The same from the bytes of a file. */
SWATHE_API swathe_status swathe_load_bytes(swathe_context *context, const void *bytes, size_t size,
                                           const swathe_read_options *options, swathe_image *image,
                                           swathe_metadata *metadata);
/* Writes a view as an image file. `metadata` may be NULL. */
SWATHE_API swathe_status swathe_save(swathe_context *context, const swathe_image *image,
                                     const swathe_metadata *metadata, const char *path,
                                     const swathe_write_options *options);
/* The same to memory, for swathe_free. options->format is needed. */
SWATHE_API swathe_status swathe_save_bytes(swathe_context *context, const swathe_image *image,
                                           const swathe_metadata *metadata,
                                           const swathe_write_options *options, void **bytes,
                                           size_t *size);
/* Frees what the library allocated for the caller; accepts NULL. */
SWATHE_API void swathe_free(swathe_context *context, void *memory);

typedef struct swathe_difference {
    size_t struct_size;
    int32_t equal;      /* same size, channels and samples (type may differ) */
    int32_t comparable; /* 0: sizes or channels differ, nothing below is filled */
    int64_t samples;    /* that differ */
    double maximum;     /* largest |a − b|; infinity where only one is finite */
    int64_t x, y;       /* where */
    int32_t channel;
    int32_t reserved0;
    double psnr; /* dB, peak of the wider type (1 for floats); infinity when equal */
    double mean; /* mean |a − b| */
    uint64_t reserved[4];
} swathe_difference;

/* Compares two images of any size, in bounded memory. Two NaNs are equal. */
SWATHE_API swathe_status swathe_compare(swathe_context *context, const swathe_source *a,
                                        const swathe_source *b, swathe_difference *difference);

#ifdef __cplusplus
}
#endif

#endif

/* Swathe: functions that our own programs need, or that are too new to promise. They may change or
 * disappear in any version, unlike swathe.h and streams.h. The rules at the top of swathe.h apply
 * here too. */
#ifndef SWATHE_UNSTABLE_H
#define SWATHE_UNSTABLE_H

#include "swathe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Plans as text --------------------------------------------------------------------------- */

/* Sets the field `name` of options from text, as commands and problem strings have it: "border"
 * from "constant(7)", "values" from "fit(0..4095)", "type" from "u8" and so on; "border_value" and
 * both limits of "values" are set with these. Texts are not copied: fields that are texts refer to
 * `text`. */
SWATHE_API swathe_status swathe_plan_options_set(swathe_plan_options *options, const char *name,
                                                 const char *text);

enum {
    SWATHE_TEXT_PROBLEM = 2 /* for swathe_plan_text: one line that swathe_plan_parse reads */
};

/* Creates a plan from one line that swathe_plan_text(SWATHE_TEXT_PROBLEM) printed. Fails for lines
 * of another contract. */
SWATHE_API swathe_status swathe_plan_parse(swathe_context *context, const char *problem,
                                           swathe_plan **plan);
/* ---- Tuning ---------------------------------------------------------------------------------- */

/* A plan uses the algorithms that are predicted to be the fastest. The rates for the prediction are
 * built in, or were measured on this machine and stored in a file as "wisdom". Wisdom of another
 * version or another CPU, or a damaged file, is not used. Wisdom never changes integer or exact
 * results. Float results without `exact` may change, within their error bound. */

typedef struct swathe_tune_options {
    size_t struct_size;
    const char *isa; /* instruction set to measure for; NULL: the best */
} swathe_tune_options;

/* Measures all algorithms, which takes about five seconds, and replaces the wisdom file atomically.
 * Plans created later with this context use it. */
SWATHE_API swathe_status swathe_tune(swathe_context *context, const swathe_tune_options *options);

/* Describes the wisdom in use and its rates, or the reason why none is used, as SWATHE_TEXT_PEOPLE
 * or SWATHE_TEXT_JSON; `text`, `size` and `needed` as in swathe_chain_text. */
SWATHE_API swathe_status swathe_tune_text(swathe_context *context, swathe_text format, char *text,
                                          size_t size, size_t *needed);

/* ---- GPUs ------------------------------------------------------------------------------------ */

/* Stores whether a GPU passed a check such as `swathe devices --check`; the device "auto" uses only
 * GPUs that did. A GPU that passed is measured, which takes about a second, and recorded in
 * swathe/devices in the user's cache directory. The record is valid until a check fails or the
 * version of Swathe changes. SWATHE_ERROR_UNSUPPORTED if the device is not a GPU. */
SWATHE_API swathe_status swathe_device_remember(swathe_context *context, const char *device,
                                                int32_t passed);

/* What a device can do at most, measured on it by a copy in its memory and a loop of fused
 * multiply-adds, with its own clock. */
typedef struct swathe_device_peaks {
    size_t struct_size;
    double copy_gbs;   /* 10^9 bytes per second, read and written; both count */
    double fma_gflops; /* 10^9 operations of f32 per second; a multiply-add counts as two */
} swathe_device_peaks;

/* Takes about a second. `device` is not cpu or auto. */
SWATHE_API swathe_status swathe_device_measure(swathe_context *context, const char *device,
                                               swathe_device_peaks *peaks);

/* Copies to and from GPUs, of plans that the context creates from now on: 0, through page-locked
 * memory of the driver (the default); 1, through pageable memory, for comparison. */
SWATHE_API void swathe_context_pageable(swathe_context *context, int32_t pageable);

/* swathe_plan_options.arithmetic is "contract", "report-001" (s16) or "report-002" (f32): the sums
 * of programs that reports describe, so that they can be repeated (docs/numerics.md). Dense masks
 * have them with a `strategy` of a GPU, or with algorithm "reference", their definition. */

/* The time of a run on a GPU by phase, in seconds of the host's clock, summed over threads.
 * Measuring makes the run slower: for every part of the image, a thread waits for the device after
 * the copies to it, after all launches of all stages, and after the copy back. So phases of one
 * thread do not overlap, and the times include the latency of copies and launches; two threads
 * still overlap each other. Not included are reading and writing of a stream, and compilation,
 * which is part of planning. On the CPU all times are 0. If a device chosen by "auto" fails and the
 * CPU takes over, they are the times before the failure. */
typedef struct swathe_run_times {
    size_t struct_size;
    double gather;      /* collecting rows of the source for the copy, including rows of the
                           opposite edge that a border reads from a stream; nothing if the source is
                           in memory as a strategy copies it */
    double upload;      /* copies to the device, including the computation of border tables */
    double kernels;     /* all launches, from the start of the first to the end of the last */
    double download;    /* the copy back */
    double scatter;     /* copying rows to the destination; nothing as with `gather` */
    int64_t launches;   /* of kernels */
    int64_t bytes_up;   /* of samples and of border tables; for strategy best in rows padded to 64
                           bytes */
    int64_t bytes_down; /* of samples, likewise */
    double allocate;    /* queues and buffers, on the device and for copies */
    double release;     /* the same memory */
    double launched;    /* of `kernels`, the launches alone, by the device's own clock */
} swathe_run_times;

/* ---- Files ----------------------------------------------------------------------------------- */

/* Finds the type in which a file can store a result of this shape: the shape's own if the format
 * holds it. Otherwise the widest unsigned integer type, not wider than the shape's own, that the
 * format holds, if the numbers may be scaled to it: from another unsigned type if `values` is the
 * default, from any type if it is SWATHE_VALUES_SCALE or _FIT, then also to another type if the
 * format holds none of these. Otherwise the shape's own, which
 * swathe_file_create refuses. Plan with this type. `path` is as in swathe_file_create; of `options`
 * only `format` is used. */
SWATHE_API swathe_status swathe_file_type(const char *path, const swathe_write_options *options,
                                          const swathe_shape *shape, swathe_values values,
                                          swathe_type *type);
/* A part of a tiled TIFF that several sinks write, for example on several machines: some tiles, or
 * the file without its tiles. The complete file is the first `prefix_bytes` of the latter, all
 * tiles in order, and the remaining bytes of the latter. It has the same bytes as a file that one
 * sink writes with the same shape, metadata and options.
 *
 * Tiles are numbered from 0 in the order of the file: column by column, each column from top to
 * bottom, and row by row within a column. An image whose rows of tiles have at most 32 MiB is one
 * column. The order depends on the shape of the image, its type and the size of tiles alone. */
typedef struct swathe_tiff_part {
    size_t struct_size;
    /* Which tiles: whole rows of one column, or tiles of one such row. The sink takes the pixels of
     * `region` alone, and the output consists of their compressed tiles in order. If both are 0,
     * the sink takes no pixels, and the output is the file without its tiles. */
    int64_t first, count;
    /* Sizes in bytes: `planes` numbers for each tile. A sink of tiles fills them until it is
     * committed. Before the other sink is committed, the caller sets those of all tiles of the
     * image. This list and the struct must remain valid until the sink is destroyed. */
    int64_t *sizes;
    /* Filled when the sink is created: */
    int64_t tiles, tile_rows; /* number of tiles in the image, and of rows of tiles */
    int64_t column_tiles;     /* tiles side by side in a column; the last column may have fewer.
                                 Column c starts with tile c * column_tiles * tile_rows */
    int64_t planes;           /* 1, or the number of channels if each is stored separately */
    swathe_rect region;       /* the pixels of the tiles, for swathe_run_options */
    int64_t prefix_bytes;     /* only if `count` is 0: bytes of the file before the first tile */
} swathe_tiff_part;

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Initialises a reader of memory. The memory still belongs to the caller and must outlive the
 * source. */
SWATHE_API swathe_status swathe_reader_memory(const void *bytes, size_t size,
                                              swathe_reader *reader);
/* Initialises a writer to memory. `finish` stores the address and size of the bytes written in
 * *bytes and *size; free them with swathe_free. Without `finish` both remain unchanged. */
SWATHE_API swathe_status swathe_writer_memory(swathe_context *context, void **bytes, size_t *size,
                                              swathe_writer *writer);
/* Initialises a writer to a file, or to standard output if `path` is "-", for bytes of any kind.
 * Nothing appears at `path` before `finish`; the complete file then appears at once. A pipe gets
 * the bytes of each `write` at once. Of `options`, `overwrite`, `unsynced`, `nofollow` and
 * `cancelled` are used. */
SWATHE_API swathe_status swathe_writer_file(swathe_context *context, const char *path,
                                            const swathe_write_options *options,
                                            swathe_writer *writer);

/* ---- Comparison ------------------------------------------------------------------------------ */

typedef struct swathe_difference {
    size_t struct_size;
    int32_t equal;      /* same size, channels and samples (type may differ) */
    int32_t comparable; /* 0: sizes or channels differ; the fields below are not filled */
    int64_t samples;    /* number of samples that differ */
    double maximum;     /* largest |a − b|; infinity if only one of a and b is finite */
    int64_t x, y;       /* position of the largest difference, and its channel */
    int32_t channel;
    double psnr; /* dB, relative to the peak of the wider type (1 for floats); infinity if equal */
    double mean; /* mean |a − b| */
} swathe_difference;

/* Compares two images of any size, in bounded memory. Two NaNs are equal. */
SWATHE_API swathe_status swathe_compare(swathe_context *context, const swathe_source *a,
                                        const swathe_source *b, swathe_difference *difference);

#ifdef __cplusplus
}
#endif

#endif

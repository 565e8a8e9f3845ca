/* Helpers of the file tests: images with every kind of strides, patterns, whole files. */
#ifndef SWATHE_TESTS_IO_CHECK_H
#define SWATHE_TESTS_IO_CHECK_H

#include "../core/guarded.h"
#include "image/view.h"
#include "io/codec.h"
#include "io/file.h"

/* The memory layout of a test image. Its last byte is next to an unreadable page. */
enum io_strides { IO_DENSE, IO_PADDED, IO_PLANAR, IO_FLIPPED, IO_SPREAD, IO_STRIDES_COUNT };
const char *io_strides_name(enum io_strides strides);

struct io_image {
    swathe_image view;
    struct guarded memory;
};

/* Grey or RGB, by the number of channels; alpha is last if the number is even. */
swathe_shape io_shape(int64_t width, int64_t height, int32_t channels, swathe_type type);
/* Ends the program if it is out of memory. */
struct io_image io_image_make(const swathe_shape *shape, enum io_strides strides);
void io_image_free(struct io_image *image);

/* Any bits (floats: also NaN and infinity), or smooth gradients that lossy formats preserve. */
void io_fill_noise(const swathe_image *image, uint32_t seed);
void io_fill_smooth(const swathe_image *image, uint32_t seed);

/* True if samples of `got` differ from `want` by at most `tolerance`; formats without grey may
 * return RGB. Otherwise false, with the first difference as text. */
bool io_equal(const swathe_image *want, const swathe_image *got, double tolerance, char *text,
              size_t size);

/* Writes in strips of about `rows` rows (0: all at once) and commits. If that succeeds, the image
 * is also written to memory and through callbacks, which must give the same bytes. */
swathe_status io_write(const char *path, const swathe_image *image, const swathe_metadata *metadata,
                       const swathe_write_options *options, int64_t rows);
/* Reads the whole image in strips; the image is allocated on success. The file's bytes are then
 * read from memory and through callbacks, with the same samples or the same failure. */
swathe_status io_read(const char *path, const swathe_read_options *options, enum io_strides strides,
                      int64_t rows, struct io_image *image);
/* Disables or enables all ways except paths. */
void io_only_paths(bool only);
/* Like io_read, from an open source. */
swathe_status io_read_source(const swathe_source *source, enum io_strides strides, int64_t rows,
                             struct io_image *image);

/* The options of a codec with the least loss, and the tolerance of its samples with them. */
swathe_write_options io_faithful(const struct codec *codec);
double io_tolerance(const struct codec *codec);

/* A new directory for this process; io_folder_remove removes it with all its files. */
const char *io_folder(void);
void io_folder_remove(void);
/* A path in that directory. The text is valid until the fourth following call. */
const char *io_path(const char *name);
/* The number of entries in a directory, including hidden ones. */
int io_count_files(const char *folder);

/* Whole files of bytes. */
uint8_t *io_load(const char *path, size_t *size);
void io_save(const char *path, const void *bytes, size_t size);
/* True if both can be read and have the same bytes. */
bool io_same_files(const char *a, const char *b);

/* Repeatable random numbers. */
uint32_t io_random(uint64_t *state);

/* Counts a check and prints the text if it failed. Returns `held`. */
bool io_check(bool held, const char *format, ...) PRINTF_LIKE(2, 3);
/* Does the last failure contain this, as "text [subject needed]"? */
bool io_said(const char *part);
/* Prints the counts; returns the program's exit status. */
int io_finish(const char *test);
int io_failures(void);

#endif

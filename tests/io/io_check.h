/* What the tests of files share: images with every kind of strides, patterns, whole files. */
#ifndef SWATHE_TESTS_IO_CHECK_H
#define SWATHE_TESTS_IO_CHECK_H

#include "image/view.h"
#include "io/codec.h"
#include "io/file.h"

/* How the samples of a test image lie in memory. Its last byte touches an unreadable page. */
enum io_strides { IO_DENSE, IO_PADDED, IO_PLANAR, IO_FLIPPED, IO_SPREAD, IO_STRIDES_COUNT };
const char *io_strides_name(enum io_strides strides);

struct io_image {
    swathe_image view;
    void *pages;
    size_t bytes;
};

/* Grey or RGB by the number of channels, alpha last where the number is even. */
swathe_shape io_shape(int64_t width, int64_t height, int32_t channels, swathe_type type);
/* Ends the program when there is no memory. */
struct io_image io_image_make(const swathe_shape *shape, enum io_strides strides);
void io_image_free(struct io_image *image);

/* Any bits (floats: NaN and infinity too), or gentle slopes that lossy formats keep. */
void io_fill_noise(const swathe_image *image, uint32_t seed);
void io_fill_smooth(const swathe_image *image, uint32_t seed);

/* Samples of `got` as far from `want` as `tolerance` at most; formats that know no grey may answer
 * with RGB. Else false, and the first difference as text. */
bool io_equal(const swathe_image *want, const swathe_image *got, double tolerance, char *text,
              size_t size);

/* Writes in strips of about `rows` rows (0: all at once) and commits. What succeeds is written to
 * memory and through callbacks, too, and must have the same bytes. */
swathe_status io_write(const char *path, const swathe_image *image, const swathe_metadata *metadata,
                       const swathe_write_options *options, int64_t rows);
/* Reads the whole image in strips; the image is made on success. The file's bytes are then read
 * from memory and through callbacks: the same samples, or the same failure. */
swathe_status io_read(const char *path, const swathe_read_options *options, enum io_strides strides,
                      int64_t rows, struct io_image *image);
/* Turns the other ways than the path off, or on again. */
void io_only_paths(bool only);
/* The same as io_read from a source that is open already. */
swathe_status io_read_source(const swathe_source *source, enum io_strides strides, int64_t rows,
                             struct io_image *image);

/* Options for a codec's most faithful files, and how far its samples may be off then. */
swathe_write_options io_faithful(const struct codec *codec);
double io_tolerance(const struct codec *codec);

/* A fresh folder for this process, removed with everything in it by io_folder_remove. */
const char *io_folder(void);
void io_folder_remove(void);
/* A path in it. The text lives until the fourth call from now. */
const char *io_path(const char *name);
/* The number of entries in a folder, hidden ones too. */
int io_count_files(const char *folder);

/* Whole files of bytes. */
uint8_t *io_load(const char *path, size_t *size);
void io_save(const char *path, const void *bytes, size_t size);
/* Both can be read, and have the same bytes. */
bool io_same_files(const char *a, const char *b);

/* Repeatable random numbers. */
uint32_t io_random(uint64_t *state);

/* Counts a check; a failed one is printed with its text. True when it held. */
bool io_check(bool held, const char *format, ...) PRINTF_LIKE(2, 3);
/* Does the last failure contain this, as "text [subject needed]"? */
bool io_said(const char *part);
/* Prints the counts; the program's exit status. */
int io_finish(const char *test);
int io_failures(void);

#endif

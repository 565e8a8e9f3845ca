/* Every allocation fails once, then all from there on, while a TIFF file is written and read,
 * including those of libtiff and the libraries below it: out of memory each time, or the same
 * bytes. The C library's allocator is replaced by a counting one. */
#include "io_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t align, size_t size);

static int64_t calls, at;   /* `at` 0: none fails */
static bool forever, noisy; /* `noisy`: errno is set although nothing fails */

static bool fails(void)
{
    calls++;
    if (noisy)
        errno = ENOMEM;
    if (!at || !(calls == at || (forever && calls > at)))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return size > 0 && fails() ? NULL : __libc_realloc(block, size);
}

int posix_memalign(void **block, size_t align, size_t size)
{
    if (fails())
        return ENOMEM;
    *block = __libc_memalign(align, size);
    return *block ? 0 : ENOMEM;
}

struct kind {
    swathe_type type;
    int32_t channels;
    const char *compression;
    int64_t tile;
};

static swathe_status write_file(const struct kind *kind, const char *name,
                                const swathe_image *image)
{
    swathe_shape shape = view_shape(image);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    swathe_sink *sink;
    options.overwrite = options.unsynced = 1;
    options.compression = kind->compression;
    options.tile = kind->tile;
    TRY(file_create(&memory_default, 1 << 28, io_path(name), &shape, NULL, &options, &sink));
    swathe_status status = sink->write(sink->user, image);
    if (status == SWATHE_OK)
        status = file_next_page(sink, &shape, NULL);
    if (status == SWATHE_OK)
        status = sink->write(sink->user, image);
    if (status == SWATHE_OK)
        status = file_commit(sink);
    file_discard(sink);
    return status;
}

static swathe_status read_file(const swathe_image *into)
{
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    swathe_source *source;
    options.page = 2;
    TRY(file_open(&memory_default, 1 << 28, io_path("out_of_memory.tif"), &options, &source));
    swathe_status status = source->read(source->user, into);
    file_close(source);
    return status;
}

static void check_write(const struct kind *kind, const swathe_image *image)
{
    io_check(write_file(kind, "right.tif", image) == SWATHE_OK, "%s: %s", kind->compression,
             fail_text());
    for (int64_t n = 1;; n++) {
        unlink(io_path("out_of_memory.tif"));
        calls = 0;
        at = n;
        swathe_status status = write_file(kind, "out_of_memory.tif", image);
        bool done = calls < n;
        at = 0;
        io_check(status == SWATHE_OK || (status == SWATHE_ERROR_MEMORY &&
                                         access(io_path("out_of_memory.tif"), F_OK) != 0),
                 "%s, writing, allocation %d: status %d, %s", kind->compression, (int)n,
                 (int)status, fail_text());
        io_check(status != SWATHE_OK ||
                     io_same_files(io_path("out_of_memory.tif"), io_path("right.tif")),
                 "%s, writing, allocation %d: other bytes", kind->compression, (int)n);
        if (done)
            break;
    }
}

static void check_read(const struct kind *kind, const swathe_image *image)
{
    swathe_shape shape = view_shape(image);
    struct io_image read = io_image_make(&shape, IO_DENSE);
    size_t bytes = (size_t)(image->row_stride * image->height);
    for (int64_t n = 1;; n++) {
        calls = 0;
        at = n;
        swathe_status status = read_file(&read.view);
        bool done = calls < n;
        at = 0;
        io_check(status == SWATHE_OK || status == SWATHE_ERROR_MEMORY,
                 "%s, reading, allocation %d: status %d, %s", kind->compression, (int)n,
                 (int)status, fail_text());
        io_check(status != SWATHE_OK || memcmp(image->data, read.view.data, bytes) == 0,
                 "%s, reading, allocation %d: other samples", kind->compression, (int)n);
        if (done)
            break;
    }
    io_image_free(&read);
}

/* The C library may set errno while an allocation succeeds, when an arena is full for example. The
 * first rows are written and read without that, so that the codecs are open. */
static void check_noise(const struct kind *kind, const swathe_image *image)
{
    swathe_shape shape = view_shape(image);
    struct io_image read = io_image_make(&shape, IO_DENSE);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    swathe_rect halves[] = {{0, 0, image->width, 16}, {0, 16, image->width, image->height - 16}};
    swathe_image part;
    swathe_sink *sink;
    swathe_source *source;
    swathe_status status = SWATHE_OK;
    options.overwrite = options.unsynced = 1;
    options.compression = kind->compression;
    options.tile = 16;
    io_check(file_create(&memory_default, 1 << 28, io_path("noise.tif"), &shape, NULL, &options,
                         &sink) == SWATHE_OK,
             "%s", fail_text());
    for (int i = 0; i < 2 && status == SWATHE_OK; i++) {
        view_crop(image, &halves[i], &part);
        noisy = i == 1;
        status = sink->write(sink->user, &part);
    }
    noisy = false;
    io_check(status == SWATHE_OK && file_commit(sink) == SWATHE_OK,
             "%s, writing with errno set: %s", kind->compression, fail_text());
    file_discard(sink);
    io_check(file_open(&memory_default, 1 << 28, io_path("noise.tif"), NULL, &source) == SWATHE_OK,
             "%s", fail_text());
    for (int i = 0; i < 2 && status == SWATHE_OK; i++) {
        view_crop(&read.view, &halves[i], &part);
        noisy = i == 1;
        status = source->read(source->user, &part);
    }
    noisy = false;
    io_check(status == SWATHE_OK && memcmp(image->data, read.view.data,
                                           (size_t)(image->row_stride * image->height)) == 0,
             "%s, reading with errno set: %s", kind->compression, fail_text());
    file_close(source);
    io_image_free(&read);
}

int main(void)
{
    static const struct kind kinds[] = {
        {SWATHE_F32, 3, "deflate", 0}, {SWATHE_U8, 3, "deflate", 16}, {SWATHE_U8, 3, "lzw", 0},
        {SWATHE_U16, 1, "zstd", 16},   {SWATHE_S16, 2, "none", 0},    {SWATHE_F64, 3, "deflate", 0},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int all = 0; all < 2; all++) {
            swathe_shape shape = io_shape(40, 30, kinds[i].channels, kinds[i].type);
            struct io_image image = io_image_make(&shape, IO_DENSE);
            io_fill_noise(&image.view, 1);
            forever = all;
            check_write(&kinds[i], &image.view);
            check_read(&kinds[i], &image.view);
            check_noise(&kinds[i], &image.view);
            io_image_free(&image);
        }
    io_folder_remove();
    return io_finish("tiff_out_of_memory");
}

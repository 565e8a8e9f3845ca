#include "io_check.h"

#include "base/os_machine.h"
#include "base/os_path.h"
#include "io/bytes/in_memory.h"
#include "io_ways.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Counting ------------------------------------------------------------------------------- */

static int checks, failures;
enum { PRINTED_MOST = 20 };

bool io_check(bool held, const char *format, ...)
{
    checks++;
    if (held)
        return true;
    if (++failures <= PRINTED_MOST) {
        va_list args;
        va_start(args, format);
        printf("FAILED: ");
        vprintf(format, args);
        printf("\n");
        va_end(args);
    }
    return false;
}

bool io_said(const char *part)
{
    char all[ERROR_TEXT_SIZE + 64];
    const struct failure *last = fail_last();
    snprintf(all, sizeof all, "%s [%s %" PRId64 "]", last->text, last->subject, last->needed);
    return strstr(all, part) != NULL;
}

int io_finish(const char *test)
{
    printf("%s: %d checks, %d failed\n", test, checks, failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

int io_failures(void)
{
    return failures;
}

uint32_t io_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* ---- Images --------------------------------------------------------------------------------- */

const char *io_strides_name(enum io_strides strides)
{
    static const char *const names[] = {"dense", "padded", "planar", "flipped", "spread"};
    return names[strides];
}

swathe_shape io_shape(int64_t width, int64_t height, int32_t channels, swathe_type type)
{
    swathe_shape shape = {0};
    shape.width = width;
    shape.height = height;
    shape.channels = channels;
    shape.type = type;
    shape.color = channels <= 2   ? SWATHE_COLOR_GREY
                  : channels <= 4 ? SWATHE_COLOR_RGB
                                  : SWATHE_COLOR_UNKNOWN;
    shape.alpha = channels == 2 || channels == 4 ? channels : 0;
    return shape;
}

static void set_strides(const swathe_shape *shape, enum io_strides strides, swathe_image *view)
{
    int64_t size = sample_size(shape->type);
    if (strides == IO_SPREAD) {
        view->pixel_stride += 2 * size;
        view->row_stride = view->pixel_stride * shape->width;
    }
    if (strides == IO_PADDED || strides == IO_FLIPPED)
        view->row_stride += 3 * size;
}

struct io_image io_image_make(const swathe_shape *shape, enum io_strides strides)
{
    struct io_image image = {0};
    swathe_layout layout = strides == IO_PLANAR ? SWATHE_PLANAR : SWATHE_INTERLEAVED;
    if (view_init(shape, layout, &image, &image.view) != SWATHE_OK)
        exit(EXIT_FAILURE);
    set_strides(shape, strides, &image.view);
    size_t samples = strides == IO_PLANAR ? (size_t)(image.view.channel_stride * shape->channels)
                                          : (size_t)(image.view.row_stride * shape->height);
    image.memory = guarded_new(samples);
    image.view.data = image.memory.end - samples;
    if (strides == IO_FLIPPED) {
        image.view.data = (char *)image.view.data + (shape->height - 1) * image.view.row_stride;
        image.view.row_stride = -image.view.row_stride;
    }
    return image;
}

void io_image_free(struct io_image *image)
{
    if (image->memory.start)
        guarded_free(&image->memory);
    image->memory.start = NULL;
}

static void *at(const swathe_image *image, int64_t x, int64_t y, int32_t c)
{
    return view_at(image, image->x + x, image->y + y, c);
}

void io_fill_noise(const swathe_image *image, uint32_t seed)
{
    uint64_t state = seed;
    for (int64_t y = 0; y < image->height; y++)
        for (int64_t x = 0; x < image->width; x++)
            for (int32_t c = 0; c < image->channels; c++) {
                uint64_t bits = io_random(&state) ^ (uint64_t)io_random(&state) << 16;
                bits ^= (uint64_t)io_random(&state) << 33;
                memcpy(at(image, x, y, c), &bits, (size_t)sample_size(image->type));
            }
}

void io_fill_smooth(const swathe_image *image, uint32_t seed)
{
    const struct sample_entry *entry = sample_entry(image->type);
    double low = sample_is_float(image->type) ? 0 : entry->lowest;
    double high = sample_is_float(image->type) ? 1 : entry->highest;
    for (int64_t y = 0; y < image->height; y++)
        for (int64_t x = 0; x < image->width; x++)
            for (int32_t c = 0; c < image->channels; c++) {
                double wave = 0.5 + 0.3 * sin((double)(x + 2 * y + seed) / 23 + 0.1 * c);
                sample_store(at(image, x, y, c), image->type, low + (high - low) * wave);
            }
}

/* The channel of the original that corresponds to a channel of the result: grey may be read back as
 * RGB. */
static int32_t channel_of(const swathe_image *want, const swathe_image *got, int32_t c)
{
    if (want->channels == got->channels)
        return c;
    return c == 3 ? want->channels - 1 : 0;
}

/* Without a tolerance all bits count, those of NaN and the sign of 0, too. */
static bool differ(const void *a, const void *b, swathe_type type, double tolerance)
{
    double x = sample_load(a, type), y = sample_load(b, type);
    if (tolerance == 0)
        return memcmp(a, b, (size_t)sample_size(type)) != 0;
    return !(fabs(x - y) <= tolerance);
}

bool io_equal(const swathe_image *want, const swathe_image *got, double tolerance, char *text,
              size_t size)
{
    bool expanded = want->channels <= 2 && got->channels == want->channels + 2;
    if (want->width != got->width || want->height != got->height || want->type != got->type ||
        (want->channels != got->channels && !expanded)) {
        snprintf(text, size, "shape %dx%dx%d of type %d instead of %dx%dx%d of type %d",
                 (int)got->width, (int)got->height, got->channels, (int)got->type, (int)want->width,
                 (int)want->height, want->channels, (int)want->type);
        return false;
    }
    for (int64_t y = 0; y < got->height; y++)
        for (int64_t x = 0; x < got->width; x++)
            for (int32_t c = 0; c < got->channels; c++) {
                const void *a = at(want, x, y, channel_of(want, got, c)), *b = at(got, x, y, c);
                if (!differ(a, b, got->type, tolerance))
                    continue;
                snprintf(text, size, "at %d,%d channel %d: %.17g instead of %.17g", (int)x, (int)y,
                         c, sample_load(b, got->type), sample_load(a, got->type));
                return false;
            }
    return true;
}

/* ---- Whole images through files ------------------------------------------------------------- */

static int64_t strip_height(int64_t rows, int64_t tile, int64_t height)
{
    if (rows <= 0 || rows > height)
        rows = height;
    return tile > 0 ? (rows + tile - 1) / tile * tile : rows;
}

static swathe_image strip_of(const swathe_image *image, int64_t y, int64_t rows)
{
    swathe_rect rect = {0, y, image->width, rows < image->height - y ? rows : image->height - y};
    swathe_image strip = *image;
    if (view_crop(image, &rect, &strip) != SWATHE_OK)
        exit(EXIT_FAILURE);
    return strip;
}

static swathe_status write_strips(swathe_sink *sink, const swathe_image *image, int64_t rows)
{
    int64_t tile = sink->tile_width > 0 ? sink->tile_height : 0; /* otherwise it is only a hint */
    int64_t step = strip_height(rows, tile, image->height);
    for (int64_t y = 0; y < image->height; y += step) {
        swathe_image strip = strip_of(image, y, step);
        TRY(sink->write(sink->user, &strip));
    }
    return file_commit(sink);
}

enum { FREE_MEMORY = 1 << 28 };

static bool only_paths;

void io_only_paths(bool only)
{
    only_paths = only;
}

static swathe_status write_sink(swathe_sink *sink, const swathe_image *image, int64_t rows)
{
    swathe_status status = write_strips(sink, image, rows);
    file_discard(sink);
    return status;
}

static swathe_status write_memory(const swathe_image *image, const swathe_shape *shape,
                                  const swathe_metadata *metadata,
                                  const swathe_write_options *options, int64_t rows, void **bytes,
                                  size_t *size)
{
    swathe_sink *sink;
    swathe_writer writer;
    TRY(bytes_writer(&memory_default, bytes, size, &writer));
    TRY(file_create_writer(&memory_default, FREE_MEMORY, &writer, shape, metadata, options, &sink));
    return write_sink(sink, image, rows);
}

static swathe_status write_callback(const swathe_image *image, const swathe_shape *shape,
                                    const swathe_metadata *metadata,
                                    const swathe_write_options *options, int64_t rows,
                                    struct io_callback *callback)
{
    swathe_sink *sink;
    swathe_writer writer = io_callback_writer(callback, NULL);
    TRY(file_create_writer(&memory_default, FREE_MEMORY, &writer, shape, metadata, options, &sink));
    return write_sink(sink, image, rows);
}

/* Checks that the file at `path` equals the output of the other ways to write the image. */
static void check_other_writers(const char *path, const swathe_image *image,
                                const swathe_shape *shape, const swathe_metadata *metadata,
                                const swathe_write_options *given, int64_t rows)
{
    struct io_callback callback = {0};
    size_t wanted_size, size = 0;
    void *bytes = NULL;
    const struct codec *codec = codec_for_path(path);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    if (given)
        options = *given;
    if (!options.format && codec)
        options.format = codec->name;
    uint8_t *wanted = io_load(path, &wanted_size);
    swathe_status status = write_memory(image, shape, metadata, &options, rows, &bytes, &size);
    io_check(status == SWATHE_OK && size == wanted_size && memcmp(wanted, bytes, size) == 0,
             "%s: other bytes in memory: %d, %zu of %zu", path, (int)status, size, wanted_size);
    memory_free(&memory_default, bytes);
    status = write_callback(image, shape, metadata, &options, rows, &callback);
    io_check(status == SWATHE_OK && callback.size == wanted_size &&
                 memcmp(wanted, callback.bytes, wanted_size) == 0 && callback.finished == 1 &&
                 callback.abandoned == 0,
             "%s: other bytes through callbacks: %d, %zu of %zu", path, (int)status, callback.size,
             wanted_size);
    free(callback.bytes);
    free(wanted);
}

swathe_status io_write(const char *path, const swathe_image *image, const swathe_metadata *metadata,
                       const swathe_write_options *options, int64_t rows)
{
    swathe_shape shape = view_shape(image);
    swathe_sink *sink;
    TRY(file_create(&memory_default, FREE_MEMORY, path, &shape, metadata, options, &sink));
    TRY(write_sink(sink, image, rows));
    if (!only_paths && strcmp(path, "-") != 0)
        check_other_writers(path, image, &shape, metadata, options, rows);
    return SWATHE_OK;
}

swathe_status io_read_source(const swathe_source *source, enum io_strides strides, int64_t rows,
                             struct io_image *image)
{
    struct io_image made = io_image_make(&source->shape, strides);
    int64_t step = strip_height(rows, 0, source->shape.height);
    swathe_status status = SWATHE_OK;
    for (int64_t y = 0; y < source->shape.height && status == SWATHE_OK; y += step) {
        swathe_image strip = strip_of(&made.view, y, step);
        status = source->read(source->user, &strip);
    }
    if (status == SWATHE_OK)
        *image = made;
    else
        io_image_free(&made);
    return status;
}

static swathe_status read_way(enum io_way way, const char *path, const swathe_read_options *options,
                              enum io_strides strides, int64_t rows, struct io_image *image)
{
    swathe_source *source;
    TRY(io_open(way, path, options, &source));
    swathe_status status = io_read_source(source, strides, rows, image);
    file_close(source);
    return status;
}

swathe_status io_read(const char *path, const swathe_read_options *options, enum io_strides strides,
                      int64_t rows, struct io_image *image)
{
    char text[ERROR_TEXT_SIZE], difference[128] = "";
    swathe_status status = read_way(IO_PATH, path, options, strides, rows, image);
    snprintf(text, sizeof text, "%s", fail_text());
    for (int way = IO_PATH + 1; way < IO_WAYS && !only_paths && strcmp(path, "-") != 0; way++) {
        struct io_image other;
        swathe_status got = read_way((enum io_way)way, path, options, strides, rows, &other);
        io_check(got == status, "%s by %s: status %d (%s), by path %d", path,
                 io_way_name((enum io_way)way), (int)got, fail_text(), (int)status);
        io_check(status == SWATHE_OK || strcmp(text, fail_text()) == 0,
                 "%s by %s: '%s', by path '%s'", path, io_way_name((enum io_way)way), fail_text(),
                 text);
        if (got != SWATHE_OK)
            continue;
        io_check(status != SWATHE_OK ||
                     io_equal(&image->view, &other.view, 0, difference, sizeof difference),
                 "%s by %s: %s", path, io_way_name((enum io_way)way), difference);
        io_image_free(&other);
    }
    return status;
}

swathe_write_options io_faithful(const struct codec *codec)
{
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    options.format = codec->name;
    options.overwrite = 1;
    if (strcmp(codec->name, "webp") == 0)
        options.lossless = 1;
    else if (strstr(codec->takes, "quality"))
        options.quality = 100;
    return options;
}

double io_tolerance(const struct codec *codec)
{
    return strcmp(codec->name, "jpeg") == 0 ? 8 : 0;
}

/* ---- Directories and bytes ------------------------------------------------------------------ */

static char folder[256];

const char *io_folder(void)
{
    if (!*folder) {
        char base[200];
        uint64_t number = 0;
        bool good = os_temporary_directory(base, sizeof base) && os_random(&number, sizeof number);
        snprintf(folder, sizeof folder, "%s/swathe-test-%" PRIx64, base, number);
        if (!good || os_make_directory(folder, true) != 0) {
            perror(folder);
            exit(EXIT_FAILURE);
        }
    }
    return folder;
}

const char *io_path(const char *name)
{
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", io_folder(), name);
    return path;
}

/* Also removes directories below it. */
static void remove_folder(const char *path)
{
    DIR *open_folder = opendir(path);
    for (struct dirent *entry; open_folder && (entry = readdir(open_folder));) {
        char below[OS_PATH];
        struct os_about about;
        snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (os_about_link(below, &about) == 0 && about.kind == OS_DIRECTORY)
            remove_folder(below);
        else
            os_remove(below);
    }
    if (open_folder)
        closedir(open_folder);
    rmdir(path);
}

void io_folder_remove(void)
{
    if (*folder)
        remove_folder(folder);
    folder[0] = '\0';
}

int io_count_files(const char *path)
{
    DIR *open_folder = opendir(path);
    int count = 0;
    for (struct dirent *entry; open_folder && (entry = readdir(open_folder));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (open_folder)
        closedir(open_folder);
    return count;
}

uint8_t *io_load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size)
        exit(EXIT_FAILURE);
    fclose(file);
    return bytes;
}

void io_save(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

bool io_same_files(const char *a, const char *b)
{
    size_t a_size, b_size;
    uint8_t *a_bytes = io_load(a, &a_size), *b_bytes = io_load(b, &b_size);
    bool same = a_bytes && b_bytes && a_size == b_size && memcmp(a_bytes, b_bytes, a_size) == 0;
    free(a_bytes);
    free(b_bytes);
    return same;
}

/* TIFF files with several pages: each is written and read like a single image; copies at a lower
 * resolution and masks are not counted; damaged lists of pages end. */
#include "io_check.h"

#include "io/tiff/decoder.h"

#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

struct page {
    int64_t width, height;
    int32_t channels;
    swathe_type type;
    const char *icc;
};

static const struct page pages[] = {{40, 30, 3, SWATHE_U8, "one"},  {700, 500, 3, SWATHE_U16, NULL},
                                    {1, 1, 1, SWATHE_F32, "three"}, {33, 65, 5, SWATHE_S16, "four"},
                                    {70, 50, 2, SWATHE_F64, NULL},  {50, 70, 3, SWATHE_U32, "six"}};
enum { PAGES = sizeof pages / sizeof *pages };

static struct io_image make_image(const struct page *page)
{
    swathe_shape shape = io_shape(page->width, page->height, page->channels, page->type);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    io_fill_noise(&image.view, (uint32_t)page->width);
    return image;
}

static swathe_metadata make_metadata(const struct page *page)
{
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    metadata.icc = page->icc;
    metadata.icc_size = page->icc ? strlen(page->icc) : 0;
    metadata.x_resolution = metadata.y_resolution = (double)(100 * page->width);
    return metadata;
}

/* ---- Written by Swathe ---------------------------------------------------------------------- */

static swathe_status add_page(int index, const swathe_write_options *options, swathe_sink **sink)
{
    struct io_image image = make_image(&pages[index]);
    swathe_metadata metadata = make_metadata(&pages[index]);
    swathe_shape shape = view_shape(&image.view);
    swathe_status status = index == 0 ? file_create(&memory_default, 1 << 28, io_path("pages.tif"),
                                                    &shape, &metadata, options, sink)
                                      : file_next_page(*sink, &shape, &metadata);
    if (status == SWATHE_OK) {
        io_check((*sink)->shape.width == shape.width && (*sink)->shape.type == shape.type,
                 "page %d: the sink has another shape", index + 1);
        status = (*sink)->write((*sink)->user, &image.view);
    }
    io_image_free(&image);
    return status;
}

static void check_page(int index, const char *what)
{
    char text[128] = "";
    swathe_source *source;
    struct io_image want = make_image(&pages[index]), got;
    swathe_metadata metadata = make_metadata(&pages[index]);
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    options.page = index + 1;
    swathe_status status =
        file_open(&memory_default, 1 << 28, io_path("pages.tif"), &options, &source);
    if (io_check(status == SWATHE_OK, "%s, page %d: %s", what, index + 1, fail_text())) {
        const swathe_metadata *kept = source->metadata;
        io_check(source->pages == PAGES, "%s: %d pages", what, (int)source->pages);
        io_check(kept->icc_size == metadata.icc_size &&
                     (!kept->icc || memcmp(kept->icc, metadata.icc, kept->icc_size) == 0),
                 "%s, page %d: another profile", what, index + 1);
        io_check((int64_t)(kept->x_resolution + 0.5) == 100 * pages[index].width,
                 "%s, page %d: resolution %g", what, index + 1, kept->x_resolution);
        status = io_read_source(source, IO_DENSE, 7, &got);
        if (io_check(status == SWATHE_OK, "%s, page %d: %s", what, index + 1, fail_text())) {
            io_check(io_equal(&want.view, &got.view, 0, text, sizeof text), "%s, page %d: %s", what,
                     index + 1, text);
            io_image_free(&got);
        }
        file_close(source);
    }
    io_image_free(&want);
}

static void check_ours(const char *compression, int64_t tile)
{
    swathe_sink *sink = NULL;
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    options.overwrite = 1;
    options.compression = compression;
    options.tile = tile;
    swathe_status status = SWATHE_OK;
    for (int i = 0; i < PAGES && status == SWATHE_OK; i++)
        status = add_page(i, &options, &sink);
    if (status == SWATHE_OK)
        status = file_commit(sink);
    file_discard(sink);
    if (io_check(status == SWATHE_OK, "%s: %s", compression, fail_text()))
        for (int i = PAGES - 1; i >= 0; i--)
            check_page(i, compression);
}

/* ---- Written by others ---------------------------------------------------------------------- */

static void put_directory(TIFF *tiff, uint32_t width, uint32_t kind)
{
    uint8_t row[64] = {0};
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 1);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    if (kind)
        TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, kind);
    if (TIFFWriteScanline(tiff, row, 0, 0) != 1 || !TIFFWriteDirectory(tiff))
        exit(EXIT_FAILURE);
}

/* Pages of 11, 12 and 13 pixels, with other directories between them. */
static void make_others(const char *path, const char *mode)
{
    TIFF *tiff = TIFFOpen(path, mode);
    if (!tiff)
        exit(EXIT_FAILURE);
    put_directory(tiff, 5, FILETYPE_REDUCEDIMAGE);
    put_directory(tiff, 11, 0);
    put_directory(tiff, 6, FILETYPE_REDUCEDIMAGE | FILETYPE_MASK);
    put_directory(tiff, 12, FILETYPE_PAGE);
    put_directory(tiff, 7, FILETYPE_MASK);
    put_directory(tiff, 13, 0);
    TIFFClose(tiff);
}

static swathe_status open_page(const char *path, int64_t page, int64_t *width, int64_t *count)
{
    swathe_source *source;
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    options.page = page;
    TRY(file_open(&memory_default, 1 << 28, path, &options, &source));
    *width = source->shape.width;
    *count = source->pages;
    file_close(source);
    return SWATHE_OK;
}

static void check_others(const char *mode)
{
    int64_t width = 0, count = 0;
    const char *path = io_path("others.tif");
    make_others(path, mode);
    for (int64_t page = 0; page <= 3; page++) {
        swathe_status status = open_page(path, page, &width, &count);
        io_check(status == SWATHE_OK && count == 3 && width == (page ? 10 + page : 11),
                 "mode %s, page %d: %d pixels, %d pages: %s", mode, (int)page, (int)width,
                 (int)count, fail_text());
    }
    static const int64_t wrong[] = {-1, 4, INT64_MAX};
    for (int i = 0; i < 3; i++) {
        swathe_status status = open_page(path, wrong[i], &width, &count);
        io_check(status == SWATHE_ERROR_ARGUMENT && strstr(fail_text(), "the file has 3 pages"),
                 "mode %s, page %d: %d, %s", mode, (int)wrong[i], (int)status, fail_text());
    }
}

/* Two directories that link to each other. */
static void check_circle(void)
{
    static const uint8_t circle[] = {'I', 'I', 42, 0, 8, 0, 0, 0,  1, 0, 0, 1, 4, 0, 1,
                                     0,   0,   0,  9, 0, 0, 0, 26, 0, 0, 0, 1, 0, 0, 1,
                                     4,   0,   1,  0, 0, 0, 9, 0,  0, 0, 8, 0, 0, 0};
    int64_t width, count;
    io_save(io_path("circle.tif"), circle, sizeof circle);
    io_check(open_page(io_path("circle.tif"), 1, &width, &count) != SWATHE_OK, "a circle was read");
    io_check(open_page(io_path("circle.tif"), 1 << 20, &width, &count) == SWATHE_ERROR_ARGUMENT,
             "a circle never ends");
}

/* `count` directories, the last of which links back to number `back`: each counts once. */
static void check_ring(int count, int back)
{
    enum { HEAD = 8, DIRECTORY = 18, MOST = 12 };
    uint8_t bytes[HEAD + DIRECTORY * MOST] = {'I', 'I', 42, 0, HEAD};
    swathe_source *source = NULL;
    for (int i = 0; i < count; i++) {
        int next = HEAD + DIRECTORY * (i + 1 < count ? i + 1 : back);
        uint8_t directory[DIRECTORY] = {1, 0, 0, 1, 4, 0, 1, 0, 0, 0, 9};
        directory[14] = (uint8_t)next;
        memcpy(bytes + HEAD + DIRECTORY * i, directory, sizeof directory);
    }
    io_save(io_path("ring.tif"), bytes, (size_t)(HEAD + DIRECTORY * count));
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    options.page = 1 << 20;
    char wanted[32];
    snprintf(wanted, sizeof wanted, "has %d page", count);
    swathe_status status =
        file_open(&memory_default, 1 << 28, io_path("ring.tif"), &options, &source);
    io_check(status == SWATHE_ERROR_ARGUMENT && strstr(fail_text(), wanted),
             "%d directories, back to %d: %s", count, back, fail_text());
}

static void check_rings(void)
{
    for (int count = 1; count <= 12; count++)
        for (int back = 0; back < count; back++)
            check_ring(count, back);
}

/* ---- Many pages ----------------------------------------------------------------------------- */

static int64_t fetched; /* bytes of readers */

static swathe_status read_counted(void *user, int64_t offset, void *buffer, size_t count,
                                  size_t *got)
{
    const uint8_t *bytes = *(uint8_t **)user;
    memcpy(buffer, bytes + offset, count);
    *got = count;
    fetched += (int64_t)count;
    return SWATHE_OK;
}

/* Opens each page with the one before. False if one is not the page that it should be. */
static bool open_all(const swathe_reader *reader, int64_t count)
{
    swathe_source *before = NULL;
    bool good = true;
    for (int64_t page = 1; page <= count && good; page++) {
        swathe_source *source = NULL;
        swathe_read_options options = SWATHE_INIT(swathe_read_options);
        options.page = page;
        options.same_file = before;
        good = file_open_reader(&memory_default, 1 << 28, reader, &options, &source) == SWATHE_OK &&
               source->pages == count && source->shape.width == 1 + page % 7;
        file_close(before);
        before = source;
    }
    file_close(before);
    return good;
}

/* With another page of the file, a page takes the same few bytes in a file of any length. */
static void check_many(void)
{
    enum { MANY = 2000 };
    uint8_t *bytes;
    size_t size;
    TIFF *tiff = TIFFOpen(io_path("many.tif"), "w");
    for (uint32_t page = 1; tiff && page <= MANY; page++)
        put_directory(tiff, 1 + page % 7, 0);
    if (!tiff)
        exit(EXIT_FAILURE);
    TIFFClose(tiff);
    bytes = io_load(io_path("many.tif"), &size);
    swathe_reader reader = SWATHE_INIT(swathe_reader);
    reader.user = &bytes;
    reader.size = (int64_t)size;
    reader.read_at = read_counted;
    reader.request_bytes = 1;
    io_check(open_all(&reader, MANY), "%d pages: %s", MANY, fail_text());
    io_check(fetched < 10000 * MANY, "%d pages took %lld bytes", MANY, (long long)fetched);
    free(bytes);
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static void check_refusals(void)
{
    struct io_image image = make_image(&pages[0]);
    swathe_shape shape = view_shape(&image.view), bad = shape;
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    swathe_sink *sink = NULL;
    options.overwrite = 1;
    bad.type = (swathe_type)77;
    file_create(&memory_default, 1 << 28, io_path("one.ppm"), &shape, NULL, &options, &sink);
    io_check(file_next_page(sink, &shape, NULL) == SWATHE_ERROR_UNSUPPORTED &&
                 strstr(fail_text(), "holds one page; TIFF holds any number"),
             "a second page: %s", fail_text());
    file_discard(sink);
    file_create(&memory_default, 1 << 28, io_path("some.tif"), &shape, NULL, &options, &sink);
    io_check(file_next_page(sink, &shape, NULL) == SWATHE_ERROR_ARGUMENT &&
                 strstr(fail_text(), "0 of 1200 pixels"),
             "a page before the first is complete: %s", fail_text());
    io_check(sink->write(sink->user, &image.view) == SWATHE_OK, "writing: %s", fail_text());
    io_check(file_next_page(sink, &bad, NULL) != SWATHE_OK, "a page without a type");
    io_check(file_next_page(sink, &shape, NULL) == SWATHE_OK, "after that: %s", fail_text());
    io_check(file_commit(sink) == SWATHE_ERROR_ARGUMENT, "committed without the second page");
    file_discard(sink);
    io_image_free(&image);
}

/* ---- Reads ---------------------------------------------------------------------------------- */

enum { DIRECTORIES = 500, ENTRIES = 9, DIRECTORY_BYTES = 2 + 12 * ENTRIES + 4 };

struct counted {
    uint8_t bytes[8 + DIRECTORIES * DIRECTORY_BYTES];
    int reads;
};

static bool counted_fetch(void *user, uint64_t offset, void *bytes, size_t size)
{
    struct counted *counted = user;
    memcpy(bytes, counted->bytes + offset, size);
    counted->reads++;
    return true;
}

/* A page that is opened without another one reads the whole list: a directory must take few
 * reads. */
static void check_reads(void)
{
    static struct counted counted;
    struct ifd_source source = {
        .fetch = counted_fetch, .user = &counted, .size = sizeof counted.bytes};
    for (int i = 0; i < DIRECTORIES; i++) {
        uint8_t *at = counted.bytes + 8 + i * DIRECTORY_BYTES;
        uint32_t next = i + 1 < DIRECTORIES ? 8 + (uint32_t)(i + 1) * DIRECTORY_BYTES : 0;
        at[0] = ENTRIES;
        for (int e = 0; e < ENTRIES; e++) {
            uint8_t *entry = at + 2 + 12 * e;
            entry[0] = (uint8_t)e; /* tags 256 and more, SHORT, one value */
            entry[1] = 1;
            entry[2] = 3;
            entry[4] = 1;
        }
        for (int b = 0; b < 4; b++)
            at[DIRECTORY_BYTES - 4 + b] = (uint8_t)(next >> 8 * b);
    }
    struct tiff_pages *list = NULL;
    swathe_status status = tiff_pages_read(&memory_default, &source, 8, &list);
    io_check(status == SWATHE_OK && tiff_pages_count(list) == DIRECTORIES &&
                 tiff_pages_at(list, DIRECTORIES) == 8 + (DIRECTORIES - 1) * DIRECTORY_BYTES &&
                 tiff_pages_at(list, DIRECTORIES + 1) == 0,
             "the list of %d pages: %s", DIRECTORIES, fail_text());
    tiff_pages_drop(list);
    io_check(counted.reads <= 3 * DIRECTORIES, "%d reads for %d directories", counted.reads,
             DIRECTORIES);
}

int main(void)
{
    TIFFSetWarningHandler(NULL);
    check_ours("none", 0);
    check_ours("lzw", 0);
    check_ours("deflate", 64);
    check_ours("zstd", 16);
    check_others("wl");
    check_others("wb");
    check_others("wl8");
    check_others("wb8");
    check_circle();
    check_rings();
    check_many();
    check_refusals();
    io_folder_remove();
    check_reads();
    return io_finish("tiff_page_list");
}

/* Mistakes of callers of the public functions on files: each is refused with a text that says what
 * is wrong. And the memory that a reader with large requests may take. */
#include "io_check.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static swathe_context *context;

static void refused(swathe_status status, swathe_status wanted, const char *part, const char *what)
{
    io_check(status == wanted && strstr(swathe_error_text(), part), "%s: status %d, '%s'", what,
             (int)status, swathe_error_text());
    const char *c = swathe_error_text();
    while ((unsigned char)*c >= ' ' && *c != 0x7f)
        c++;
    io_check(*c == '\0', "%s: the text has the control character %d", what, *c);
}

/* ---- Callbacks ------------------------------------------------------------------------------ */

enum { STRANGE = 77, WIDTH = 40, HEIGHT = 30 };

/* Which of the functions returns the number, and whether it says why. */
struct strange {
    const char *function;
    bool says;
};

static swathe_status answer(const struct strange *strange, const char *function)
{
    if (strcmp(strange->function, function) != 0)
        return SWATHE_OK;
    return strange->says ? swathe_error_set(STRANGE, "unplugged") : STRANGE;
}

static swathe_status read_at(void *user, int64_t offset, void *buffer, size_t count, size_t *got)
{
    memset(buffer, 0, count);
    if (offset == 0)
        memcpy(buffer, "P5 2 2 255\n", count < 11 ? count : 11);
    *got = count;
    return answer(user, "read_at");
}

static swathe_status write_bytes(void *user, const void *bytes, size_t count)
{
    (void)bytes;
    (void)count;
    return answer(user, "writer");
}

static swathe_status finish(void *user)
{
    return answer(user, "finish");
}

static swathe_status read_part(void *user, const swathe_image *into)
{
    for (int64_t y = 0; y < into->height; y++)
        memset((char *)into->data + y * into->row_stride, 0, (size_t)into->width);
    return answer(user, "source");
}

static swathe_status write_part(void *user, const swathe_image *from)
{
    (void)from;
    return answer(user, "sink");
}

static swathe_status commit(void *user)
{
    return answer(user, "commit");
}

static swathe_status next_page(void *user, const swathe_shape *shape,
                               const swathe_metadata *metadata, swathe_sink_info *info)
{
    (void)shape;
    (void)metadata;
    (void)info;
    return answer(user, "next_page");
}

static void check_answer(swathe_status status, const struct strange *strange, const char *function)
{
    swathe_error error = SWATHE_INIT(swathe_error);
    swathe_error_get(&error);
    bool wanted = strcmp(strange->function, function) == 0;
    if (!io_check(status == (wanted ? SWATHE_ERROR_ARGUMENT : SWATHE_OK), "%s, %s: status %d",
                  strange->function, function, (int)status) ||
        !wanted)
        return;
    io_check(error.status == status && strstr(error.text, "returned 77") &&
                 strstr(error.text, strange->says ? "unplugged" : "gave no reason"),
             "%s: '%s'", function, error.text);
}

static void check_bytes(struct strange *strange)
{
    swathe_shape shape = io_shape(2, 2, 1, SWATHE_U8);
    swathe_reader reader = SWATHE_INIT(swathe_reader);
    swathe_writer writer = SWATHE_INIT(swathe_writer);
    swathe_source *source = NULL;
    swathe_sink *sink = NULL;
    uint8_t pixels[4] = {0};
    swathe_image image = SWATHE_INIT(swathe_image);
    reader.user = writer.user = strange;
    reader.size = 15;
    reader.read_at = read_at;
    writer.name = "out.pgm";
    writer.write = write_bytes;
    writer.finish = finish;
    check_answer(swathe_source_open(context, &reader, NULL, &source), strange, "read_at");
    swathe_source_destroy(source);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, pixels, &image);
    swathe_status status = swathe_sink_create(context, &writer, &shape, NULL, NULL, &sink);
    if (!io_check(status == SWATHE_OK && swathe_sink_write(sink, &image) == SWATHE_OK, "sink: %s",
                  swathe_error_text()))
        return;
    status = swathe_sink_commit(sink); /* writes the buffered bytes */
    check_answer(status, strange, strcmp(strange->function, "writer") == 0 ? "writer" : "finish");
    swathe_sink_destroy(sink);
}

/* A source and a sink of the functions above. */
static void make_ends(struct strange *strange, swathe_source **source, swathe_sink **sink)
{
    swathe_source_info from = SWATHE_INIT(swathe_source_info);
    swathe_source_callbacks reads = SWATHE_INIT(swathe_source_callbacks);
    swathe_sink_info to = SWATHE_INIT(swathe_sink_info);
    swathe_sink_callbacks writes = SWATHE_INIT(swathe_sink_callbacks);
    from.shape = to.shape = io_shape(WIDTH, HEIGHT, 1, SWATHE_U8);
    reads.user = writes.user = strange;
    reads.read = read_part;
    writes.write = write_part;
    writes.commit = commit;
    writes.next_page = next_page;
    io_check(swathe_source_wrap(context, &from, &reads, source) == SWATHE_OK &&
                 swathe_sink_wrap(context, &to, &writes, sink) == SWATHE_OK,
             "wrap: %s", swathe_error_text());
}

static swathe_status run(swathe_source *source, swathe_sink *sink, const swathe_rect *region)
{
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    swathe_shape shape = io_shape(WIDTH, HEIGHT, 1, SWATHE_U8);
    swathe_run_options options = SWATHE_INIT(swathe_run_options);
    if (region)
        options.region = *region;
    TRY(swathe_chain_parse(context, "box:3", &chain));
    swathe_status status = swathe_plan_create(context, chain, &shape, NULL, &plan);
    if (status == SWATHE_OK)
        status = swathe_run_stream(context, plan, source, sink, &options);
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    return status;
}

static void check_strange(void)
{
    static const char *const functions[] = {"read_at", "writer", "finish",   "source",
                                            "sink",    "commit", "next_page"};
    for (int i = 0; i < 14; i++) {
        struct strange strange = {functions[i / 2], i % 2};
        swathe_shape shape = io_shape(WIDTH, HEIGHT, 1, SWATHE_U8);
        swathe_source *source = NULL;
        swathe_sink *sink = NULL;
        make_ends(&strange, &source, &sink);
        check_bytes(&strange);
        bool reads = strcmp(strange.function, "source") == 0;
        check_answer(run(source, sink, NULL), &strange, reads ? "source" : "sink");
        check_answer(swathe_sink_commit(sink), &strange, "commit");
        check_answer(swathe_sink_next_page(sink, &shape, NULL), &strange, "next_page");
        swathe_source_destroy(source);
        swathe_sink_destroy(sink);
    }
}

/* ---- Arguments ------------------------------------------------------------------------------ */

/* Only a region of zeros stands for all. One with a position is empty, such as the intersection of
 * two rectangles that do not meet. */
static void check_regions(void)
{
    static const swathe_rect wrong[] = {{0, 0, 5, 0}, {0, 0, 0, 5}, {0, 0, -1, 5},
                                        {1, 1, 0, 7}, {5, 7, 0, 0}, {0, 7, 0, 0}};
    struct strange none = {"", false};
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    swathe_shape whole = io_shape(WIDTH, HEIGHT, 1, SWATHE_U8);
    swathe_source *source = NULL;
    swathe_sink *sink = NULL;
    make_ends(&none, &source, &sink);
    io_check(swathe_chain_parse(context, "box:3", &chain) == SWATHE_OK &&
                 swathe_plan_create(context, chain, &whole, NULL, &plan) == SWATHE_OK,
             "a plan: %s", swathe_error_text());
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        swathe_shape shape = {0};
        io_check(swathe_plan_output(plan, source, &wrong[i], &shape, NULL) == SWATHE_ERROR_ARGUMENT,
                 "output of region %d", (int)i);
        io_check(run(source, sink, &wrong[i]) == SWATHE_ERROR_ARGUMENT, "run of region %d", (int)i);
    }
    swathe_source_destroy(source);
    swathe_sink_destroy(sink);
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
}

static void check_limits(void)
{
    swathe_shape shape = io_shape(2, 2, 1, SWATHE_U8);
    static const char *const names[] = {"max_pixels", "max_memory", "max_metadata", "max_spool"};
    for (int i = 0; i < 4; i++) {
        swathe_read_options read = SWATHE_INIT(swathe_read_options);
        swathe_write_options write = SWATHE_INIT(swathe_write_options);
        swathe_source *source = NULL;
        swathe_sink *sink = NULL;
        int64_t *to_read[] = {&read.max_pixels, &read.max_memory, &read.max_metadata,
                              &read.max_spool};
        int64_t *to_write[] = {&write.max_pixels, &write.max_memory, &write.max_metadata, NULL};
        *to_read[i] = -1;
        refused(swathe_file_open(context, "/dev/null", &read, &source), SWATHE_ERROR_ARGUMENT,
                names[i], "a negative limit for reading");
        if (!to_write[i])
            continue;
        *to_write[i] = INT64_MIN;
        refused(swathe_file_create(context, io_path("a.pgm"), &shape, NULL, &write, &sink),
                SWATHE_ERROR_ARGUMENT, names[i], "a negative limit for writing");
    }
}

static void check_tile(void)
{
    swathe_shape shape = io_shape(2, 2, 1, SWATHE_U8);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    swathe_sink *sink = NULL;
    options.tile = (int64_t)1 << 40;
    if (codec_named("tiff")->built)
        refused(swathe_file_create(context, io_path("a.tif"), &shape, NULL, &options, &sink),
                SWATHE_ERROR_ARGUMENT, "less than 2^32", "tiles of 2^40 pixels");
}

static void check_names(void)
{
    struct strange none = {"", false};
    swathe_reader reader = SWATHE_INIT(swathe_reader);
    swathe_writer writer = SWATHE_INIT(swathe_writer);
    swathe_shape shape = io_shape(2, 2, 1, SWATHE_U8);
    swathe_source *source = NULL;
    swathe_sink *sink = NULL;
    reader.user = writer.user = &none;
    reader.size = 13; /* two bytes are missing */
    reader.read_at = read_at;
    reader.name = writer.name = "a\033[2J\nb\177.unknown";
    writer.write = write_bytes;
    refused(swathe_source_open(context, &reader, NULL, &source), SWATHE_ERROR_INPUT,
            "a?[2J?b?.unknown: ", "a reader's name");
    refused(swathe_sink_create(context, &writer, &shape, NULL, NULL, &sink), SWATHE_ERROR_ARGUMENT,
            "a?[2J?b?.unknown: ", "a writer's name");
    writer.name = "a.\033[2J";
    refused(swathe_sink_create(context, &writer, &shape, NULL, NULL, &sink), SWATHE_ERROR_ARGUMENT,
            "the extension '.?[2J'", "a writer's extension");
    reader.request_bytes = -1;
    refused(swathe_source_open(context, &reader, NULL, &source), SWATHE_ERROR_ARGUMENT,
            "request_bytes", "requests of -1 bytes");
}

/* Windows has no such names. */
static void check_paths(void)
{
#if !defined(_WIN32)
    swathe_shape shape = io_shape(2, 2, 1, SWATHE_U8);
    swathe_sink *sink = NULL;
    FILE *old = fopen(io_path("old\033.pgm"), "w");
    if (!io_check(old && fclose(old) == 0, "cannot create a file"))
        return;
    refused(swathe_file_create(context, io_path("old\033.pgm"), &shape, NULL, NULL, &sink),
            SWATHE_ERROR_ARGUMENT, "old?.pgm exists", "an existing file");
    refused(swathe_file_create(context, io_path("no\ndirectory/a.pgm"), &shape, NULL, NULL, &sink),
            SWATHE_ERROR_IO, "no?directory cannot be opened", "a missing directory");
#endif
}

/* ---- Memory of large requests --------------------------------------------------------------- */

enum { LIMIT = 4 << 20, HEAD = 64, SIDE = 1024, THREADS = 4 };
static atomic_llong live, peak;

static void *allocate(void *user, size_t size, size_t align)
{
    (void)user;
    void *block = align > HEAD ? NULL : memory_default.allocate(NULL, size + HEAD, HEAD);
    if (!block)
        return NULL;
    memcpy(block, &size, sizeof size);
    long long now = atomic_fetch_add(&live, (long long)size) + (long long)size;
    long long before = atomic_load(&peak);
    while (now > before && !atomic_compare_exchange_weak(&peak, &before, now))
        ;
    return (char *)block + HEAD;
}

static void release(void *user, void *block)
{
    size_t size;
    (void)user;
    memcpy(&size, (char *)block - HEAD, sizeof size);
    atomic_fetch_sub(&live, (long long)size);
    memory_default.release(NULL, (char *)block - HEAD);
}

struct tall {
    swathe_source *source;
    int index;
};

/* A column of tiles, so that the threads read parts far from each other. */
static void *read_column(void *user)
{
    static uint8_t pixels[THREADS][SIDE * SIDE / THREADS];
    struct tall *tall = user;
    swathe_shape shape = io_shape(SIDE / THREADS, SIDE, 1, SWATHE_U8);
    swathe_image image = SWATHE_INIT(swathe_image);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, pixels[tall->index], &image);
    image.full_width = image.full_height = SIDE;
    image.x = tall->index * shape.width;
    io_check(swathe_source_read(tall->source, &image) == SWATHE_OK, "column: %s",
             swathe_error_text());
    return NULL;
}

static void read_all(swathe_context *counted, const uint8_t *bytes, size_t size)
{
    swathe_reader reader = SWATHE_INIT(swathe_reader);
    swathe_source *source = NULL;
    pthread_t threads[THREADS];
    struct tall columns[THREADS];
    swathe_reader_memory(bytes, size, &reader);
    reader.request_bytes = 1 << 23;
    if (!io_check(swathe_source_open(counted, &reader, NULL, &source) == SWATHE_OK, "open: %s",
                  swathe_error_text()))
        return;
    for (int i = 0; i < THREADS; i++) {
        columns[i] = (struct tall){source, i};
        pthread_create(&threads[i], NULL, read_column, &columns[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    swathe_source_destroy(source);
}

static void check_requests(void)
{
    swathe_shape shape = io_shape(SIDE, SIDE, 1, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    swathe_context_options o = SWATHE_INIT(swathe_context_options);
    swathe_context *counted = NULL;
    void *bytes = NULL;
    size_t size = 0;
    io_fill_noise(&image.view, 1);
    options.format = "tiff";
    options.tile = 64;
    o.max_memory = LIMIT;
    o.allocate = allocate;
    o.release = release;
    io_check(swathe_save_bytes(context, &image.view, NULL, &options, &bytes, &size) == SWATHE_OK &&
                 swathe_context_create(&o, &counted) == SWATHE_OK,
             "save: %s", swathe_error_text());
    long long before = atomic_load(&live);
    atomic_store(&peak, before);
    read_all(counted, bytes, size);
    io_check(atomic_load(&peak) - before <= LIMIT, "%d bytes, limit %d",
             (int)(atomic_load(&peak) - before), LIMIT);
    swathe_context_destroy(counted);
    swathe_free(context, bytes);
    io_image_free(&image);
}

/* ---- Calls of a reader ---------------------------------------------------------------------- */

struct counted {
    const uint8_t *bytes;
    int calls;
};

static swathe_status count_call(void *user, int64_t offset, void *buffer, size_t count, size_t *got)
{
    struct counted *counted = user;
    counted->calls++;
    memcpy(buffer, counted->bytes + offset, count);
    *got = count;
    return SWATHE_OK;
}

static void read_strips(swathe_source *source, const swathe_image *image, int64_t rows)
{
    for (int64_t y = 0; y < image->height; y += rows) {
        swathe_rect part = {0, y, image->width, rows};
        swathe_image strip = SWATHE_INIT(swathe_image);
        io_check(swathe_image_crop(image, &part, &strip) == SWATHE_OK &&
                     swathe_source_read(source, &strip) == SWATHE_OK,
                 "row %d: %s", (int)y, swathe_error_text());
    }
}

/* PFM stores the last row first. 12 requests of 64 KiB hold its samples; each strip may take one
 * more, for the end of the one above it. */
static void check_pfm_calls(void)
{
    enum { EDGE = 256, REQUESTS = EDGE * EDGE * 3 * 4 >> 16 };
    swathe_shape shape = io_shape(EDGE, EDGE, 3, SWATHE_F32);
    struct io_image image = io_image_make(&shape, IO_DENSE), got = io_image_make(&shape, IO_DENSE);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    void *bytes = NULL;
    size_t size = 0;
    io_fill_noise(&image.view, 2);
    options.format = "pfm";
    io_check(swathe_save_bytes(context, &image.view, NULL, &options, &bytes, &size) == SWATHE_OK,
             "save: %s", swathe_error_text());
    for (int64_t rows = EDGE; rows >= 64; rows /= 2) {
        struct counted counted = {bytes, 0};
        swathe_reader reader = SWATHE_INIT(swathe_reader);
        swathe_source *source = NULL;
        char text[128] = "";
        reader.user = &counted;
        reader.size = (int64_t)size;
        reader.read_at = count_call;
        if (!io_check(swathe_source_open(context, &reader, NULL, &source) == SWATHE_OK, "open: %s",
                      swathe_error_text()))
            continue;
        read_strips(source, &got.view, rows);
        swathe_source_destroy(source);
        int most = REQUESTS + 1 + (int)(EDGE / rows);
        io_check(counted.calls <= most, "strips of %d rows: %d calls, %d expected", (int)rows,
                 counted.calls, most);
        io_check(io_equal(&image.view, &got.view, 0, text, sizeof text), "%s", text);
    }
    swathe_free(context, bytes);
    io_image_free(&image);
    io_image_free(&got);
}

/* ---- Files of the caller's own format -------------------------------------------------------- */

static swathe_status put(const char *path, const swathe_write_options *options, bool finished)
{
    static const char text[] = "some bytes";
    swathe_writer writer = SWATHE_INIT(swathe_writer);
    TRY(swathe_writer_file(context, path, options, &writer));
    swathe_status status = writer.write(writer.user, text, sizeof text - 1);
    FILE *early = fopen(path, "rb");
    io_check(!early || (options && options->overwrite), "%s appears before it is complete", path);
    if (early)
        fclose(early);
    if (status == SWATHE_OK && finished)
        return writer.finish(writer.user);
    writer.abandon(writer.user);
    return status;
}

static void check_file_writer(void)
{
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    const char *path = io_path("bytes");
    io_check(put(path, NULL, false) == SWATHE_OK && remove(path) != 0, "abandoned: %s",
             swathe_error_text());
    io_check(put(path, NULL, true) == SWATHE_OK, "%s", swathe_error_text());
    refused(put(path, NULL, true), SWATHE_ERROR_ARGUMENT, "exists", "a file that exists");
    options.overwrite = 1;
    io_check(put(path, &options, true) == SWATHE_OK, "%s", swathe_error_text());
    size_t size;
    uint8_t *bytes = io_load(path, &size);
    io_check(size == 10 && memcmp(bytes, "some bytes", 10) == 0, "%zu bytes in the file", size);
    free(bytes);
    refused(put("no\n such/bytes", NULL, true), SWATHE_ERROR_IO,
            "no? such/bytes: ", "a directory that does not exist");
    refused(put("/dev/full", &options, true), SWATHE_ERROR_IO, "/dev/full: ", "a full device");
    struct {
        swathe_write_options known;
        int64_t later;
    } longer = {options, 0};
    longer.known.struct_size = sizeof longer;
    io_check(put(path, &longer.known, true) == SWATHE_OK, "%s", swathe_error_text());
    longer.later = 1;
    refused(put(path, &longer.known, true), SWATHE_ERROR_UNSUPPORTED, "does not know is set",
            "an unknown field");
}

/* Only a pipe at standard input can have been read in part. */
static void check_head(void)
{
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    swathe_source *source = NULL;
    options.head = "P5";
    options.head_size = 2;
    refused(swathe_file_open(context, io_path("bytes"), &options, &source), SWATHE_ERROR_ARGUMENT,
            "head", "the head of a file");
}

int main(void)
{
    if (!io_check(swathe_context_create(NULL, &context) == SWATHE_OK, "a context"))
        return io_finish("io_callers");
    check_strange();
    check_regions();
    check_limits();
    check_tile();
    check_names();
    check_paths();
    check_pfm_calls();
    check_file_writer();
    check_head();
    if (codec_named("tiff")->built)
        check_requests();
    swathe_context_destroy(context);
    io_folder_remove();
    return io_finish("io_callers");
}

/* Sources and sinks of the caller's functions: what they state is found there, and what cannot be
 * is refused with a text that says what is wrong. */
#include "io_check.h"

#include <string.h>

enum { WIDTH = 40, HEIGHT = 30 };

static swathe_context *context;

static void refused(swathe_status status, swathe_status wanted, const char *part, const char *what)
{
    io_check(status == wanted && strstr(swathe_error_text(), part), "%s: status %d, '%s'", what,
             (int)status, swathe_error_text());
}

static swathe_status read_part(void *user, const swathe_image *into)
{
    (void)user;
    for (int64_t y = 0; y < into->height; y++)
        memset((char *)into->data + y * into->row_stride, 0, (size_t)into->width);
    return SWATHE_OK;
}

static swathe_status write_part(void *user, const swathe_image *from)
{
    (void)user;
    (void)from;
    return SWATHE_OK;
}

static swathe_status next_page(void *user, const swathe_shape *shape,
                               const swathe_metadata *metadata, swathe_sink_info *info)
{
    (void)user;
    (void)shape;
    (void)metadata;
    info->tile_height = 8;
    return SWATHE_OK;
}

/* A source and a sink. `destroyed` counts calls of their `destroy`. */
struct ends {
    swathe_source_info from;
    swathe_source_callbacks reads;
    swathe_sink_info to;
    swathe_sink_callbacks writes;
    swathe_source *source;
    swathe_sink *sink;
};

static int destroyed;

static void count_destroy(void *user)
{
    (void)user;
    destroyed++;
}

static void describe_ends(struct ends *ends)
{
    *ends = (struct ends){SWATHE_INIT(swathe_source_info),
                          SWATHE_INIT(swathe_source_callbacks),
                          SWATHE_INIT(swathe_sink_info),
                          SWATHE_INIT(swathe_sink_callbacks),
                          NULL,
                          NULL};
    ends->from.shape = ends->to.shape = io_shape(WIDTH, HEIGHT, 1, SWATHE_U8);
    ends->reads.destroy = ends->writes.destroy = count_destroy;
    ends->reads.read = read_part;
    ends->writes.write = write_part;
    ends->writes.next_page = next_page;
}

static void make_ends(struct ends *ends)
{
    describe_ends(ends);
    io_check(swathe_source_wrap(context, &ends->from, &ends->reads, &ends->source) == SWATHE_OK &&
                 swathe_sink_wrap(context, &ends->to, &ends->writes, &ends->sink) == SWATHE_OK,
             "wrap: %s", swathe_error_text());
}

static void free_ends(struct ends *ends)
{
    destroyed = 0;
    swathe_source_destroy(ends->source);
    swathe_sink_destroy(ends->sink);
    io_check(destroyed == 2, "%d functions of a source and a sink were called, 2 expected",
             destroyed);
}

static void refused_source(const struct ends *ends, swathe_status wanted, const char *part,
                           const char *what)
{
    swathe_source *source = NULL;
    refused(swathe_source_wrap(context, &ends->from, &ends->reads, &source), wanted, part, what);
    io_check(!source, "%s: a source", what);
}

static void refused_sink(const struct ends *ends, swathe_status wanted, const char *part,
                         const char *what)
{
    swathe_sink *sink = NULL;
    refused(swathe_sink_wrap(context, &ends->to, &ends->writes, &sink), wanted, part, what);
    io_check(!sink, "%s: a sink", what);
}

static void check_functions(void)
{
    struct ends ends;
    describe_ends(&ends);
    ends.reads.read = NULL;
    ends.writes.write = NULL;
    refused_source(&ends, SWATHE_ERROR_ARGUMENT, "the source has no read function", "no read");
    refused_sink(&ends, SWATHE_ERROR_ARGUMENT, "the sink has no write function", "no write");
    describe_ends(&ends);
    ends.reads.struct_size = ends.writes.struct_size = 0;
    refused_source(&ends, SWATHE_ERROR_ARGUMENT, "callbacks: struct_size is 0", "no size");
    refused_sink(&ends, SWATHE_ERROR_ARGUMENT, "callbacks: struct_size is 0", "no size");
    refused(swathe_source_wrap(context, &ends.from, NULL, &ends.source), SWATHE_ERROR_ARGUMENT,
            "callbacks is NULL", "no callbacks");
    refused(swathe_source_wrap(context, NULL, &ends.reads, &ends.source), SWATHE_ERROR_ARGUMENT,
            "info is NULL", "no properties");
    refused(swathe_sink_wrap(context, &ends.to, NULL, &ends.sink), SWATHE_ERROR_ARGUMENT,
            "callbacks is NULL", "no callbacks");
    refused(swathe_sink_wrap(context, NULL, &ends.writes, &ends.sink), SWATHE_ERROR_ARGUMENT,
            "info is NULL", "no properties");
}

static void check_properties(void)
{
    static const swathe_shape shapes[] = {{0, 5, 1, SWATHE_U8, 0, 0, {0}},
                                          {5, -1, 1, SWATHE_U8, 0, 0, {0}},
                                          {5, 5, 0, SWATHE_U8, 0, 0, {0}},
                                          {5, 5, 1, 99, 0, 0, {0}},
                                          {5, 5, 1, SWATHE_U8, 0, 2, {0}}};
    struct ends ends;
    destroyed = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        describe_ends(&ends);
        ends.from.shape = ends.to.shape = shapes[i];
        refused_source(&ends, SWATHE_ERROR_ARGUMENT, "the source: ", "a shape");
        refused_sink(&ends, SWATHE_ERROR_ARGUMENT, "the sink: ", "a shape");
    }
    for (int side = 0; side < 2; side++) {
        describe_ends(&ends);
        *(side ? &ends.from.tile_width : &ends.from.tile_height) = -1;
        *(side ? &ends.to.tile_width : &ends.to.tile_height) = -1;
        refused_source(&ends, SWATHE_ERROR_ARGUMENT, "the source: tiles of ", "tiles");
        refused_sink(&ends, SWATHE_ERROR_ARGUMENT, "the sink: tiles of ", "tiles");
        describe_ends(&ends);
        *(side ? &ends.from.pages : &ends.from.held_bytes) = -1;
        refused_source(&ends, SWATHE_ERROR_ARGUMENT, "negative", "pages or memory");
    }
    for (int bit = 3; bit < 64; bit += 60) {
        describe_ends(&ends);
        ends.from.flags = ends.to.flags = (uint64_t)1 << bit;
        refused_source(&ends, SWATHE_ERROR_UNSUPPORTED, "the source: flags are ", "flags");
        refused_sink(&ends, SWATHE_ERROR_UNSUPPORTED, "the sink: flags are ", "flags");
    }
    io_check(destroyed == 0, "a source or a sink that was refused is destroyed");
}

/* Calls with a source and a sink that are in order. */
static void check_calls(void)
{
    struct ends ends;
    uint8_t pixels[WIDTH * HEIGHT];
    swathe_image image = SWATHE_INIT(swathe_image);
    swathe_source_info from = SWATHE_INIT(swathe_source_info);
    swathe_sink_info to = SWATHE_INIT(swathe_sink_info);
    swathe_difference difference = SWATHE_INIT(swathe_difference);
    make_ends(&ends);
    swathe_image_init(&ends.from.shape, SWATHE_INTERLEAVED, pixels, &image);
    io_check(swathe_source_read(ends.source, &image) == SWATHE_OK &&
                 swathe_sink_write(ends.sink, &image) == SWATHE_OK,
             "a view: %s", swathe_error_text());
    image.struct_size = 1;
    refused(swathe_source_read(ends.source, &image), SWATHE_ERROR_ARGUMENT, "struct_size is 1",
            "a view without fields to read");
    refused(swathe_sink_write(ends.sink, &image), SWATHE_ERROR_ARGUMENT, "struct_size is 1",
            "a view without fields to write");
    from.struct_size = to.struct_size = 0;
    refused(swathe_source_get(ends.source, &from), SWATHE_ERROR_ARGUMENT, "struct_size is 0",
            "properties without a size");
    refused(swathe_sink_get(ends.sink, &to), SWATHE_ERROR_ARGUMENT, "struct_size is 0",
            "properties without a size");
    refused(swathe_source_read(NULL, &image), SWATHE_ERROR_ARGUMENT, "source is NULL", "read");
    refused(swathe_sink_write(NULL, &image), SWATHE_ERROR_ARGUMENT, "sink is NULL", "write");
    refused(swathe_compare(context, ends.source, NULL, &difference), SWATHE_ERROR_ARGUMENT,
            "b is NULL", "compare");
    free_ends(&ends);
}

/* What a caller states of a source and a sink, and what is found there. */
static void check_stated(void)
{
    struct ends ends;
    describe_ends(&ends);
    ends.from.flags = ends.to.flags = SWATHE_FORWARD;
    ends.from.tile_height = ends.to.tile_height = 7;
    ends.from.pages = 3;
    ends.from.format = ends.to.format = "own";
    io_check(swathe_source_wrap(context, &ends.from, &ends.reads, &ends.source) == SWATHE_OK &&
                 swathe_sink_wrap(context, &ends.to, &ends.writes, &ends.sink) == SWATHE_OK,
             "wrap: %s", swathe_error_text());
    swathe_source_info from = swathe_source_properties(ends.source);
    swathe_sink_info to = swathe_sink_properties(ends.sink);
    io_check(memcmp(&from, &ends.from, sizeof from) == 0, "the properties of a source");
    ends.to.flags |= SWATHE_PAGES; /* it has a function for pages */
    io_check(memcmp(&to, &ends.to, sizeof to) == 0, "the properties of a sink");
    ends.to.shape.width++;
    io_check(swathe_sink_next_page(ends.sink, &ends.to.shape, NULL) == SWATHE_OK, "a page: %s",
             swathe_error_text());
    to = swathe_sink_properties(ends.sink);
    io_check(to.shape.width == WIDTH + 1 && to.tile_height == 8 && to.flags == ends.to.flags,
             "the properties of a page");
    free_ends(&ends);
    io_check(swathe_source_properties(NULL).shape.width == 0 &&
                 swathe_sink_properties(NULL).shape.width == 0,
             "the properties of nothing");
}

/* Without a function for pages the flag has no effect. */
static void check_one_page(void)
{
    struct ends ends;
    describe_ends(&ends);
    ends.writes.next_page = NULL;
    ends.to.flags = SWATHE_PAGES;
    io_check(swathe_sink_wrap(context, &ends.to, &ends.writes, &ends.sink) == SWATHE_OK, "wrap: %s",
             swathe_error_text());
    io_check(swathe_sink_properties(ends.sink).flags == 0, "flags of a sink of one page");
    refused(swathe_sink_next_page(ends.sink, &ends.to.shape, NULL), SWATHE_ERROR_UNSUPPORTED,
            "one page", "a second page");
    swathe_sink_destroy(ends.sink);
}

int main(void)
{
    if (!io_check(swathe_context_create(NULL, &context) == SWATHE_OK, "a context"))
        return io_finish("io_ends");
    check_functions();
    check_properties();
    check_calls();
    check_stated();
    check_one_page();
    swathe_context_destroy(context);
    return io_finish("io_ends");
}

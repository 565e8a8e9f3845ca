/* Promises of the public header about itself: versions, sizes, and structs of other versions. */
#include "swathe/swathe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(swathe_rect) == 32 && sizeof(swathe_shape) == 64, "values keep their size");
_Static_assert(sizeof(swathe_status) == 4 && sizeof(swathe_type) == 4 &&
                   sizeof(swathe_layout) == 4 && sizeof(swathe_color) == 4 &&
                   sizeof(swathe_memory) == 4 && sizeof(swathe_table) == 4 &&
                   sizeof(swathe_text) == 4,
               "enumerations have 32 bits");

static int failures;

static void expect(int held, const char *what)
{
    if (!held) {
        printf("FAILED: %s (%s)\n", what, swathe_error_text());
        failures++;
    }
}

static void check_versions(void)
{
    char macros[64];
    snprintf(macros, sizeof macros, "%d.%d.%d", SWATHE_VERSION_MAJOR, SWATHE_VERSION_MINOR,
             SWATHE_VERSION_PATCH);
    expect(!strcmp(macros, SWATHE_VERSION), "the macros have meson's version");
    expect(!strcmp(macros, swathe_version()), "the macros have the library's version");
    expect(swathe_contract() == SWATHE_CONTRACT, "the macro has the library's contract");
}

/* A struct of a later header, longer than this header's. */
static void check_later_struct(void)
{
    struct {
        swathe_context_options known;
        int64_t later;
    } options = {SWATHE_INIT(swathe_context_options), 0};
    swathe_context *context = NULL;
    options.known.struct_size = sizeof options;
    expect(swathe_context_create(&options.known, &context) == SWATHE_OK,
           "an unknown field that is 0");
    swathe_context_destroy(context);
    options.later = 1;
    context = NULL;
    expect(swathe_context_create(&options.known, &context) == SWATHE_ERROR_UNSUPPORTED && !context,
           "an unknown field that is set");
}

/* Reserved fields, which callers must leave 0. */
static void check_reserved(void)
{
    swathe_shape shape = {.width = 2, .height = 3, .channels = 1, .type = SWATHE_U8};
    int64_t bytes = 0;
    expect(swathe_shape_bytes(&shape, &bytes) == SWATHE_OK && bytes == 6, "reserved is 0");
    for (int i = 0; i < 4; i++) {
        shape.reserved[i] = 1;
        expect(swathe_shape_bytes(&shape, &bytes) == SWATHE_ERROR_UNSUPPORTED, "reserved is 1");
        shape.reserved[i] = 0;
    }
}

static swathe_status grey(void *user, const swathe_image *into)
{
    (void)user;
    for (int64_t y = 0; y < into->height; y++)
        memset((char *)into->data + y * into->row_stride, 128, (size_t)into->width);
    return SWATHE_OK;
}

static swathe_status drop_pixels(void *user, const swathe_image *part)
{
    (void)user;
    (void)part;
    return SWATHE_OK;
}

static swathe_status no_bytes(void *user, int64_t offset, void *buffer, size_t count, size_t *got)
{
    (void)user;
    (void)offset;
    (void)buffer;
    (void)count;
    *got = 0;
    return SWATHE_OK;
}

static swathe_status drop_bytes(void *user, const void *bytes, size_t count)
{
    (void)user;
    (void)bytes;
    (void)count;
    return SWATHE_OK;
}

static void count_call(void *user)
{
    ++*(int *)user;
}

/* Expects that a call succeeds, or at least does not refuse the field, and that it refuses the
 * field when that is set. */
#define EXPECT_REFUSED(field, call)                                                                \
    do {                                                                                           \
        expect((call) != SWATHE_ERROR_UNSUPPORTED, #call);                                         \
        (field) = 1;                                                                               \
        expect((call) == SWATHE_ERROR_UNSUPPORTED &&                                               \
                   strstr(swathe_error_text(), "is reserved in this library"),                     \
               #field);                                                                            \
        (field) = 0;                                                                               \
    } while (0)

static void check_reserved_of_contexts(void)
{
    swathe_context_options options = SWATHE_INIT(swathe_context_options);
    swathe_context *context = NULL;
    options.reserved0 = 1;
    expect(swathe_context_create(&options, &context) == SWATHE_ERROR_UNSUPPORTED, "reserved0");
    options.reserved0 = 0;
    options.reserved[1] = 1;
    expect(swathe_context_create(&options, &context) == SWATHE_ERROR_UNSUPPORTED, "reserved");
}

static void check_reserved_of_runs(swathe_context *context)
{
    static uint8_t in[6], out[6];
    static const double taps[] = {1};
    swathe_shape shape = {.width = 2, .height = 3, .channels = 1, .type = SWATHE_U8};
    swathe_image from = SWATHE_INIT(swathe_image), to = from, tile = from;
    swathe_rect part = {0, 0, 1, 1};
    swathe_mask masks[2] = {SWATHE_INIT(swathe_mask), SWATHE_INIT(swathe_mask)};
    swathe_plan_options planning = SWATHE_INIT(swathe_plan_options);
    swathe_run_options running = SWATHE_INIT(swathe_run_options);
    swathe_source source = SWATHE_INIT(swathe_source);
    swathe_sink sink = SWATHE_INIT(swathe_sink);
    swathe_difference difference = SWATHE_INIT(swathe_difference);
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL, *other = NULL;
    source.shape = sink.shape = shape;
    source.read = grey;
    sink.write = drop_pixels;
    masks[0].width = masks[0].height = 1;
    masks[0].taps = taps;
    masks[1] = masks[0];
    expect(swathe_image_init(&shape, SWATHE_INTERLEAVED, in, &from) == SWATHE_OK &&
               swathe_image_init(&shape, SWATHE_INTERLEAVED, out, &to) == SWATHE_OK &&
               swathe_chain_parse(context, "box:3", &chain) == SWATHE_OK &&
               swathe_plan_create(context, chain, &shape, NULL, &plan) == SWATHE_OK,
           "a plan");
    EXPECT_REFUSED(from.reserved0, swathe_image_crop(&from, &part, &tile));
    EXPECT_REFUSED(from.reserved[3], swathe_run(context, plan, &from, &to, NULL));
    EXPECT_REFUSED(to.reserved[0], swathe_apply(context, "box:3", &from, &to, NULL));
    EXPECT_REFUSED(masks[1].reserved[2], swathe_chain_append_mask(context, chain, masks, 2, NULL));
    EXPECT_REFUSED(planning.reserved[1], swathe_apply(context, "box:3", &from, &to, &planning));
    planning.reserved[0] = 1;
    expect(swathe_plan_create(context, chain, &shape, &planning, &other) ==
               SWATHE_ERROR_UNSUPPORTED,
           "options of a plan");
    EXPECT_REFUSED(running.reserved0, swathe_run(context, plan, &from, &to, &running));
    EXPECT_REFUSED(running.reserved[0], swathe_run_stream(context, plan, &source, &sink, &running));
    EXPECT_REFUSED(source.reserved0, swathe_run_stream(context, plan, &source, &sink, NULL));
    EXPECT_REFUSED(source.reserved[1], swathe_compare(context, &source, &source, &difference));
    EXPECT_REFUSED(sink.reserved[2], swathe_run_stream(context, plan, &source, &sink, NULL));
    source.shape.reserved[0] = 1;
    expect(swathe_run_stream(context, plan, &source, &sink, NULL) == SWATHE_ERROR_UNSUPPORTED,
           "the shape of a source");
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
}

/* A reader or writer that is refused is released all the same. */
static void check_reserved_of_bytes(swathe_context *context)
{
    struct {
        swathe_reader known;
        int64_t later;
    } reader = {SWATHE_INIT(swathe_reader), 1};
    swathe_shape shape = {.width = 2, .height = 3, .channels = 1, .type = SWATHE_U8};
    swathe_writer writer = SWATHE_INIT(swathe_writer);
    swathe_read_options reading = SWATHE_INIT(swathe_read_options);
    swathe_write_options writing = SWATHE_INIT(swathe_write_options);
    swathe_source *source = NULL;
    swathe_sink *sink = NULL;
    int released = 0;
    reader.known.user = writer.user = &released;
    reader.known.read_at = no_bytes;
    reader.known.destroy = count_call;
    writer.write = drop_bytes;
    writer.abandon = count_call;
    writing.format = "none of these";
    EXPECT_REFUSED(reader.known.reserved0,
                   swathe_source_open(context, &reader.known, NULL, &source));
    EXPECT_REFUSED(reader.known.reserved[0],
                   swathe_source_open(context, &reader.known, NULL, &source));
    EXPECT_REFUSED(reading.reserved0,
                   swathe_source_open(context, &reader.known, &reading, &source));
    EXPECT_REFUSED(reading.reserved[0], swathe_file_open(context, "missing", &reading, &source));
    expect(released == 6, "each call releases its reader once");
    reader.known.struct_size = sizeof reader;
    expect(swathe_source_open(context, &reader.known, NULL, &source) == SWATHE_ERROR_UNSUPPORTED &&
               released == 7,
           "a reader of a later version");
    released = 0;
    EXPECT_REFUSED(writer.reserved[3],
                   swathe_sink_create(context, &writer, &shape, NULL, &writing, &sink));
    EXPECT_REFUSED(writing.reserved[2],
                   swathe_sink_create(context, &writer, &shape, NULL, &writing, &sink));
    expect(released == 4, "each call releases its writer once");
}

static swathe_error last_error(void)
{
    swathe_error error = SWATHE_INIT(swathe_error);
    expect(swathe_error_get(&error) == SWATHE_OK, "the last error");
    return error;
}

/* The error data of failures in the library and in callbacks. */
static void check_errors(swathe_context *context)
{
    swathe_source *source = NULL;
    expect(last_error().text != NULL, "a text where nothing failed yet");
    expect(swathe_file_open(context, "missing.png", NULL, &source) == SWATHE_ERROR_IO, "open");
    swathe_error error = last_error();
    expect(error.status == SWATHE_ERROR_IO && error.system == ENOENT && !error.subject &&
               strstr(error.text, strerror(ENOENT)),
           "the system's number");
    swathe_error own = SWATHE_INIT(swathe_error);
    own.status = SWATHE_ERROR_LIMIT;
    own.subject = "max_pixels";
    own.needed = 7;
    expect(swathe_error_record(&own) == SWATHE_ERROR_LIMIT, "its status");
    error = last_error();
    expect(error.status == SWATHE_ERROR_LIMIT && !strcmp(error.subject, "max_pixels") &&
               error.needed == 7 && error.system == 0 && !strcmp(error.text, ""),
           "all that was recorded");
    expect(swathe_error_set(SWATHE_ERROR_INPUT, "bent") == SWATHE_ERROR_INPUT, "its status");
    error = last_error();
    expect(error.status == SWATHE_ERROR_INPUT && !error.subject && !strcmp(error.text, "bent"),
           "nothing of the failure before");
}

/* Errors of a stream name both shapes. */
static void check_errors_of_shapes(swathe_context *context)
{
    swathe_shape shape = {.width = 30, .height = 40, .channels = 1, .type = SWATHE_U8};
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata), placed = metadata;
    swathe_rect part = {5, 5, 10, 10};
    swathe_source source = SWATHE_INIT(swathe_source);
    swathe_sink sink = SWATHE_INIT(swathe_sink);
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    source.shape = sink.shape = shape;
    source.read = grey;
    sink.write = drop_pixels;
    source.metadata = &metadata;
    expect(swathe_chain_parse(context, "box:3", &chain) == SWATHE_OK &&
               swathe_plan_create(context, chain, &shape, NULL, &plan) == SWATHE_OK,
           "a plan");
    sink.shape.type = SWATHE_U16;
    expect(swathe_run_stream(context, plan, &source, &sink, NULL) == SWATHE_ERROR_ARGUMENT &&
               !strcmp(swathe_error_text(), "the sink expects 30 x 40 x 1 u16, the run produces "
                                            "30 x 40 x 1 u8"),
           "a sink of another type");
    source.shape.width = 31;
    expect(swathe_run_stream(context, plan, &source, &sink, NULL) == SWATHE_ERROR_ARGUMENT &&
               !strcmp(swathe_error_text(), "the source has 31 x 40 x 1 u8, the plan is for "
                                            "30 x 40 x 1 u8"),
           "a source of another size");
    source.shape.channels = 0;
    expect(swathe_run_stream(context, plan, &source, &sink, NULL) == SWATHE_ERROR_ARGUMENT &&
               strstr(swathe_error_text(), "the source: 0 channels"),
           "a source without channels");
    metadata.geo_x = INT64_MAX;
    expect(swathe_plan_output(plan, &source, &part, &shape, &placed) == SWATHE_ERROR_ARGUMENT,
           "a position that cannot be moved");
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
}

static swathe_status no_space(void *user, const swathe_image *part)
{
    swathe_error error = SWATHE_INIT(swathe_error);
    (void)user;
    (void)part;
    error.status = SWATHE_ERROR_IO;
    error.system = ENOSPC;
    error.text = "the tape is full";
    return swathe_error_record(&error);
}

/* A sink fails on a thread of the pool; the caller gets the whole error. */
static void check_errors_of_threads(swathe_context *context)
{
    swathe_shape shape = {.width = 300, .height = 400, .channels = 1, .type = SWATHE_U8};
    swathe_source source = SWATHE_INIT(swathe_source);
    swathe_sink sink = SWATHE_INIT(swathe_sink);
    swathe_run_options options = SWATHE_INIT(swathe_run_options);
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    source.shape = sink.shape = shape;
    source.flags = sink.flags = SWATHE_CONCURRENT;
    source.read = grey;
    sink.write = no_space;
    options.cell_rows = 10;
    expect(swathe_chain_parse(context, "box:3", &chain) == SWATHE_OK &&
               swathe_plan_create(context, chain, &shape, NULL, &plan) == SWATHE_OK,
           "a plan");
    swathe_status status = swathe_run_stream(context, plan, &source, &sink, &options);
    swathe_error error = last_error();
    expect(status == SWATHE_ERROR_IO && error.status == status && error.system == ENOSPC &&
               strstr(error.text, "the tape is full"),
           "what a thread of the pool recorded");
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
}

/* ---- Constants that the header does not define ------------------------------------------------
 */

static void check_color(int32_t color)
{
    swathe_shape shape = {.width = 4, .height = 4, .channels = 3, .type = SWATHE_U8};
    swathe_type type = SWATHE_U8;
    shape.color = (swathe_color)color;
    expect(swathe_file_type("a.png", NULL, &shape, NULL, &type) == SWATHE_ERROR_ARGUMENT &&
               strstr(swathe_error_text(), "is not a color"),
           "a color");
}

/* As the type of a shape, and as that between stages, which the error names. */
static void check_type(swathe_context *context, int32_t type)
{
    swathe_shape shape = {.width = 4, .height = 4, .channels = 3, .type = (swathe_type)type};
    swathe_plan_options options = SWATHE_INIT(swathe_plan_options);
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    swathe_type found = SWATHE_U8;
    expect(swathe_file_type("a.png", NULL, &shape, NULL, &found) == SWATHE_ERROR_ARGUMENT &&
               strstr(swathe_error_text(), "is not a sample type"),
           "a type");
    shape.type = SWATHE_U8;
    options.type = SWATHE_F32;
    options.intermediate = (swathe_type)type;
    expect(swathe_chain_parse(context, "box:3", &chain) == SWATHE_OK, "a chain");
    expect(swathe_plan_create(context, chain, &shape, &options, &plan) == SWATHE_ERROR_ARGUMENT &&
               last_error().subject && strcmp(last_error().subject, "intermediate") == 0,
           "a type between stages");
    swathe_chain_destroy(chain);
}

static void check_table(int32_t number)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    expect(swathe_table_get((swathe_table)number, 0, &entry) == SWATHE_ERROR_ARGUMENT, "a table");
    for (swathe_table table = SWATHE_TABLE_FILTERS; table <= SWATHE_TABLE_STRATEGIES; table++)
        expect(swathe_table_get(table, number, &entry) == SWATHE_ERROR_ARGUMENT, "an entry");
}

static void check_constants(swathe_context *context)
{
    static const int32_t wrong[] = {INT32_MIN, -1, 32, 40, INT32_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        check_color(wrong[i]);
        check_type(context, wrong[i]);
        if (wrong[i] < 0 || wrong[i] == INT32_MAX)
            check_table(wrong[i]);
    }
    check_color(SWATHE_COLOR_LAB + 1);
    check_type(context, SWATHE_F64 + 1);
}

int main(void)
{
    swathe_context_options options = SWATHE_INIT(swathe_context_options);
    swathe_context *context = NULL;
    options.threads = 3;
    if (swathe_context_create(&options, &context) != SWATHE_OK)
        return 1;
    check_errors(context);
    check_errors_of_shapes(context);
    check_constants(context);
    check_errors_of_threads(context);
    check_reserved_of_runs(context);
    check_reserved_of_bytes(context);
    swathe_context_destroy(context);
    check_versions();
    check_later_struct();
    check_reserved();
    check_reserved_of_contexts();
    return failures ? 1 : 0;
}

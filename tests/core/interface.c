/* Promises of the public header about itself: versions, sizes, and structs of other versions. */
#include "shorthand.h"
#include "swathe/unstable.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(swathe_rect) == 32 && sizeof(swathe_shape) == 64, "values keep their size");
_Static_assert(sizeof(swathe_status) == 4 && sizeof(swathe_type) == 4 &&
                   sizeof(swathe_layout) == 4 && sizeof(swathe_color) == 4 &&
                   sizeof(swathe_table) == 4 && sizeof(swathe_text) == 4,
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
    expect(swathe_version_number() == SWATHE_VERSION_NUMBER, "the library's version as a number");
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

/* Reserved fields of a struct without a size, which callers must leave 0. */
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

/* A copy of a struct as a later header has it, with one more field. */
static void *lengthen(const void *known, size_t size, int64_t later)
{
    static _Alignas(16) char copy[1024];
    size_t longer = size + sizeof later;
    memcpy(copy, known, size);
    memcpy(copy, &longer, sizeof longer);
    memcpy(copy + size, &later, sizeof later);
    return copy;
}

static int refused(swathe_status status)
{
    return status == SWATHE_ERROR_UNSUPPORTED &&
           strstr(swathe_error_text(), "a field that this library") != NULL;
}

/* Expects that a call accepts `longer`, a struct with a field that is unknown and 0, and refuses it
 * when the field is set. */
#define EXPECT_LENGTHENED(known, call)                                                             \
    do {                                                                                           \
        void *longer = lengthen(&(known), sizeof(known), 0);                                       \
        expect(!refused(call), #call);                                                             \
        longer = lengthen(&(known), sizeof(known), 1);                                             \
        expect(refused(call), #call ", with an unknown field");                                    \
    } while (0)

static void check_longer_of_runs(swathe_context *context)
{
    static uint8_t in[6], out[6];
    swathe_shape shape = {.width = 2, .height = 3, .channels = 1, .type = SWATHE_U8};
    swathe_image from = SWATHE_INIT(swathe_image), to = from, tile = from;
    swathe_rect part = {0, 0, 1, 1};
    swathe_plan_options planning = SWATHE_INIT(swathe_plan_options);
    swathe_run_options running = SWATHE_INIT(swathe_run_options);
    swathe_clamped clamped = SWATHE_INIT(swathe_clamped);
    swathe_run_times times = SWATHE_INIT(swathe_run_times);
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL, *other = NULL;
    expect(swathe_image_init(&shape, SWATHE_INTERLEAVED, in, &from) == SWATHE_OK &&
               swathe_image_init(&shape, SWATHE_INTERLEAVED, out, &to) == SWATHE_OK &&
               swathe_chain_parse(context, "box:3", &chain) == SWATHE_OK &&
               swathe_plan_create(context, chain, &shape, NULL, &plan) == SWATHE_OK,
           "a plan");
    EXPECT_LENGTHENED(from, swathe_image_crop(longer, &part, &tile));
    EXPECT_LENGTHENED(from, swathe_run(context, plan, longer, &to, NULL));
    EXPECT_LENGTHENED(to, swathe_run(context, plan, &from, longer, NULL));
    EXPECT_LENGTHENED(from, swathe_filter(context, "box:3", longer, &to));
    EXPECT_LENGTHENED(to, swathe_filter(context, "box:3", &from, longer));
    EXPECT_LENGTHENED(planning, swathe_plan_create(context, chain, &shape, longer, &other));
    swathe_plan_destroy(other);
    EXPECT_LENGTHENED(running, swathe_run(context, plan, &from, &to, longer));
    EXPECT_LENGTHENED(clamped,
                      (running.clamped = longer, swathe_run(context, plan, &from, &to, &running)));
    running.clamped = NULL;
    EXPECT_LENGTHENED(times,
                      (running.times = longer, swathe_run(context, plan, &from, &to, &running)));
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
}

/* The second of several masks; their stride is the size that the first states. */
static void check_longer_masks(swathe_context *context)
{
    static const double taps[] = {1};
    struct {
        swathe_mask known;
        int64_t later;
    } masks[2] = {{SWATHE_INIT(swathe_mask), 0}};
    swathe_chain *chain = NULL;
    masks[0].known.struct_size = sizeof *masks;
    masks[0].known.width = masks[0].known.height = 1;
    masks[0].known.taps = taps;
    masks[1] = masks[0];
    expect(swathe_chain_parse(context, "box:3", &chain) == SWATHE_OK &&
               swathe_chain_append_mask(context, chain, &masks->known, 2, NULL) == SWATHE_OK,
           "masks of a later version");
    masks[1].later = 1;
    expect(refused(swathe_chain_append_mask(context, chain, &masks->known, 2, NULL)),
           "a mask with an unknown field");
    swathe_chain_destroy(chain);
}

static void check_longer_of_streams(swathe_context *context)
{
    swathe_shape shape = {.width = 2, .height = 3, .channels = 1, .type = SWATHE_U8};
    swathe_source_info from = SWATHE_INIT(swathe_source_info);
    swathe_source_callbacks reads = SWATHE_INIT(swathe_source_callbacks);
    swathe_sink_info to = SWATHE_INIT(swathe_sink_info);
    swathe_sink_callbacks writes = SWATHE_INIT(swathe_sink_callbacks);
    swathe_run_options running = SWATHE_INIT(swathe_run_options);
    swathe_image image = SWATHE_INIT(swathe_image);
    swathe_source *source = NULL, *other = NULL;
    swathe_sink *sink = NULL, *another = NULL;
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    uint8_t pixels[6];
    from.shape = to.shape = shape;
    reads.read = grey;
    writes.write = drop_pixels;
    expect(swathe_image_init(&shape, SWATHE_INTERLEAVED, pixels, &image) == SWATHE_OK &&
               swathe_source_wrap(context, &from, &reads, &source) == SWATHE_OK &&
               swathe_sink_wrap(context, &to, &writes, &sink) == SWATHE_OK &&
               swathe_chain_parse(context, "box:3", &chain) == SWATHE_OK &&
               swathe_plan_create(context, chain, &shape, NULL, &plan) == SWATHE_OK,
           "a plan");
    EXPECT_LENGTHENED(from, swathe_source_wrap(context, longer, &reads, &other));
    swathe_source_destroy(other);
    EXPECT_LENGTHENED(reads, swathe_source_wrap(context, &from, longer, &other));
    swathe_source_destroy(other);
    EXPECT_LENGTHENED(to, swathe_sink_wrap(context, longer, &writes, &another));
    swathe_sink_destroy(another);
    EXPECT_LENGTHENED(writes, swathe_sink_wrap(context, &to, longer, &another));
    swathe_sink_destroy(another);
    EXPECT_LENGTHENED(image, swathe_source_read(source, longer));
    EXPECT_LENGTHENED(image, swathe_sink_write(sink, longer));
    EXPECT_LENGTHENED(running, swathe_run_stream(context, plan, source, sink, longer));
    from.shape.reserved[0] = 1;
    expect(swathe_source_wrap(context, &from, &reads, &other) == SWATHE_ERROR_UNSUPPORTED,
           "the shape of a source");
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    swathe_sink_destroy(sink);
    swathe_source_destroy(source);
}

/* A reader or writer that is refused is released all the same. */
static void check_longer_of_bytes(swathe_context *context)
{
    swathe_shape shape = {.width = 2, .height = 3, .channels = 1, .type = SWATHE_U8};
    swathe_reader reader = SWATHE_INIT(swathe_reader);
    swathe_writer writer = SWATHE_INIT(swathe_writer);
    swathe_read_options reading = SWATHE_INIT(swathe_read_options);
    swathe_write_options writing = SWATHE_INIT(swathe_write_options);
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    swathe_source *source = NULL;
    swathe_sink *sink = NULL;
    int released = 0;
    reader.user = writer.user = &released;
    reader.read_at = no_bytes;
    reader.destroy = count_call;
    writer.write = drop_bytes;
    writer.abandon = count_call;
    writing.format = "none of these";
    EXPECT_LENGTHENED(reader, swathe_source_open(context, longer, NULL, &source));
    EXPECT_LENGTHENED(reading, swathe_source_open(context, &reader, longer, &source));
    EXPECT_LENGTHENED(reading, swathe_file_open(context, "missing", longer, &source));
    expect(released == 4, "each call releases its reader once");
    released = 0;
    EXPECT_LENGTHENED(writer, swathe_sink_create(context, longer, &shape, NULL, &writing, &sink));
    EXPECT_LENGTHENED(writing, swathe_sink_create(context, &writer, &shape, NULL, longer, &sink));
    EXPECT_LENGTHENED(metadata,
                      swathe_sink_create(context, &writer, &shape, longer, &writing, &sink));
    expect(released == 6, "each call releases its writer once");
}

/* A result that the library allocates. */
static void check_filter(swathe_context *context)
{
    static uint8_t pixels[6] = {1, 2, 3, 4, 5, 6};
    swathe_shape shape = {.width = 2, .height = 3, .channels = 1, .type = SWATHE_U8};
    swathe_image from = SWATHE_INIT(swathe_image), to = from;
    expect(swathe_image_init(&shape, SWATHE_INTERLEAVED, pixels, &from) == SWATHE_OK &&
               swathe_filter(context, "identity", &from, &to) == SWATHE_OK && to.data &&
               to.type == SWATHE_U8 && to.width == 2 && to.height == 3 &&
               !memcmp(to.data, pixels, sizeof pixels),
           "a result of the chain's own type");
    swathe_free(context, to.data);
    to = SWATHE_INIT(swathe_image);
    to.type = SWATHE_U16;
    expect(swathe_filter(context, "identity", &from, &to) == SWATHE_OK && to.type == SWATHE_U16 &&
               ((uint16_t *)to.data)[5] == 6 * 257,
           "a result of another type");
    swathe_free(context, to.data);
    to = SWATHE_INIT(swathe_image);
    expect(swathe_filter(context, "sharpn", &from, &to) == SWATHE_ERROR_ARGUMENT && !to.data,
           "a chain that is wrong");
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

/* Runs the plan, of a source of grey pixels to a sink; both have these shapes. */
static swathe_status run_shapes(swathe_context *context, const swathe_plan *plan,
                                const swathe_shape *from, const swathe_shape *to)
{
    swathe_source *source = wrapped_source(context, from, 0, grey, NULL);
    swathe_sink *sink = wrapped_sink(context, to, 0, drop_pixels, NULL);
    swathe_status status = swathe_run_stream(context, plan, source, sink, NULL);
    swathe_sink_destroy(sink);
    swathe_source_destroy(source);
    return status;
}

/* Errors of a stream name both shapes. */
static void check_errors_of_shapes(swathe_context *context)
{
    swathe_shape shape = {.width = 30, .height = 40, .channels = 1, .type = SWATHE_U8};
    swathe_shape wide = shape, deep = shape;
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    expect(swathe_chain_parse(context, "box:3", &chain) == SWATHE_OK &&
               swathe_plan_create(context, chain, &shape, NULL, &plan) == SWATHE_OK,
           "a plan");
    deep.type = SWATHE_U16;
    expect(run_shapes(context, plan, &shape, &deep) == SWATHE_ERROR_ARGUMENT &&
               !strcmp(swathe_error_text(), "the sink expects 30 x 40 x 1 u16, the run produces "
                                            "30 x 40 x 1 u8"),
           "a sink of another type");
    wide.width = 31;
    expect(run_shapes(context, plan, &wide, &deep) == SWATHE_ERROR_ARGUMENT &&
               !strcmp(swathe_error_text(), "the source has 31 x 40 x 1 u8, the plan is for "
                                            "30 x 40 x 1 u8"),
           "a source of another size");
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
}

static void check_far_position(swathe_context *context)
{
    swathe_shape shape = {.width = 30, .height = 40, .channels = 1, .type = SWATHE_U8};
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata), placed = metadata;
    swathe_rect part = {5, 5, 10, 10};
    swathe_source_info info = SWATHE_INIT(swathe_source_info);
    swathe_source_callbacks callbacks = SWATHE_INIT(swathe_source_callbacks);
    swathe_source *source = NULL;
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    info.shape = shape;
    info.metadata = &metadata;
    callbacks.read = grey;
    metadata.geo_x = INT64_MAX;
    expect(swathe_source_wrap(context, &info, &callbacks, &source) == SWATHE_OK &&
               swathe_chain_parse(context, "box:3", &chain) == SWATHE_OK &&
               swathe_plan_create(context, chain, &shape, NULL, &plan) == SWATHE_OK,
           "a plan");
    expect(swathe_plan_output(plan, source, &part, &shape, &placed) == SWATHE_ERROR_ARGUMENT &&
               strstr(swathe_error_text(), "exceeds 2^63"),
           "a position that cannot be moved");
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    swathe_source_destroy(source);
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
    swathe_source *source = wrapped_source(context, &shape, SWATHE_CONCURRENT, grey, NULL);
    swathe_sink *sink = wrapped_sink(context, &shape, SWATHE_CONCURRENT, no_space, NULL);
    swathe_run_options options = SWATHE_INIT(swathe_run_options);
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    options.cell_rows = 10;
    expect(swathe_chain_parse(context, "box:3", &chain) == SWATHE_OK &&
               swathe_plan_create(context, chain, &shape, NULL, &plan) == SWATHE_OK,
           "a plan");
    swathe_status status = swathe_run_stream(context, plan, source, sink, &options);
    swathe_error error = last_error();
    expect(status == SWATHE_ERROR_IO && error.status == status && error.system == ENOSPC &&
               strstr(error.text, "the tape is full"),
           "what a thread of the pool recorded");
    swathe_sink_destroy(sink);
    swathe_source_destroy(source);
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
    expect(swathe_file_type("a.png", NULL, &shape, SWATHE_VALUES_DEFAULT, &type) ==
                   SWATHE_ERROR_ARGUMENT &&
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
    expect(swathe_file_type("a.png", NULL, &shape, SWATHE_VALUES_DEFAULT, &found) ==
                   SWATHE_ERROR_ARGUMENT &&
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

/* As each enumeration of the options of a plan, which the error names. */
static void check_options(swathe_context *context, int32_t number)
{
    static const char *const names[] = {"border", "alpha", "light", "values", "exact", "tune"};
    swathe_shape shape = {.width = 4, .height = 4, .channels = 3, .type = SWATHE_U8};
    swathe_chain *chain = NULL;
    expect(swathe_chain_parse(context, "box:3", &chain) == SWATHE_OK, "a chain");
    for (int i = 0; i < 6; i++) {
        swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
        int32_t *fields[] = {&o.border, &o.alpha, &o.light, &o.values, &o.exact, &o.tune};
        swathe_plan *plan = NULL;
        *fields[i] = number;
        expect(swathe_plan_create(context, chain, &shape, &o, &plan) == SWATHE_ERROR_ARGUMENT &&
                   last_error().subject && strcmp(last_error().subject, names[i]) == 0,
               names[i]);
    }
    swathe_chain_destroy(chain);
}

static void check_constants(swathe_context *context)
{
    static const int32_t wrong[] = {INT32_MIN, -1, 32, 40, INT32_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        check_color(wrong[i]);
        check_type(context, wrong[i]);
        check_options(context, wrong[i]);
        if (wrong[i] < 0 || wrong[i] == INT32_MAX)
            check_table(wrong[i]);
    }
    check_color(SWATHE_COLOR_LAB + 1);
    check_type(context, SWATHE_F64 + 1);
    check_options(context, SWATHE_BORDER_VALID + 1);
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
    check_far_position(context);
    check_constants(context);
    check_errors_of_threads(context);
    check_filter(context);
    check_longer_of_runs(context);
    check_longer_masks(context);
    check_longer_of_streams(context);
    check_longer_of_bytes(context);
    swathe_context_destroy(context);
    check_versions();
    check_later_struct();
    check_reserved();
    return failures ? 1 : 0;
}

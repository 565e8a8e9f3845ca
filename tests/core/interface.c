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

static swathe_status grey(void *user, const swathe_image *into)
{
    (void)user;
    for (int64_t y = 0; y < into->height; y++)
        memset((char *)into->data + y * into->row_stride, 128, (size_t)into->width);
    return SWATHE_OK;
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

int main(void)
{
    swathe_context_options options = SWATHE_INIT(swathe_context_options);
    swathe_context *context = NULL;
    options.threads = 3;
    if (swathe_context_create(&options, &context) != SWATHE_OK)
        return 1;
    check_errors(context);
    check_errors_of_threads(context);
    swathe_context_destroy(context);
    check_versions();
    check_later_struct();
    check_reserved();
    return failures ? 1 : 0;
}

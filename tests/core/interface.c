/* Promises of the public header about itself: versions, sizes, and structs of other versions. */
#include "swathe/swathe.h"

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

int main(void)
{
    check_versions();
    check_later_struct();
    check_reserved();
    return failures ? 1 : 0;
}

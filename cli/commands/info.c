#include "commands/options.h"
#include "commands/request.h"
#include "commands/value.h"
#include "terminal/json.h"
#include "terminal/message.h"
#include "terminal/stored_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const double metres_per_inch = 0.0254;

static const char *color_name(swathe_color color)
{
    static const char *const names[] = {"unknown", "grey", "RGB", "CMYK", "Lab"};
    return (unsigned)color < sizeof names / sizeof *names ? names[color] : names[0];
}

static void print_metadata(const swathe_metadata *metadata)
{
    struct {
        const char *name;
        size_t size;
    } blocks[] = {{"ICC profile", metadata->icc_size},
                  {stored_exif(metadata) ? "EXIF" : "TIFF tags", metadata->exif_size},
                  {"XMP", metadata->xmp_size},
                  {"GeoTIFF", metadata->geo_size}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (blocks[i].size > 0)
            printf("%-12s %zu bytes\n", blocks[i].name, blocks[i].size);
    if (metadata->nodata && *metadata->nodata)
        printf("nodata       %s\n", metadata->nodata);
    if (metadata->x_resolution > 0 || metadata->y_resolution > 0)
        printf("resolution   %.4g x %.4g dots per inch\n", metadata->x_resolution * metres_per_inch,
               metadata->y_resolution * metres_per_inch);
}

static void print_people(struct json *json, const char *path, const swathe_source *source)
{
    (void)json;
    const swathe_source_info info = swathe_source_properties(source);
    const swathe_shape *shape = &info.shape;
    char size[32];
    int64_t bytes;
    printf("file         %s\n", path);
    printf("format       %s\n", info.format ? info.format : "unknown");
    if (info.pages > 1)
        printf("pages        %" PRId64 "\n", info.pages);
    printf("size         %" PRId64 " x %" PRId64 " pixels\n", shape->width, shape->height);
    printf("type         %s\n", value_type_name(shape->type));
    printf("channels     %d, %s%s\n", shape->channels, color_name(shape->color),
           shape->alpha ? " with alpha" : "");
    if (swathe_shape_bytes(shape, &bytes) == SWATHE_OK)
        printf("in memory    %s\n", value_size_text(bytes, size, sizeof size));
    stored_print(info.metadata);
    if (info.metadata)
        print_metadata(info.metadata);
}

static void print_json(struct json *json, const char *path, const swathe_source *source)
{
    const swathe_source_info info = swathe_source_properties(source);
    const swathe_shape *shape = &info.shape;
    const swathe_metadata none = SWATHE_INIT(swathe_metadata);
    const swathe_metadata *metadata = info.metadata ? info.metadata : &none;
    json_open(json, NULL, '{');
    json_text(json, "file", path);
    json_text(json, "format", info.format ? info.format : "unknown");
    json_integer(json, "pages", info.pages);
    json_integer(json, "width", shape->width);
    json_integer(json, "height", shape->height);
    json_integer(json, "channels", shape->channels);
    json_text(json, "type", value_type_name(shape->type));
    if (shape->color)
        json_text(json, "color", color_name(shape->color));
    else
        json_null(json, "color");
    json_integer(json, "alpha", shape->alpha);
    stored_json(json, metadata);
    json_integer(json, "icc_bytes", (int64_t)metadata->icc_size);
    bool exif = stored_exif(metadata);
    json_integer(json, "exif_bytes", exif ? (int64_t)metadata->exif_size : 0);
    json_integer(json, "tags_bytes", exif ? 0 : (int64_t)metadata->exif_size);
    json_integer(json, "xmp_bytes", (int64_t)metadata->xmp_size);
    json_integer(json, "geo_bytes", (int64_t)metadata->geo_size);
    if (metadata->nodata && *metadata->nodata)
        json_text(json, "nodata", metadata->nodata);
    else
        json_null(json, "nodata");
    double x = metadata->x_resolution, y = metadata->y_resolution;
    json_number(json, "x_pixels_per_metre", x > 0 ? x : NAN); /* null: not known */
    json_number(json, "y_pixels_per_metre", y > 0 ? y : NAN);
    json_close(json, '}');
}

int command_info(const struct options *options)
{
    bool as_json = options_has(options, OPTION_JSON), many = options->argument_count > 1;
    struct json json = {0};
    swathe_context *context;
    swathe_status status = request_context(options, &context);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    if (as_json && many)
        json_open(&json, NULL, '[');
    int code = 0;
    bool printed = false;
    for (int i = 0; i < options->argument_count; i++) {
        const char *path = options->arguments[i];
        swathe_source *source;
        int failed = request_source(context, options, path, &source);
        code = code == 0 ? failed : code;
        if (failed != 0)
            continue;
        if (printed && !as_json)
            printf("\n");
        (as_json ? print_json : print_people)(&json, path_read(path), source);
        swathe_source_destroy(source);
        printed = true;
    }
    if (as_json && many)
        json_close(&json, ']');
    swathe_context_destroy(context);
    return code;
}

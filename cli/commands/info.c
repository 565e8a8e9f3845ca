/* `swathe info`: the size of an image, and how its file stores samples and metadata. */
#include "commands/options.h"
#include "commands/request.h"
#include "commands/value.h"
#include "terminal/json.h"
#include "terminal/message.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- How a file stores an image ------------------------------------------------------------- */

enum { TAG_EXIF = 0x8769, TAG_GPS = 0x8825, ENTRY = 12 };

static unsigned cli_info_number(const unsigned char *at, int bytes, bool big)
{
    unsigned value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | at[big ? i : bytes - 1 - i];
    return value;
}

/* True if the first directory of a TIFF structure refers to an EXIF directory. */
static bool has_directory(const unsigned char *block, size_t size)
{
    bool big = size >= 8 && block[0] == 'M';
    size_t at = size >= 8 ? cli_info_number(block + 4, 4, big) : size;
    if (at + 2 > size)
        return false;
    size_t count = cli_info_number(block + at, 2, big);
    for (at += 2; count > 0 && at + ENTRY <= size; count--, at += ENTRY) {
        unsigned tag = cli_info_number(block + at, 2, big);
        if (tag == TAG_EXIF || tag == TAG_GPS)
            return true;
    }
    return false;
}

/* Tags of a TIFF, such as the camera's maker, are stored like EXIF. They count as EXIF only if
 * there is an EXIF directory. Other formats store complete EXIF blocks. */
static bool stored_exif(const swathe_metadata *metadata)
{
    const swathe_encoding *encoding = metadata->encoding;
    bool tiff = encoding && encoding->format && strcmp(encoding->format, "tiff") == 0;
    return metadata->exif_size > 0 && (!tiff || has_directory(metadata->exif, metadata->exif_size));
}

static const char *orientation_text(int32_t orientation)
{
    static const char *const texts[] = {"",
                                        "upright",
                                        "mirrored left to right",
                                        "upside down",
                                        "mirrored top to bottom",
                                        "mirrored, lying on its left side",
                                        "lying on its left side",
                                        "mirrored, lying on its right side",
                                        "lying on its right side"};
    return orientation >= 1 && orientation <= 8 ? texts[orientation] : "unknown";
}

/* Prints nothing if metadata is NULL or has no encoding. */
static void stored_print(const swathe_metadata *metadata)
{
    const swathe_encoding *encoding = metadata ? metadata->encoding : NULL;
    if (!encoding)
        return;
    if (encoding->tile_width > 0)
        printf("tiles        %" PRId64 " x %" PRId64 "\n", encoding->tile_width,
               encoding->tile_height);
    else if (encoding->tile_height > 0)
        printf("strips       %" PRId64 " row%s each\n", encoding->tile_height,
               encoding->tile_height == 1 ? "" : "s");
    if (encoding->compression)
        printf("compression  %s\n", encoding->compression);
    if (encoding->quality > 0)
        printf("quality      about %d, estimated from its quantization tables\n",
               encoding->quality);
    if (encoding->subsampling > 0)
        printf("subsampling  %d:%d:%d\n", encoding->subsampling / 100,
               encoding->subsampling / 10 % 10, encoding->subsampling % 10);
    if (encoding->bits > 0)
        printf("stored bits  %d bit%s per sample\n", encoding->bits,
               encoding->bits == 1 ? "" : "s");
    if (encoding->progressive)
        printf("progressive  yes\n");
    if (encoding->frames > 1)
        printf("frames       %d; only the first is read\n", encoding->frames);
    if (encoding->palette)
        printf("palette      yes\n");
    if (encoding->planar)
        printf("layout       planar, one plane per channel\n");
    if (encoding->orientation > 1)
        printf("orientation  %d, %s; --orient turns it upright\n", encoding->orientation,
               orientation_text(encoding->orientation));
}

/* Writes null for 0: unknown or not applicable. */
static void json_count(struct json *json, const char *name, int64_t value)
{
    if (value > 0)
        json_integer(json, name, value);
    else
        json_null(json, name);
}

static void stored_json(struct json *json, const swathe_metadata *metadata)
{
    const swathe_encoding none = SWATHE_INIT(swathe_encoding);
    const swathe_encoding *encoding = metadata && metadata->encoding ? metadata->encoding : &none;
    bool tiles = encoding->tile_width > 0;
    json_count(json, "tile_width", encoding->tile_width);
    json_count(json, "tile_height", tiles ? encoding->tile_height : 0);
    json_count(json, "strip_height", tiles ? 0 : encoding->tile_height);
    if (encoding->compression)
        json_text(json, "compression", encoding->compression);
    else
        json_null(json, "compression");
    json_count(json, "quality", encoding->quality);
    json_count(json, "subsampling", encoding->subsampling);
    json_count(json, "stored_bits", encoding->bits);
    json_bool(json, "progressive", encoding->progressive != 0);
    json_count(json, "frames", encoding->frames);
    json_bool(json, "palette", encoding->palette != 0);
    json_bool(json, "planar", encoding->planar != 0);
    json_count(json, "orientation", encoding->orientation);
}

/* ---- The command ---------------------------------------------------------------------------- */

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

static void cli_info_print_people(struct json *json, const char *path, const swathe_source *source)
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

static void cli_info_print_json(struct json *json, const char *path, const swathe_source *source)
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
        (as_json ? cli_info_print_json : cli_info_print_people)(&json, path_read(path), source);
        swathe_source_destroy(source);
        printed = true;
    }
    if (as_json && many)
        json_close(&json, ']');
    swathe_context_destroy(context);
    return code;
}

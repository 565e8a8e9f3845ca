#include "file/nodata.h"

#include "commands/request.h"
#include "sample_value.h"
#include "terminal/message.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *tag_of(const swathe_source *source)
{
    const swathe_metadata *metadata = swathe_source_properties(source).metadata;
    const char *tag = metadata ? metadata->nodata : NULL;
    return tag ? tag : "";
}

/* Is it "tag", or "tag:" with options? */
static bool wants_tag(const char *option)
{
    return strncmp(option, "tag", 3) == 0 && (option[3] == '\0' || option[3] == ':');
}

/* How --mask marks pixels without a nodata value. */
static const char *mark_of(const swathe_source *source)
{
    swathe_type type = swathe_source_properties(source).shape.type;
    return type == SWATHE_F32 || type == SWATHE_F64 ? "nan" : "mask";
}

int nodata_find(const struct options *options, const swathe_source *source, struct nodata *nodata)
{
    const char *option = options_text(options, OPTION_NODATA), *tag = tag_of(source);
    option = option ? option : "tag";
    *nodata = (struct nodata){.ignored = strcmp(option, "none") == 0};
    if (strlen(option) + strlen(tag) >= sizeof nodata->text)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "--nodata '%.40s…' is too long; it takes a number, nan, mask, tag or none",
                        option);
    nodata->from_tag = wants_tag(option) && *tag;
    if (nodata->from_tag)
        snprintf(nodata->text, sizeof nodata->text, "%s%s", tag, option + 3);
    else if (options_has(options, OPTION_MASK) && (wants_tag(option) || nodata->ignored))
        snprintf(nodata->text, sizeof nodata->text, "%s%s", mark_of(source),
                 nodata->ignored ? "" : option + 3);
    else if (!nodata->ignored && !wants_tag(option))
        snprintf(nodata->text, sizeof nodata->text, "%s", option);
    return 0;
}

const char *nodata_text(const struct nodata *nodata)
{
    return *nodata->text ? nodata->text : NULL;
}

/* ---- --mask --------------------------------------------------------------------------------- */

struct mask_source {
    swathe_source *image, *mask;
    swathe_shape mask_shape;
    bool adds_channel;     /* alpha, for pixels that have no value of their own for missing */
    double missing, there; /* samples to write: `there` only into the added channel */
};

static void write_pixel(const struct mask_source *own, const swathe_image *into, uint8_t *pixel,
                        bool present)
{
    if (own->adds_channel)
        sample_store(pixel + (into->channels - 1) * into->channel_stride, into->type,
                     present ? own->there : 0.0);
    for (int32_t c = 0; c < into->channels && !present && !own->adds_channel; c++)
        sample_store(pixel + c * into->channel_stride, into->type, own->missing);
}

static void nodata_write_part(const struct mask_source *own, const swathe_image *into,
                              const swathe_image *mask)
{
    for (int64_t y = 0; y < into->height; y++)
        for (int64_t x = 0; x < into->width; x++) {
            double sample = sample_load((const uint8_t *)mask->data + y * mask->row_stride +
                                            x * mask->pixel_stride,
                                        mask->type);
            write_pixel(own, into,
                        (uint8_t *)into->data + y * into->row_stride + x * into->pixel_stride,
                        sample > 0.0 || sample < 0.0);
        }
}

static swathe_status nodata_read_mask(const struct mask_source *own, const swathe_image *into)
{
    swathe_shape shape = own->mask_shape;
    swathe_image part = SWATHE_INIT(swathe_image);
    int64_t bytes;
    shape.width = into->width;
    shape.height = into->height;
    swathe_status status = swathe_shape_bytes(&shape, &bytes);
    void *samples = status == SWATHE_OK ? malloc((size_t)bytes) : NULL;
    if (status == SWATHE_OK && !samples)
        status = swathe_error_set(SWATHE_ERROR_MEMORY, "no memory for a part of the mask");
    if (status == SWATHE_OK)
        status = swathe_image_init(&shape, SWATHE_INTERLEAVED, samples, &part);
    part.x = into->x;
    part.y = into->y;
    part.full_width = own->mask_shape.width;
    part.full_height = own->mask_shape.height;
    if (status == SWATHE_OK)
        status = swathe_source_read(own->mask, &part);
    if (status == SWATHE_OK)
        nodata_write_part(own, into, &part);
    free(samples);
    return status;
}

static swathe_status nodata_read_part(void *user, const swathe_image *into)
{
    const struct mask_source *own = user;
    swathe_image image = *into;
    image.struct_size = sizeof image;
    if (own->adds_channel) {
        image.channels--;
        image.alpha = 0;
    }
    swathe_status status = swathe_source_read(own->image, &image);
    return status == SWATHE_OK ? nodata_read_mask(own, into) : status;
}

static void nodata_destroy(void *user)
{
    struct mask_source *own = user;
    swathe_source_destroy(own->image);
    swathe_source_destroy(own->mask);
    free(own);
}

static int nodata_check(const char *path, const swathe_shape *mask, const swathe_shape *image)
{
    if (mask->width != image->width || mask->height != image->height)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "%s: has %" PRId64 " x %" PRId64 " pixels, the image %" PRId64 " x %" PRId64
                        "; --mask takes an image of the same size",
                        path, mask->width, mask->height, image->width, image->height);
    if (mask->channels != 1)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "%s: has %d channels; --mask takes a grey image without alpha, which is 0 "
                        "where pixels are missing",
                        path, mask->channels);
    if (image->alpha > 0)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "--mask %s: the image has an alpha channel already; --nodata mask takes "
                        "that as its mask",
                        path);
    return 0;
}

static double nodata_lowest(swathe_type type)
{
    return type == SWATHE_S16 ? INT16_MIN : type == SWATHE_S32 ? INT32_MIN : 0.0;
}

/* How missing pixels are marked. The library refuses values that the type does not have. */
static void choose_mark(struct mask_source *own, const struct nodata *nodata, swathe_shape *shape)
{
    swathe_type type = shape->type;
    bool integer = type != SWATHE_F32 && type != SWATHE_F64;
    own->adds_channel = strncmp(nodata->text, "mask", 4) == 0;
    own->there = sample_opaque(type);
    own->missing = strncmp(nodata->text, "nan", 3) == 0 ? NAN : strtod(nodata->text, NULL);
    if (integer)
        own->missing = fmin(fmax(own->missing, nodata_lowest(type)), sample_opaque(type));
    if (own->adds_channel)
        shape->alpha = ++shape->channels;
}

/* The properties of the image with its mask. */
static swathe_source_info nodata_both(struct mask_source *own, const struct nodata *nodata)
{
    swathe_source_info image = swathe_source_properties(own->image);
    swathe_source_info mask = swathe_source_properties(own->mask);
    image.flags = ((image.flags | mask.flags) & SWATHE_FORWARD) |
                  (image.flags & mask.flags & SWATHE_CONCURRENT);
    image.held_bytes += mask.held_bytes;
    choose_mark(own, nodata, &image.shape);
    return image;
}

/* Opens the mask and replaces the source by one that owns both. */
static int nodata_wrap(swathe_context *context, struct mask_source *own,
                       const struct options *options, const struct nodata *nodata,
                       swathe_source **source)
{
    const char *path = options_text(options, OPTION_MASK);
    swathe_shape shape = swathe_source_properties(*source).shape;
    int code = request_page(context, options, path, 1, NULL, &own->mask);
    own->mask_shape = swathe_source_properties(own->mask).shape;
    if (code == 0)
        code = nodata_check(path, &own->mask_shape, &shape);
    if (code != 0)
        return code;
    own->image = *source;
    swathe_source_info info = nodata_both(own, nodata);
    swathe_source_callbacks callbacks = SWATHE_INIT(swathe_source_callbacks);
    callbacks.user = own;
    callbacks.read = nodata_read_part;
    callbacks.destroy = nodata_destroy;
    swathe_status status = swathe_source_wrap(context, &info, &callbacks, source);
    return status == SWATHE_OK ? 0 : complain_library(status, path);
}

int mask_source_wrap(swathe_context *context, const struct options *options, swathe_source **source)
{
    const char *path = options_text(options, OPTION_MASK);
    struct nodata nodata;
    if (!path)
        return 0;
    if (strcmp(path, "-") == 0)
        return complain(SWATHE_ERROR_ARGUMENT, "--mask needs a named file");
    struct mask_source *own = calloc(1, sizeof *own);
    if (!own)
        return complain(SWATHE_ERROR_MEMORY, "no memory for %zu bytes", sizeof *own);
    int code = nodata_find(options, *source, &nodata);
    if (code == 0)
        code = nodata_wrap(context, own, options, &nodata, source);
    if (code != 0) {
        swathe_source_destroy(own->mask);
        free(own);
    }
    return code;
}

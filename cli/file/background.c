#include "file/background.h"

#include "commands/value.h"
#include "sample_value.h"
#include "terminal/message.h"

#include <math.h>
#include <stdlib.h>

struct background {
    swathe_sink *file;
    bool transparent; /* the current page has alpha */
    double color[3];  /* 0 to 255 */
};

swathe_shape background_shape(const struct options *options, const swathe_shape *shape)
{
    swathe_shape opaque = *shape;
    if (options_has(options, OPTION_BACKGROUND) && shape->alpha > 0) {
        opaque.channels--;
        opaque.alpha = 0;
    }
    return opaque;
}

int background_check(const struct options *options, const swathe_shape *shape)
{
    double color[3];
    if (!options_has(options, OPTION_BACKGROUND) || shape->alpha == 0)
        return 0;
    value_color(options_text(options, OPTION_BACKGROUND), color);
    int32_t colors = shape->channels - 1;
    if (!(shape->color == SWATHE_COLOR_GREY && colors == 1) &&
        !(shape->color == SWATHE_COLOR_RGB && colors == 3))
        return complain(SWATHE_ERROR_UNSUPPORTED,
                        "--background is for grey and RGB images with alpha, and the result is "
                        "neither");
    if (colors == 1 && (color[0] != color[1] || color[1] != color[2]))
        return complain(SWATHE_ERROR_ARGUMENT,
                        "--background %s: the result is grey; name a grey, as in 128,128,128",
                        options_text(options, OPTION_BACKGROUND));
    return 0;
}

/* A sample of weight `alpha` in front of one of `behind`. Exact for u8 and u16, whose A is odd, so
 * that no quotient is halfway between two numbers. */
static double background_compose(double sample, double alpha, double opaque, double behind,
                                 bool integer)
{
    if (!(alpha > 0.0))
        return behind;
    if (alpha >= opaque)
        return sample;
    double sum = (sample * alpha + behind * (opaque - alpha)) / opaque;
    return integer ? floor(sum + 0.5) : sum;
}

static void compose_part(const struct background *own, const swathe_image *from,
                         const swathe_image *into)
{
    bool integer = from->type != SWATHE_F32 && from->type != SWATHE_F64;
    double opaque = sample_opaque(from->type), behind[3];
    for (int c = 0; c < 3; c++) {
        behind[c] = own->color[c] / 255.0 * opaque;
        behind[c] = integer ? floor(behind[c] + 0.5) : behind[c];
    }
    for (int64_t y = 0; y < from->height; y++)
        for (int64_t x = 0; x < from->width; x++) {
            const uint8_t *pixel =
                (const uint8_t *)from->data + y * from->row_stride + x * from->pixel_stride;
            uint8_t *to = (uint8_t *)into->data + y * into->row_stride + x * into->pixel_stride;
            double alpha =
                sample_load(pixel + (from->alpha - 1) * from->channel_stride, from->type);
            for (int32_t c = 0; c < into->channels; c++) {
                int32_t at = c + (c >= from->alpha - 1);
                double sample = sample_load(pixel + at * from->channel_stride, from->type);
                sample_store(to + c * into->channel_stride, into->type,
                             background_compose(sample, alpha, opaque, behind[c], integer));
            }
        }
}

static swathe_status background_write_part(void *user, const swathe_image *from)
{
    struct background *own = user;
    swathe_shape shape = swathe_sink_properties(own->file).shape;
    swathe_image part = SWATHE_INIT(swathe_image);
    int64_t bytes;
    if (!own->transparent)
        return swathe_sink_write(own->file, from);
    shape.width = from->width;
    shape.height = from->height;
    swathe_status status = swathe_shape_bytes(&shape, &bytes);
    void *samples = status == SWATHE_OK ? malloc((size_t)bytes) : NULL;
    if (status == SWATHE_OK && !samples)
        status = swathe_error_set(SWATHE_ERROR_MEMORY, "no memory for a part of the result");
    if (status == SWATHE_OK)
        status = swathe_image_init(&shape, SWATHE_INTERLEAVED, samples, &part);
    part.x = from->x;
    part.y = from->y;
    part.full_width = from->full_width;
    part.full_height = from->full_height;
    if (status == SWATHE_OK) {
        compose_part(own, from, &part);
        status = swathe_sink_write(own->file, &part);
    }
    free(samples);
    return status;
}

static swathe_status background_commit(void *user)
{
    struct background *own = user;
    return swathe_sink_commit(own->file);
}

static void background_destroy(void *user)
{
    struct background *own = user;
    swathe_sink_destroy(own->file);
    free(own);
}

static swathe_status background_next_page(void *user, const swathe_shape *shape,
                                          const swathe_metadata *metadata, swathe_sink_info *info)
{
    struct background *own = user;
    swathe_shape opaque = *shape;
    opaque.channels -= shape->alpha > 0;
    opaque.alpha = 0;
    swathe_status status = swathe_sink_next_page(own->file, &opaque, metadata);
    if (status != SWATHE_OK)
        return status;
    own->transparent = shape->alpha > 0;
    *info = swathe_sink_properties(own->file);
    info->shape = *shape;
    return SWATHE_OK;
}

int background_wrap(swathe_context *context, const struct options *options,
                    const swathe_shape *shape, swathe_sink **sink)
{
    swathe_sink_info info = swathe_sink_properties(*sink);
    swathe_sink_callbacks callbacks = SWATHE_INIT(swathe_sink_callbacks);
    if (!options_has(options, OPTION_BACKGROUND) ||
        (shape->alpha == 0 && !(info.flags & SWATHE_PAGES)))
        return 0;
    struct background *own = calloc(1, sizeof *own);
    if (!own)
        return complain(SWATHE_ERROR_MEMORY, "no memory for %zu bytes", sizeof *own);
    value_color(options_text(options, OPTION_BACKGROUND), own->color);
    own->file = *sink;
    own->transparent = shape->alpha > 0;
    callbacks.user = own;
    callbacks.write = background_write_part;
    callbacks.commit = background_commit;
    callbacks.destroy = background_destroy;
    callbacks.next_page = info.flags & SWATHE_PAGES ? background_next_page : NULL;
    info.shape = *shape;
    swathe_status status = swathe_sink_wrap(context, &info, &callbacks, sink);
    if (status == SWATHE_OK)
        return 0;
    free(own);
    return complain_library(status, NULL);
}

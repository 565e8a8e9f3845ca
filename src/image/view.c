#include "image/view.h"

#include "base/checked.h"

#include <inttypes.h>
#include <string.h>

swathe_status shape_check(const swathe_shape *shape)
{
    if (shape->width < 1 || shape->height < 1 || shape->width > VIEW_EXTENT_MAX ||
        shape->height > VIEW_EXTENT_MAX)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "an image of %" PRId64 " x %" PRId64 " pixels; each side must be 1 to 2^40",
                    shape->width, shape->height);
    if (shape->channels < 1 || shape->channels > VIEW_CHANNELS_MAX)
        return fail(SWATHE_ERROR_ARGUMENT, "%d channels; an image has 1 to %d", shape->channels,
                    VIEW_CHANNELS_MAX);
    if (!sample_entry(shape->type))
        return fail(SWATHE_ERROR_ARGUMENT, "%d is not a sample type", (int)shape->type);
    if (shape->color < SWATHE_COLOR_UNKNOWN || shape->color > SWATHE_COLOR_LAB)
        return fail(SWATHE_ERROR_ARGUMENT, "%d is not a color", (int)shape->color);
    if (shape->alpha < 0 || shape->alpha > shape->channels)
        return fail(SWATHE_ERROR_ARGUMENT, "alpha is channel %d of %d", shape->alpha,
                    shape->channels);
    for (size_t i = 0; i < sizeof shape->reserved / sizeof *shape->reserved; i++)
        if (shape->reserved[i])
            return fail(SWATHE_ERROR_UNSUPPORTED,
                        "reserved[%zu] of a shape is set; initialise it with {0}", i);
    return SWATHE_OK;
}

swathe_status shape_bytes(const swathe_shape *shape, int64_t *bytes)
{
    TRY(shape_check(shape));
    int64_t pixel = (int64_t)shape->channels * sample_size(shape->type);
    if (!checked_mul3(shape->width, shape->height, pixel, bytes))
        return fail(SWATHE_ERROR_LIMIT,
                    "%" PRId64 " x %" PRId64 " pixels of %" PRId64 " bytes exceed 2^63 bytes",
                    shape->width, shape->height, pixel);
    return SWATHE_OK;
}

/* One axis of a view: a number of samples and their stride in bytes. */
struct axis {
    int64_t count, stride;
};
enum { AXES = 3 };

static void axes_of(const swathe_image *image, struct axis *axes)
{
    axes[0] = (struct axis){image->height, image->row_stride};
    axes[1] = (struct axis){image->width, image->pixel_stride};
    axes[2] = (struct axis){image->channels, image->channel_stride};
}

/* Finds the addresses that a view covers, [first, last); false if they exceed the address space.
 * Any address may have its top bit set: 32-bit pointers, tagged pointers. */
static bool find_extent(const swathe_image *image, uint64_t *first, uint64_t *last)
{
    struct axis axes[AXES];
    uint64_t data = (uintptr_t)image->data;
    int64_t low = 0, high = sample_size(image->type);
    axes_of(image, axes);
    for (int i = 0; i < AXES; i++) {
        int64_t reach;
        if (!checked_mul(axes[i].count - 1, axes[i].stride, &reach))
            return false;
        int64_t *end = reach < 0 ? &low : &high;
        if (!checked_add(*end, reach, end))
            return false;
    }
    uint64_t before = 0 - (uint64_t)low, after = (uint64_t)high;
    *first = data - before;
    *last = data + after;
    return before < data && after <= UINTPTR_MAX - data && before + after <= INT64_MAX;
}

static bool image_view_aligned(const swathe_image *image)
{
    int64_t size = sample_size(image->type);
    return (uintptr_t)image->data % (uintptr_t)size == 0 && image->row_stride % size == 0 &&
           image->pixel_stride % size == 0 && image->channel_stride % size == 0;
}

swathe_status view_check(const swathe_image *image, const char *what)
{
    swathe_shape shape = view_shape(image);
    shape.width = image->width;
    shape.height = image->height;
    swathe_status status = shape_check(&shape);
    if (status != SWATHE_OK)
        return fail_within(status, "%s: ", what);
    if (!image->data)
        return fail(SWATHE_ERROR_ARGUMENT, "%s: data is NULL", what);
    if (!image_view_aligned(image))
        return fail(SWATHE_ERROR_ARGUMENT, "%s: data and strides must be multiples of %d bytes",
                    what, sample_size(image->type));
    uint64_t first, last;
    if (!find_extent(image, &first, &last))
        return fail(SWATHE_ERROR_LIMIT, "%s: its strides exceed the address space", what);
    if (image->x < 0 || image->y < 0 || image->x > VIEW_EXTENT_MAX || image->y > VIEW_EXTENT_MAX)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "%s: x and y are (%" PRId64 ", %" PRId64 "); they must be 0 to 2^40", what,
                    image->x, image->y);
    return SWATHE_OK;
}

swathe_status view_init(const swathe_shape *shape, swathe_layout layout, void *data,
                        swathe_image *image)
{
    int64_t bytes, size = sample_size(shape->type);
    TRY(shape_bytes(shape, &bytes));
    swathe_image view = SWATHE_INIT(swathe_image);
    view.data = data;
    view.width = view.full_width = shape->width;
    view.height = view.full_height = shape->height;
    view.channels = shape->channels;
    view.type = shape->type;
    view.color = shape->color;
    view.alpha = shape->alpha;
    view.pixel_stride = layout == SWATHE_PLANAR ? size : size * shape->channels;
    view.row_stride = view.pixel_stride * shape->width;
    view.channel_stride = layout == SWATHE_PLANAR ? view.row_stride * shape->height : size;
    *image = view;
    return SWATHE_OK;
}

swathe_shape view_shape(const swathe_image *image)
{
    return swathe_image_shape(image);
}

bool rect_contains(const swathe_rect *outer, const swathe_rect *inner)
{
    /* Callers may pass any coordinates: differences of ordered values cannot overflow. */
    return inner->x >= outer->x && inner->y >= outer->y && inner->width >= 0 &&
           inner->height >= 0 && inner->width <= outer->width && inner->height <= outer->height &&
           inner->x - outer->x <= outer->width - inner->width &&
           inner->y - outer->y <= outer->height - inner->height;
}

swathe_status view_check_within(const swathe_shape *shape, const swathe_rect *part)
{
    swathe_rect whole = {0, 0, shape->width, shape->height};
    if (rect_contains(&whole, part))
        return SWATHE_OK;
    return fail(SWATHE_ERROR_ARGUMENT,
                "the part %" PRId64 "x%" PRId64 "+%" PRId64 "+%" PRId64
                " is not within the image of %" PRId64 " x %" PRId64,
                part->width, part->height, part->x, part->y, shape->width, shape->height);
}

swathe_status view_crop(const swathe_image *image, const swathe_rect *rect, swathe_image *tile)
{
    swathe_rect whole = view_rect(image);
    if (rect->width < 1 || rect->height < 1 || !rect_contains(&whole, rect))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "the part %" PRId64 "x%" PRId64 "+%" PRId64 "+%" PRId64
                    " is not within the view %" PRId64 "x%" PRId64 "+%" PRId64 "+%" PRId64,
                    rect->width, rect->height, rect->x, rect->y, whole.width, whole.height, whole.x,
                    whole.y);
    swathe_shape full = view_shape(image);
    swathe_image part = *image;
    part.data = view_at(image, rect->x, rect->y, 0);
    part.full_width = full.width;
    part.full_height = full.height;
    part.x = rect->x;
    part.y = rect->y;
    part.width = rect->width;
    part.height = rect->height;
    *tile = part;
    return SWATHE_OK;
}

/* The absolute value of a stride. It does not overflow, because the extent of the view was
 * checked. */
static int64_t size_of_stride(const struct axis *axis)
{
    return axis->count == 1 ? 0 : axis->stride < 0 ? -axis->stride : axis->stride;
}

static void sort_axes(struct axis *axes)
{
    for (int i = 1; i < AXES; i++)
        for (int j = i; j > 0 && size_of_stride(&axes[j]) < size_of_stride(&axes[j - 1]); j--) {
            struct axis other = axes[j];
            axes[j] = axes[j - 1];
            axes[j - 1] = other;
        }
}

swathe_status view_check_result(const swathe_image *image, const char *what)
{
    TRY(view_check(image, what));
    struct axis axes[AXES];
    int64_t reach = sample_size(image->type);
    axes_of(image, axes);
    sort_axes(axes);
    for (int i = 0; i < AXES; i++) {
        if (axes[i].count == 1)
            continue;
        if (size_of_stride(&axes[i]) < reach)
            return fail(SWATHE_ERROR_ARGUMENT,
                        "%s: with a stride of %" PRId64
                        " bytes samples overlap others, which span %" PRId64
                        " bytes; increase the stride",
                        what, axes[i].stride, reach);
        reach += (axes[i].count - 1) * size_of_stride(&axes[i]);
    }
    return SWATHE_OK;
}

/* Finds the range [first, last) of byte offsets modulo `pitch` that the samples of a view occupy.
 * False if they occupy all of it. */
static bool place_in_pitch(const swathe_image *image, int64_t pitch, int64_t *first, int64_t *last)
{
    struct axis axes[AXES];
    int64_t low = 0, high = sample_size(image->type);
    axes_of(image, axes);
    for (int i = 0; i < AXES; i++) {
        if (axes[i].count == 1 || axes[i].stride % pitch == 0)
            continue;
        int64_t reach = (axes[i].count - 1) * axes[i].stride;
        *(reach < 0 ? &low : &high) += reach;
    }
    uint64_t step = (uint64_t)pitch, start = (uintptr_t)image->data % step;
    *first = (int64_t)((start + step - (0 - (uint64_t)low) % step) % step);
    *last = *first + (high - low);
    return high - low <= pitch;
}

/* True if the views never share an offset modulo the pitch, such as halves of the same rows or
 * channels of the same pixels. */
static bool apart_by(const swathe_image *a, const swathe_image *b, int64_t pitch)
{
    int64_t a_first, a_last, b_first, b_last;
    if (pitch <= 0 || !place_in_pitch(a, pitch, &a_first, &a_last) ||
        !place_in_pitch(b, pitch, &b_first, &b_last))
        return false;
    return a_first < b_first ? a_last <= b_first && b_last - pitch <= a_first
                             : b_last <= a_first && a_last - pitch <= b_first;
}

bool view_overlap(const swathe_image *a, const swathe_image *b)
{
    uint64_t a_first, a_last, b_first, b_last;
    struct axis axes[2 * AXES];
    if (find_extent(a, &a_first, &a_last) && find_extent(b, &b_first, &b_last) &&
        (a_last <= b_first || b_last <= a_first))
        return false;
    axes_of(a, axes);
    axes_of(b, axes + AXES);
    /* Tries the strides of both views: either may have a single row. */
    for (int i = 0; i < 2 * AXES; i++)
        if (apart_by(a, b, size_of_stride(&axes[i])))
            return false;
    return true;
}

void view_copy_samples(const void *from, int64_t from_stride, void *to, int64_t to_stride,
                       int64_t count, int32_t size)
{
    const char *a = from;
    char *b = to;
    /* With a constant size each copy compiles to one move. */
    if (size == 1)
        for (int64_t i = 0; i < count; i++)
            b[i * to_stride] = a[i * from_stride];
    else if (size == 2)
        for (int64_t i = 0; i < count; i++)
            memcpy(b + i * to_stride, a + i * from_stride, 2);
    else if (size == 4)
        for (int64_t i = 0; i < count; i++)
            memcpy(b + i * to_stride, a + i * from_stride, 4);
    else
        for (int64_t i = 0; i < count; i++)
            memcpy(b + i * to_stride, a + i * from_stride, 8);
}

/* True if the samples of a row are consecutive in memory. */
static bool dense_pixels(const swathe_image *image)
{
    int32_t size = sample_size(image->type);
    return image->channel_stride == size && image->pixel_stride == (int64_t)size * image->channels;
}

void view_copy(const swathe_image *from, const swathe_image *to)
{
    int32_t size = sample_size(to->type);
    bool dense = dense_pixels(from) && dense_pixels(to);
    for (int64_t y = to->y; y < to->y + to->height; y++) {
        if (dense) {
            memcpy(view_at(to, to->x, y, 0), view_at(from, to->x, y, 0),
                   (size_t)(to->width * to->pixel_stride));
            continue;
        }
        for (int32_t c = 0; c < to->channels; c++)
            view_copy_samples(view_at(from, to->x, y, c), from->pixel_stride,
                              view_at(to, to->x, y, c), to->pixel_stride, to->width, size);
    }
}

#include "bench/own_image.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Is it one of the words of `list`, "jpg,jpeg"? */
static bool holds(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; *at;) {
        size_t size = strcspn(at, ",");
        if (size == length && strncasecmp(at, word, length) == 0)
            return true;
        at += size + (at[size] == ',');
    }
    return false;
}

bool own_image_is(const char *argument)
{
    struct stat found;
    swathe_row row = SWATHE_INIT(swathe_row);
    const char *dot = strrchr(argument, '.');
    if (stat(argument, &found) == 0)
        return true;
    for (int32_t i = 0; dot && swathe_table_row(SWATHE_TABLE_FORMATS, i, &row) == SWATHE_OK; i++)
        if (holds(row.syntax, dot + 1))
            return true;
    return false;
}

swathe_status own_image_shape(const char *path, swathe_shape *shape)
{
    swathe_context *context = NULL;
    swathe_source *source = NULL;
    swathe_status status = swathe_context_create(NULL, &context);
    if (status == SWATHE_OK)
        status = swathe_file_open(context, path, NULL, &source);
    if (status == SWATHE_OK)
        *shape = source->shape;
    swathe_source_destroy(source);
    swathe_context_destroy(context);
    return status;
}

static double largest_of(const swathe_image *image)
{
    const float *samples = image->data;
    int64_t count = image->width * image->height * image->channels;
    double largest = 1;
    for (int64_t i = 0; image->type == SWATHE_F32 && i < count; i++)
        if (isfinite(samples[i]))
            largest = fmax(largest, fabs((double)samples[i]));
    return largest;
}

swathe_status own_image_load(swathe_context *context, const char *path, const swathe_image *into,
                             double *largest)
{
    swathe_source *source = NULL;
    swathe_status status = swathe_file_open(context, path, NULL, &source);
    if (status != SWATHE_OK)
        return status;
    if (source->shape.width != into->width || source->shape.height != into->height ||
        source->shape.channels != into->channels || source->shape.type != into->type)
        status = swathe_error_set(SWATHE_ERROR_INPUT, "the image changed while it was measured");
    else
        status = source->read(source->user, into);
    swathe_source_destroy(source);
    *largest = status == SWATHE_OK ? largest_of(into) : 1;
    return status;
}

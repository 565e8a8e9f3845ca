#include "own_image.h"

#include "commands/known_words.h"
#include "workload.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* {k} is a placeholder for numbers. */
static bool is_chain(const char *text)
{
    swathe_context *context = NULL;
    swathe_chain *chain = NULL;
    bool good = strstr(text, "{k}") || (swathe_context_create(NULL, &context) == SWATHE_OK &&
                                        workload_chain(context, text, &chain) == SWATHE_OK);
    swathe_chain_destroy(chain);
    swathe_context_destroy(context);
    return good;
}

bool own_image_is(const char *argument)
{
    struct stat found;
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    const char *dot = strrchr(argument, '.');
    if (is_chain(argument))
        return false;
    if (stat(argument, &found) == 0 && S_ISREG(found.st_mode))
        return true;
    for (int32_t i = 0; dot && swathe_table_get(SWATHE_TABLE_FORMATS, i, &entry) == SWATHE_OK; i++)
        if (word_listed(entry.syntax, ',', dot + 1, strncasecmp))
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
    const float *floats = image->data;
    const double *doubles = image->data;
    int64_t count = image->width * image->height * image->channels;
    double largest = 1;
    if (image->type != SWATHE_F32 && image->type != SWATHE_F64)
        return largest;
    for (int64_t i = 0; i < count; i++) {
        double value = image->type == SWATHE_F64 ? doubles[i] : (double)floats[i];
        if (isfinite(value))
            largest = fmax(largest, fabs(value));
    }
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

#include "worker/image_options.h"

#include "../../src/base/word_list.h"

#include <string.h>

/* The extension in lower case; empty if there is none, or one too long for a format. */
static void find_extension(const char *url, char *ending, size_t size)
{
    const char *dot = strrchr(url, '.');
    *ending = '\0';
    if (!dot || strlen(dot + 1) >= size)
        return;
    for (dot++; *dot; dot++)
        *ending++ = (char)('A' <= *dot && *dot <= 'Z' ? *dot + 32 : *dot);
    *ending = '\0';
}

/* Unknown formats take everything: the codec's error is better than one about an option. */
static bool image_options_takes(const char *ending, const char *option)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_FORMATS, i, &entry) == SWATHE_OK; i++)
        if (word_listed(entry.syntax, ',', ending, strncmp))
            return word_listed(entry.detail, ' ', option, strncmp);
    return true;
}

void worker_image_options(struct worker *worker, const char *target, swathe_read_options *read,
                          swathe_write_options *write)
{
    const struct set *set = worker->set;
    char ending[16];
    find_extension(target, ending, sizeof ending);
    *read = SWATHE_INIT(swathe_read_options);
    read->max_pixels = limit_least(set->max_pixels, worker->options->max_pixels);
    read->max_memory = limit_least(set->max_memory, worker->options->max_memory);
    read->cancelled = worker_is_cancelled;
    read->cancel_user = worker;
    *write = set->write;
    write->struct_size = sizeof *write;
    if (!image_options_takes(ending, "quality"))
        write->quality = write->lossless = 0;
    if (!image_options_takes(ending, "subsampling"))
        write->subsampling = 0;
    if (!image_options_takes(ending, "compression"))
        write->compression = NULL;
    if (!image_options_takes(ending, "tile"))
        write->tile = 0;
    write->max_pixels = read->max_pixels;
    write->max_memory = read->max_memory;
    write->cancelled = worker_is_cancelled;
    write->cancel_user = worker;
}

swathe_status worker_plan(const struct worker *worker, const swathe_source *source,
                          const char *nodata, swathe_plan **plan)
{
    swathe_plan_options options = worker->plan;
    swathe_shape shape = swathe_source_properties(source).shape;
    options.nodata = nodata;
    return swathe_plan_create(worker->context, worker->chain, &shape, &options, plan);
}

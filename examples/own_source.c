/* Filters an image that is never in memory as a whole: a function computes its pixels, and results
 * are written to a file. */
#include <stdio.h>
#include <swathe/swathe.h>

/* A ripple pattern; `into` specifies the requested part and the memory for it. */
static swathe_status ripple(void *user, const swathe_image *into)
{
    (void)user;
    for (int64_t y = 0; y < into->height; y++)
        for (int64_t x = 0; x < into->width; x++) {
            int64_t dx = x + into->x - 5000, dy = y + into->y - 3000;
            uint8_t *at = (uint8_t *)into->data + y * into->row_stride + x * into->pixel_stride;
            *at = (uint8_t)((dx * dx + dy * dy) >> 12);
        }
    return SWATHE_OK;
}

static swathe_status work(swathe_context *context, const char *path)
{
    swathe_source_info info = SWATHE_INIT(swathe_source_info);
    swathe_source_callbacks callbacks = {.struct_size = sizeof callbacks, .read = ripple};
    info.shape = (swathe_shape){.width = 10000, .height = 6000, .channels = 1, .type = SWATHE_U8};
    info.flags = SWATHE_CONCURRENT;
    swathe_write_options file = SWATHE_INIT(swathe_write_options);
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    swathe_source *source = NULL;
    swathe_sink *sink = NULL;
    file.overwrite = 1;
    swathe_status status = swathe_chain_parse(context, "gaussian:sigma=3,sobel-x:bias=128", &chain);
    if (status == SWATHE_OK)
        status = swathe_source_wrap(context, &info, &callbacks, &source);
    if (status == SWATHE_OK)
        status = swathe_plan_create(context, chain, &info.shape, NULL, &plan);
    if (status == SWATHE_OK)
        status = swathe_file_create(context, path, &info.shape, NULL, &file, &sink);
    if (status == SWATHE_OK)
        status = swathe_run_stream(context, plan, source, sink, NULL);
    if (status == SWATHE_OK)
        status = swathe_sink_commit(sink); /* the file appears only now */
    swathe_sink_destroy(sink);
    swathe_source_destroy(source);
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    return status;
}

int main(int argc, char **argv)
{
    swathe_context *context = NULL;
    swathe_status status = swathe_context_create(NULL, &context);
    if (status == SWATHE_OK)
        status = work(context, argc > 1 ? argv[1] : "ripple.pgm");
    printf("%s\n", status == SWATHE_OK ? "done" : swathe_error_text());
    swathe_context_destroy(context);
    return status;
}

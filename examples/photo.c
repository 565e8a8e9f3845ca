/* Filters an image file into another of any size, in bounded memory: photo CHAIN IN OUT */
#include <stdio.h>
#include <swathe/swathe.h>

static int32_t show(void *user, int64_t done, int64_t total)
{
    (void)user;
    fprintf(stderr, "\r%3d %%", (int)(100 * done / total));
    return 0; /* any other value would cancel */
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: photo CHAIN IN OUT, as in: photo sharpen,gaussian:5 a.png b.png\n");
        return 2;
    }
    swathe_context *context = NULL;
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    swathe_source *source = NULL;
    swathe_sink *sink = NULL;
    swathe_shape shape = {0};
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    swathe_run_options run = SWATHE_INIT(swathe_run_options);
    swathe_write_options write = SWATHE_INIT(swathe_write_options);
    run.progress = show;
    write.overwrite = 1;

    swathe_status status = swathe_context_create(NULL, &context);
    if (status == SWATHE_OK)
        status = swathe_chain_parse(context, argv[1], &chain);
    if (status == SWATHE_OK)
        status = swathe_file_open(context, argv[2], NULL, &source);
    shape = swathe_source_properties(source).shape;
    if (status == SWATHE_OK)
        status = swathe_plan_create(context, chain, &shape, NULL, &plan);
    if (status == SWATHE_OK)
        status = swathe_plan_output(plan, source, NULL, &shape, &metadata);
    if (status == SWATHE_OK)
        status = swathe_file_create(context, argv[3], &shape, &metadata, &write, &sink);
    if (status == SWATHE_OK)
        status = swathe_run_stream(context, plan, source, sink, &run);
    if (status == SWATHE_OK)
        status = swathe_sink_commit(sink); /* only now does the file exist */

    if (status == SWATHE_OK)
        fprintf(stderr, "\n");
    else
        fprintf(stderr, "photo: %s\n", swathe_error_text());
    swathe_sink_destroy(sink);
    swathe_plan_destroy(plan);
    swathe_source_destroy(source);
    swathe_chain_destroy(chain);
    swathe_context_destroy(context);
    return status;
}

/* Filters a TIFF into a tiled TIFF in parts, as several machines could: tiff_in_parts IN OUT */
#include <stdio.h>
#include <stdlib.h>
#include <swathe/unstable.h>

static void check(int good)
{
    if (!good)
        exit(fprintf(stderr, "tiff_in_parts: %s\n", swathe_error_text()) > 0 ? 1 : 2);
}

static swathe_status append(void *file, const void *bytes, size_t count)
{
    return fwrite(bytes, 1, count, file) == count ? SWATHE_OK : SWATHE_ERROR_IO;
}

int main(int argc, char **argv)
{
    swathe_context *context = NULL;
    swathe_chain *chain;
    swathe_plan *plan;
    swathe_source *source;
    swathe_sink *rest_sink, *sink;
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    swathe_tiff_part rest = SWATHE_INIT(swathe_tiff_part), part = {sizeof part, .count = 1};
    swathe_write_options options = {sizeof options, "tiff", .tile = 64, .tiff_part = &rest};
    FILE *file = argc == 3 ? fopen(argv[2], "wb") : NULL;
    swathe_writer writer = {sizeof writer, file, .write = append}, memory = writer;
    void *bytes; /* of the rest: the file without its tiles */
    size_t size;
    check(file && !swathe_context_create(NULL, &context) &&
          !swathe_chain_parse(context, "sharpen,gaussian:5", &chain) &&
          !swathe_file_open(context, argv[1], NULL, &source));
    swathe_shape shape = swathe_source_properties(source).shape;
    check(!swathe_plan_create(context, chain, &shape, NULL, &plan) &&
          !swathe_plan_output(plan, source, NULL, &shape, &metadata) &&
          !swathe_writer_memory(context, &bytes, &size, &memory) &&
          !swathe_sink_create(context, &memory, &shape, &metadata, &options, &rest_sink));
    part.sizes = rest.sizes = calloc((size_t)(rest.tiles * rest.planes), sizeof *rest.sizes);
    check(rest.sizes && !fseek(file, (long)rest.prefix_bytes, SEEK_SET));
    options.tiff_part = &part;
    for (; part.first < rest.tiles; part.first++, part.sizes += rest.planes) {
        check(!swathe_sink_create(context, &writer, &shape, &metadata, &options, &sink));
        swathe_run_options run = {sizeof run, .region = part.region};
        check(!swathe_run_stream(context, plan, source, sink, &run) && !swathe_sink_commit(sink));
        swathe_sink_destroy(sink);
    }
    check(!swathe_sink_commit(rest_sink) && /* now all sizes are known */
          !append(file, (char *)bytes + rest.prefix_bytes, size - rest.prefix_bytes) &&
          !fseek(file, 0, SEEK_SET) && !append(file, bytes, rest.prefix_bytes));
    swathe_sink_destroy(rest_sink);
    free(rest.sizes);
    swathe_free(context, bytes);
    swathe_plan_destroy(plan);
    swathe_source_destroy(source);
    swathe_chain_destroy(chain);
    swathe_context_destroy(context);
    return fclose(file) ? EXIT_FAILURE : EXIT_SUCCESS;
}

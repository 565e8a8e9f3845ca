/* Filters a TIFF into a tiled TIFF in parts, as several machines could: tiff_in_parts IN OUT */
#include <stdio.h>
#include <stdlib.h>
#include <swathe/swathe.h>

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
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    swathe_source *source = NULL;
    swathe_sink *rest_sink = NULL, *sink = NULL;
    swathe_shape shape = {0};
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    swathe_tiff_part part = SWATHE_INIT(swathe_tiff_part), rest = part;
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    swathe_run_options run = SWATHE_INIT(swathe_run_options);
    swathe_writer writer = SWATHE_INIT(swathe_writer), memory = writer;
    void *bytes = NULL; /* of the file without its tiles */
    size_t size = 0;
    check(argc == 3 && (writer.user = fopen(argv[2], "wb")) != NULL);
    writer.write = append;
    options.format = "tiff";
    options.tile = 64;
    options.tiff_part = &rest;
    check(!swathe_context_create(NULL, &context) &&
          !swathe_chain_parse(context, "sharpen,gaussian:5", &chain) &&
          !swathe_file_open(context, argv[1], NULL, &source) &&
          !swathe_plan_create(context, chain, &source->shape, NULL, &plan) &&
          !swathe_plan_output(plan, source, NULL, &shape, &metadata) &&
          !swathe_writer_memory(context, &bytes, &size, &memory) &&
          !swathe_sink_create(context, &memory, &shape, &metadata, &options, &rest_sink));
    rest.sizes = calloc((size_t)(rest.tiles * rest.planes), sizeof *rest.sizes);
    check(rest.sizes && !fseek(writer.user, (long)rest.prefix_bytes, SEEK_SET));
    options.tiff_part = &part;
    for (part.count = 1; part.first < rest.tiles; part.first++) { /* rows of tiles are faster */
        part.sizes = rest.sizes + part.first * rest.planes;
        check(!swathe_sink_create(context, &writer, &shape, &metadata, &options, &sink));
        run.region = part.region;
        check(!swathe_run_stream(context, plan, source, sink, &run) && !swathe_sink_commit(sink));
        swathe_sink_destroy(sink);
    }
    check(!swathe_sink_commit(rest_sink)); /* now all sizes are known */
    size_t prefix = (size_t)rest.prefix_bytes;
    check(!append(writer.user, (char *)bytes + prefix, size - prefix) &&
          !fseek(writer.user, 0, SEEK_SET) && !append(writer.user, bytes, prefix));
    return fclose(writer.user) ? EXIT_FAILURE : EXIT_SUCCESS;
}

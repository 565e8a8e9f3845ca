/* Filters an image file and writes another, step by step: photo CHAIN IN OUT */
#include <cstdio>
#include <swathe/swathe.hpp>

static void filter(const char *text, const char *in, const char *out)
{
    swathe::context context;
    swathe::chain chain(context, text);
    swathe::source source(context, in);
    swathe::plan plan(context, chain, source.shape());

    swathe_write_options file = swathe::init<swathe_write_options>();
    file.overwrite = 1;
    swathe_metadata metadata = swathe::init<swathe_metadata>();
    const swathe_shape shape = plan.output(source, &metadata);
    swathe::sink sink(context, out, shape, &metadata, &file);
    plan.run(context, source, sink);
    sink.commit(); /* the file appears only now, and not at all after an exception */
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        std::fprintf(stderr, "usage: photo CHAIN IN OUT\n");
        return 2;
    }
    try {
        filter(argv[1], argv[2], argv[3]);
    } catch (const swathe::error &error) {
        std::fprintf(stderr, "photo: %s\n", error.what());
        return error.status();
    }
    return 0;
}

/* Every function of swathe.hpp: results, exceptions, and no double frees. */
#include <cstdio>
#include <cstring>
#include <swathe/swathe.hpp>
#include <swathe/unstable.h>
#include <type_traits>
#include <utility>

static int failures;

static void expect(bool held, const char *what)
{
    if (!held) {
        std::printf("FAILED: %s\n", what);
        failures++;
    }
}

template <typename Call> static void expect_error(swathe_status status, const char *part, Call call)
{
    try {
        call();
        expect(false, part);
    } catch (const swathe::error &error) {
        expect(error.status() == status && std::strstr(error.what(), part), error.what());
        expect(*error.subject() == '\0' && error.needed() == 0, "no limit was reached");
        expect(error.status() != SWATHE_ERROR_IO || error.system() != 0, "the system's number");
    }
}

static_assert(!std::is_copy_constructible<swathe::plan>::value, "handles cannot be copied");
static_assert(std::is_nothrow_move_constructible<swathe::plan>::value, "but can be moved");
static_assert(std::is_nothrow_move_assignable<swathe::context>::value,
              "and can be moved by assignment");

static void in_memory(const swathe::context &context)
{
    unsigned char in[9][9] = {}, out[9][9] = {}, again[9][9] = {};
    in[4][4] = 255;
    const swathe_shape shape = swathe::shape(9, 9, 1, SWATHE_U8);
    expect(swathe::bytes(shape) == 81, "bytes");
    expect(swathe::shape(1, 1, 4, SWATHE_U8).alpha == 4, "alpha");
    swathe_shape ink = swathe::shape(3, 2, 4, SWATHE_U8);
    ink.color = SWATHE_COLOR_CMYK;
    ink.alpha = 0;
    const swathe_shape same = swathe::shape(swathe::view(ink, in));
    expect(std::memcmp(&same, &ink, sizeof ink) == 0, "the shape of a view");
    const swathe_image from = swathe::view(shape, in), to = swathe::view(shape, out);
    context.filter("gaussian:5", from, to);
    expect(out[4][4] == 36 && out[4][5] == 24, "apply");
    expect(swathe::crop(from, {4, 4, 1, 1}).data == &in[4][4], "crop");

    swathe::chain chain(context, "sharpen, gaussian:5");
    expect(chain.stages() == 2 && chain.text() == "sharpen,gaussian:5", "chain");
    swathe::plan first(context, swathe::chain(context, "gaussian:5"), shape);
    swathe::plan plan(std::move(first));
    expect(first.get() == nullptr && plan.info().result.width == 9, "a moved plan");
    plan.run(context, from, swathe::view(shape, again));
    expect(std::memcmp(out, again, sizeof out) == 0, "run");
    expect(plan.text().find("gaussian:5") != std::string::npos, "text for people");
    expect(plan.text(SWATHE_TEXT_PROBLEM).compare(0, 9, "contract=") == 0, "problem");
    plan = swathe::plan(context, chain, shape);
    expect(plan.info().result.height == 9, "a plan moved over another plan");
}

static void in_files(const swathe::context &context)
{
    unsigned char in[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}, out[3][4] = {};
    const swathe_shape shape = swathe::shape(4, 3, 1, SWATHE_U8);
    const char *path = "wrapper_in.pgm", *result = "wrapper_out.pgm";
    swathe_write_options options = swathe::init<swathe_write_options>();
    options.overwrite = 1;
    {
        swathe::sink sink(context, path, shape, nullptr, &options);
        sink.write(swathe::view(shape, in));
        expect(sink.info().shape.width == 4, "the properties of a sink");
        sink.commit();
    }
    {
        swathe::source from(context, path);
        swathe::plan copy(context, swathe::chain(context, "identity"), from.shape());
        swathe::sink to(context, result, copy.info().result, from.info().metadata, &options);
        copy.run(context, from, to);
        to.commit();
    }
    swathe::source source(context, result);
    source.read(swathe::view(shape, out));
    expect(std::memcmp(in, out, sizeof in) == 0, "files");
    swathe::plan plan(context, swathe::chain(context, "identity"), source.shape());
    std::remove(result);
    {
        swathe::sink dropped(context, result, shape);
        plan.run(context, swathe::source(context, path), dropped);
    }
    expect_error(SWATHE_ERROR_IO, result, [&] { swathe::source missing(context, result); });
    std::remove(path);
}

static swathe_status count_pixels(void *user, const swathe_image *part)
{
    *static_cast<int64_t *>(user) += part->width * part->height;
    return SWATHE_OK;
}

/* Pixels from and to functions of the caller. */
static void with_functions(const swathe::context &context)
{
    int64_t read = 0, written = 0;
    swathe_source_info from = swathe::init<swathe_source_info>();
    swathe_source_callbacks reads = swathe::init<swathe_source_callbacks>();
    swathe_sink_info to = swathe::init<swathe_sink_info>();
    swathe_sink_callbacks writes = swathe::init<swathe_sink_callbacks>();
    from.shape = to.shape = swathe::shape(9, 5, 1, SWATHE_U8);
    reads.user = &read;
    reads.read = count_pixels;
    writes.user = &written;
    writes.write = count_pixels;
    swathe::source source(context, from, reads);
    swathe::sink sink(context, to, writes);
    swathe::plan plan(context, swathe::chain(context, "identity"), source.shape());
    plan.run(context, source, sink);
    expect(read == 45 && written == 45, "functions of the caller");
    reads.read = nullptr;
    expect_error(SWATHE_ERROR_ARGUMENT, "no read function",
                 [&] { swathe::source mute(context, from, reads); });
}

/* A mask from an array, and a chain that grows. */
static void with_masks(const swathe::context &context)
{
    const double taps[3] = {0, 0, 1};
    unsigned char in[3] = {1, 2, 3}, out[3] = {};
    const swathe_shape shape = swathe::shape(3, 1, 1, SWATHE_U8);
    swathe_mask mask = swathe::init<swathe_mask>();
    mask.width = 3;
    mask.height = 1;
    mask.taps = taps;
    swathe::chain chain(context, "identity");
    chain.append_mask(context, &mask, 1, "border=replicate");
    chain.append(context, "identity");
    expect(chain.stages() == 3, "append");
    swathe::plan plan(context, chain, shape);
    plan.run(context, swathe::view(shape, in), swathe::view(shape, out));
    expect(out[0] == 2 && out[1] == 3 && out[2] == 3, "append_mask");
    expect_error(SWATHE_ERROR_ARGUMENT, "masks", [&] { chain.append_mask(context, &mask, 0); });
}

/* Images in memory as whole files, and files of several pages if TIFF is built. */
static void whole_images(const swathe::context &context)
{
    unsigned char in[2][3] = {{1, 2, 3}, {4, 5, 6}};
    const swathe_shape shape = swathe::shape(3, 2, 1, SWATHE_U8);
    const swathe_image image = swathe::view(shape, in);
    const char *path = "wrapper_whole.pgm";
    swathe_write_options options = swathe::init<swathe_write_options>();
    options.overwrite = 1;
    swathe::save(context, image, path, nullptr, &options);
    const swathe::loaded file = swathe::load(context, path);
    expect(std::memcmp(file.image.data, in, sizeof in) == 0, "load");
    std::remove(path);
    options.format = "pnm";
    const swathe::saved saved = swathe::save_bytes(context, image, options);
    swathe::loaded first = swathe::load_bytes(context, saved.memory.get(), saved.size);
    const swathe::loaded moved = std::move(first);
    expect(first.memory.get() == nullptr && moved.memory.get() == moved.image.data &&
               std::memcmp(moved.image.data, in, sizeof in) == 0,
           "load_bytes of save_bytes");
    expect(std::strcmp(moved.metadata.encoding->format, "pnm") == 0, "its metadata");
    expect_error(SWATHE_ERROR_IO, path, [&] { swathe::load(context, path); });
}

static bool has_tiff()
{
    swathe_table_entry entry = swathe::init<swathe_table_entry>();
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_FORMATS, i, &entry) == SWATHE_OK; i++)
        if (std::strcmp(entry.name, "tiff") == 0)
            return entry.available;
    return false;
}

static void pages(const swathe::context &context)
{
    unsigned char in[2][3] = {{1, 2, 3}, {4, 5, 6}};
    const swathe_shape shape = swathe::shape(3, 2, 1, SWATHE_U8);
    const swathe_image image = swathe::view(shape, in);
    const char *path = "wrapper_pages.tif";
    const swathe_rect region = {1, 1, 2, 1};
    swathe_write_options options = swathe::init<swathe_write_options>();
    options.overwrite = 1;
    {
        swathe::sink sink(context, path, shape, nullptr, &options);
        sink.write(image);
        sink.next_page(shape);
        sink.write(image);
        sink.commit();
    }
    {
        swathe::source source(context, path);
        swathe::plan plan(context, swathe::chain(context, "identity"), source.shape());
        swathe_metadata metadata = swathe::init<swathe_metadata>();
        expect(source.info().pages == 2, "next_page");
        expect(plan.output(source).width == 3, "output");
        expect(plan.output(source, &metadata, &region).width == 2 && metadata.geo_x == 1,
               "output of a region");
    }
    std::remove(path);
}

static void failing(const swathe::context &context)
{
    const swathe_shape none = swathe::shape(0, 1, 1, SWATHE_U8);
    expect_error(SWATHE_ERROR_ARGUMENT, "sharpn", [&] { swathe::chain wrong(context, "sharpn"); });
    expect_error(SWATHE_ERROR_ARGUMENT, "", [&] { swathe::bytes(none); });
    expect_error(SWATHE_ERROR_ARGUMENT, "no format",
                 [&] { swathe::sink(context, "a.xyz", swathe::shape(1, 1, 1, SWATHE_U8)); });
}

int main()
{
    swathe::context first;
    swathe::context context(std::move(first));
    in_memory(context);
    in_files(context);
    with_functions(context);
    with_masks(context);
    whole_images(context);
    if (has_tiff())
        pages(context);
    failing(context);
    std::printf("wrapper: %d failed\n", failures);
    return failures ? 1 : 0;
}

/* Every function of swathe.hpp: results, exceptions, and no double frees. */
#include <cstdio>
#include <cstring>
#include <swathe/swathe.hpp>
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
    const swathe_image from = swathe::view(shape, in), to = swathe::view(shape, out);
    context.apply("gaussian:5", from, to);
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
        const swathe_image image = swathe::view(shape, in);
        swathe::check(sink->write(sink->user, &image));
        sink.commit();
    }
    {
        swathe::source from(context, path);
        swathe::plan copy(context, swathe::chain(context, "identity"), from->shape);
        swathe::sink to(context, result, copy.info().result, from->metadata, &options);
        copy.run(context, *from, *to);
        to.commit();
    }
    swathe::source source(context, result);
    const swathe_image image = swathe::view(shape, out);
    swathe::check(source->read(source->user, &image));
    expect(std::memcmp(in, out, sizeof in) == 0, "files");
    swathe::plan plan(context, swathe::chain(context, "identity"), source->shape);
    std::remove(result);
    {
        swathe::sink dropped(context, result, shape);
        plan.run(context, *swathe::source(context, path), *dropped);
    }
    expect_error(SWATHE_ERROR_IO, result, [&] { swathe::source missing(context, result); });
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
    failing(context);
    std::printf("wrapper: %d failed\n", failures);
    return failures ? 1 : 0;
}

/*
 * Swathe for C++17: the C interface with objects that free themselves, and exceptions instead of
 * statuses.
 *
 * Each function makes one call of the C interface, and the comments in swathe.h apply. Exceptions:
 * text_of makes two calls, because it queries the length first, and shape only fills a struct.
 * Objects can be moved, but not copied. get() returns the C handle, for functions that are missing
 * here.
 */
#ifndef SWATHE_SWATHE_HPP
#define SWATHE_SWATHE_HPP

#include "swathe.h"

#include <memory>
#include <stdexcept>
#include <string>

namespace swathe
{

/* A struct of the C interface with its size set and all other fields 0:
 * init<swathe_run_options>(). */
template <typename Struct> Struct init()
{
    Struct made = Struct();
    made.struct_size = sizeof(Struct);
    return made;
}

/* A failed call: swathe_error, with its text as what(). */
class error : public std::runtime_error
{
  public:
    error(swathe_status status, const swathe_error &from)
        : std::runtime_error(from.text), status_(status), system_(from.system),
          needed_(from.needed),
          subject_(std::make_shared<std::string>(from.subject ? from.subject : ""))
    {
    }
    swathe_status status() const noexcept
    {
        return status_;
    }
    int32_t system() const noexcept
    {
        return system_;
    }
    int64_t needed() const noexcept
    {
        return needed_;
    }
    /* The limit or option to change; empty: none. */
    const char *subject() const noexcept
    {
        return subject_->c_str();
    }

  private:
    swathe_status status_;
    int32_t system_;
    int64_t needed_;
    std::shared_ptr<const std::string> subject_; /* copies of exceptions must not throw */
};

inline void check(swathe_status status)
{
    if (status == SWATHE_OK)
        return;
    swathe_error last = init<swathe_error>();
    swathe_error_get(&last);
    throw error(status, last);
}

/* Returns the text that a function writes into the caller's memory. */
template <typename Call> std::string text_of(Call call)
{
    size_t needed = 0;
    check(call(nullptr, size_t(0), &needed));
    std::string text(needed, '\0');
    check(call(text.data(), needed, &needed));
    text.resize(needed - 1);
    return text;
}

/* Owns a handle. */
template <typename Handle, void (*destroy)(Handle *)> class owner
{
  public:
    explicit owner(Handle *handle) : handle_(handle)
    {
    }
    Handle *get() const noexcept
    {
        return handle_.get();
    }

  private:
    struct destroyer {
        void operator()(Handle *handle) const noexcept
        {
            destroy(handle);
        }
    };
    std::unique_ptr<Handle, destroyer> handle_;
};

/* ---- Images --------------------------------------------------------------------------------- */

/* A shape that is grey or RGB by the number of channels; if that is even, the last one is alpha.
 * More than 4 channels are of unknown colour. */
inline swathe_shape shape(int64_t width, int64_t height, int32_t channels, swathe_type type)
{
    swathe_shape made = swathe_shape();
    made.width = width;
    made.height = height;
    made.channels = channels;
    made.type = type;
    if (channels <= 4) {
        made.color = channels <= 2 ? SWATHE_COLOR_GREY : SWATHE_COLOR_RGB;
        made.alpha = channels % 2 == 0 ? channels : 0;
    }
    return made;
}

/* The shape of a view, for memory or a file with the same colours, alpha and type. */
inline swathe_shape shape(const swathe_image &image)
{
    swathe_shape made = swathe_image_shape(&image);
    made.width = image.width; /* of a tile: its own */
    made.height = image.height;
    return made;
}

/* A view over the caller's dense memory. */
inline swathe_image view(const swathe_shape &shape, void *data,
                         swathe_layout layout = SWATHE_INTERLEAVED)
{
    swathe_image image = init<swathe_image>();
    check(swathe_image_init(&shape, layout, data, &image));
    return image;
}

inline swathe_image crop(const swathe_image &image, const swathe_rect &rect)
{
    swathe_image tile = init<swathe_image>();
    check(swathe_image_crop(&image, &rect, &tile));
    return tile;
}

inline int64_t bytes(const swathe_shape &shape)
{
    int64_t count = 0;
    check(swathe_shape_bytes(&shape, &count));
    return count;
}

/* ---- Context, chain, plan ------------------------------------------------------------------- */

class context : public owner<swathe_context, swathe_context_destroy>
{
  public:
    explicit context(const swathe_context_options *options = nullptr) : owner(create(options))
    {
    }

    /* Parses a chain, plans it and runs it. */
    /* Into memory of yours; the function `filter` below allocates the result. */
    void filter(const char *chain, const swathe_image &source,
                const swathe_image &destination) const
    {
        swathe_image own = destination;
        if (!own.data)
            check(swathe_error_set(SWATHE_ERROR_ARGUMENT, "the destination has no memory"));
        check(swathe_filter(get(), chain, &source, &own));
    }

  private:
    static swathe_context *create(const swathe_context_options *options)
    {
        swathe_context *handle = nullptr;
        check(swathe_context_create(options, &handle));
        return handle;
    }
};

class chain : public owner<swathe_chain, swathe_chain_destroy>
{
  public:
    chain(const context &context, const char *text) : owner(parse(context, text))
    {
    }

    void append(const context &context, const char *text) const
    {
        check(swathe_chain_append(context.get(), get(), text));
    }
    /* One mask for all channels, or one per channel. */
    void append_mask(const context &context, const swathe_mask *masks, int32_t count = 1,
                     const char *options = nullptr) const
    {
        check(swathe_chain_append_mask(context.get(), get(), masks, count, options));
    }
    int32_t stages() const
    {
        return swathe_chain_stages(get());
    }
    std::string text() const
    {
        return text_of([this](char *to, size_t size, size_t *needed) {
            return swathe_chain_text(get(), to, size, needed);
        });
    }

  private:
    static swathe_chain *parse(const context &context, const char *text)
    {
        swathe_chain *handle = nullptr;
        check(swathe_chain_parse(context.get(), text, &handle));
        return handle;
    }
};

/* ---- Sources and sinks ---------------------------------------------------------------------- */

class source : public owner<swathe_source, swathe_source_destroy>
{
  public:
    source(const context &context, const char *path, const swathe_read_options *options = nullptr)
        : owner(open(context, path, options))
    {
    }
    /* Takes ownership of the reader, also if it throws. */
    source(const context &context, const swathe_reader &reader,
           const swathe_read_options *options = nullptr)
        : owner(open(context, reader, options))
    {
    }
    /* Pixels from functions of yours. */
    source(const context &context, const swathe_source_info &info,
           const swathe_source_callbacks &callbacks)
        : owner(wrap(context, info, callbacks))
    {
    }
    swathe_source_info info() const
    {
        return swathe_source_properties(get());
    }
    swathe_shape shape() const
    {
        return info().shape;
    }
    void read(const swathe_image &into) const
    {
        check(swathe_source_read(get(), &into));
    }

  private:
    static swathe_source *open(const context &context, const char *path,
                               const swathe_read_options *options)
    {
        swathe_source *handle = nullptr;
        check(swathe_file_open(context.get(), path, options, &handle));
        return handle;
    }
    static swathe_source *open(const context &context, const swathe_reader &reader,
                               const swathe_read_options *options)
    {
        swathe_source *handle = nullptr;
        check(swathe_source_open(context.get(), &reader, options, &handle));
        return handle;
    }
    static swathe_source *wrap(const context &context, const swathe_source_info &info,
                               const swathe_source_callbacks &callbacks)
    {
        swathe_source *handle = nullptr;
        check(swathe_source_wrap(context.get(), &info, &callbacks, &handle));
        return handle;
    }
};

/* Without commit() no file appears. */
class sink : public owner<swathe_sink, swathe_sink_destroy>
{
  public:
    sink(const context &context, const char *path, const swathe_shape &shape,
         const swathe_metadata *metadata = nullptr, const swathe_write_options *options = nullptr)
        : owner(create(context, path, shape, metadata, options))
    {
    }
    /* Takes ownership of the writer, also if it throws. */
    sink(const context &context, const swathe_writer &writer, const swathe_shape &shape,
         const swathe_metadata *metadata = nullptr, const swathe_write_options *options = nullptr)
        : owner(create(context, writer, shape, metadata, options))
    {
    }
    /* Pixels to functions of yours. */
    sink(const context &context, const swathe_sink_info &info,
         const swathe_sink_callbacks &callbacks)
        : owner(wrap(context, info, callbacks))
    {
    }
    void next_page(const swathe_shape &shape, const swathe_metadata *metadata = nullptr) const
    {
        check(swathe_sink_next_page(get(), &shape, metadata));
    }
    void commit() const
    {
        check(swathe_sink_commit(get()));
    }
    swathe_sink_info info() const
    {
        return swathe_sink_properties(get());
    }
    void write(const swathe_image &from) const
    {
        check(swathe_sink_write(get(), &from));
    }

  private:
    static swathe_sink *create(const context &context, const char *path, const swathe_shape &shape,
                               const swathe_metadata *metadata, const swathe_write_options *options)
    {
        swathe_sink *handle = nullptr;
        check(swathe_file_create(context.get(), path, &shape, metadata, options, &handle));
        return handle;
    }
    static swathe_sink *create(const context &context, const swathe_writer &writer,
                               const swathe_shape &shape, const swathe_metadata *metadata,
                               const swathe_write_options *options)
    {
        swathe_sink *handle = nullptr;
        check(swathe_sink_create(context.get(), &writer, &shape, metadata, options, &handle));
        return handle;
    }
    static swathe_sink *wrap(const context &context, const swathe_sink_info &info,
                             const swathe_sink_callbacks &callbacks)
    {
        swathe_sink *handle = nullptr;
        check(swathe_sink_wrap(context.get(), &info, &callbacks, &handle));
        return handle;
    }
};

/* ---- Plans ---------------------------------------------------------------------------------- */

class plan : public owner<swathe_plan, swathe_plan_destroy>
{
  public:
    plan(const context &context, const chain &chain, const swathe_shape &source,
         const swathe_plan_options *options = nullptr)
        : owner(create(context, chain, source, options))
    {
    }

    swathe_plan_info info() const
    {
        swathe_plan_info found = init<swathe_plan_info>();
        check(swathe_plan_get(get(), &found));
        return found;
    }
    std::string text(swathe_text format = SWATHE_TEXT_PEOPLE) const
    {
        return text_of([this, format](char *to, size_t size, size_t *needed) {
            return swathe_plan_text(get(), format, to, size, needed);
        });
    }
    /* The shape of a file for the result, and its metadata unless that is null. */
    swathe_shape output(const source &source, swathe_metadata *metadata = nullptr,
                        const swathe_rect *region = nullptr) const
    {
        swathe_shape found = swathe_shape();
        check(swathe_plan_output(get(), source.get(), region, &found, metadata));
        return found;
    }
    void run(const context &context, const swathe_image &source, const swathe_image &destination,
             const swathe_run_options *options = nullptr) const
    {
        check(swathe_run(context.get(), get(), &source, &destination, options));
    }
    void run(const context &context, const source &source, const sink &sink,
             const swathe_run_options *options = nullptr) const
    {
        check(swathe_run_stream(context.get(), get(), source.get(), sink.get(), options));
    }

  private:
    static swathe_plan *create(const context &context, const chain &chain,
                               const swathe_shape &source, const swathe_plan_options *options)
    {
        swathe_plan *handle = nullptr;
        check(swathe_plan_create(context.get(), chain.get(), &source, options, &handle));
        return handle;
    }
};

/* ---- Whole images --------------------------------------------------------------------------- */

/* Memory that the library allocated. The context must outlive it. */
class allocation
{
  public:
    allocation(const context &context, void *data) : data_(data, release{context.get()})
    {
    }
    void *get() const noexcept
    {
        return data_.get();
    }

  private:
    struct release {
        swathe_context *context;
        void operator()(void *data) const noexcept
        {
            swathe_free(context, data);
        }
    };
    std::unique_ptr<void, release> data_;
};

/* An image that was loaded or computed, with its metadata. Both are part of the allocation. */
struct loaded {
    swathe_image image;
    swathe_metadata metadata;
    allocation memory;
};

inline loaded load(const context &context, const char *path,
                   const swathe_read_options *options = nullptr)
{
    swathe_image image = init<swathe_image>();
    swathe_metadata metadata = init<swathe_metadata>();
    check(swathe_load(context.get(), path, options, &image, &metadata));
    return {image, metadata, allocation(context, image.data)};
}

inline loaded load_bytes(const context &context, const void *bytes, size_t size,
                         const swathe_read_options *options = nullptr)
{
    swathe_image image = init<swathe_image>();
    swathe_metadata metadata = init<swathe_metadata>();
    check(swathe_load_bytes(context.get(), bytes, size, options, &image, &metadata));
    return {image, metadata, allocation(context, image.data)};
}

/* Filters an image in memory, into an image of its own. */
inline loaded filter(const context &context, const char *chain, const swathe_image &source)
{
    swathe_image image = init<swathe_image>();
    check(swathe_filter(context.get(), chain, &source, &image));
    return {image, init<swathe_metadata>(), allocation(context, image.data)};
}

inline void save(const context &context, const swathe_image &image, const char *path,
                 const swathe_metadata *metadata = nullptr,
                 const swathe_write_options *options = nullptr)
{
    check(swathe_save(context.get(), &image, metadata, path, options));
}

/* The bytes of an image file. */
struct saved {
    allocation memory;
    size_t size;
};

inline saved save_bytes(const context &context, const swathe_image &image,
                        const swathe_write_options &options,
                        const swathe_metadata *metadata = nullptr)
{
    void *bytes = nullptr;
    size_t size = 0;
    check(swathe_save_bytes(context.get(), &image, metadata, &options, &bytes, &size));
    return {allocation(context, bytes), size};
}

} // namespace swathe

#endif

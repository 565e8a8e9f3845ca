#include "io/codec.h"

#include "base/os_path.h"
#include "base/text.h"
#include "base/word_list.h"
#include "image/sample.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#ifndef SWATHE_HAVE_PNG
#define SWATHE_HAVE_PNG 0
#endif
#ifndef SWATHE_HAVE_JPEG
#define SWATHE_HAVE_JPEG 0
#endif
#ifndef SWATHE_HAVE_TIFF
#define SWATHE_HAVE_TIFF 0
#endif
#ifndef SWATHE_HAVE_WEBP
#define SWATHE_HAVE_WEBP 0
#endif

#define FUNCTIONS_1(name) codec_##name##_detect, codec_##name##_open, codec_##name##_create
#define FUNCTIONS_0(name) NULL, NULL, NULL
#define PASTE(a, b)       a##b
#define FUNCTIONS(have)   PASTE(FUNCTIONS_, have)

static const struct codec codecs[] = {
#define CODEC(name, have, extensions, types, channels, colors, keeps, takes, summary)              \
    {#name, extensions, summary, types, channels, colors, keeps, takes, FUNCTIONS(have)(name),     \
     have},
#include "io/codec.def"
#undef CODEC
};

const struct codec *codec_at(int index)
{
    return index >= 0 && index < (int)(sizeof codecs / sizeof *codecs) ? &codecs[index] : NULL;
}

static bool codec_has_extension(const struct codec *codec, const char *extension)
{
    return word_listed(codec->extensions, ',', extension, strncasecmp);
}

const struct codec *codec_named(const char *name)
{
    for (int i = 0; codec_at(i); i++)
        if (strcasecmp(codecs[i].name, name) == 0 || codec_has_extension(&codecs[i], name))
            return &codecs[i];
    return NULL;
}

const struct codec *codec_for_path(const char *path)
{
    const char *slash = os_last_slash(path);
    const char *dot = strrchr(slash ? slash : path, '.');
    for (int i = 0; dot && codec_at(i); i++)
        if (codec_has_extension(&codecs[i], dot + 1))
            return &codecs[i];
    return NULL;
}

const char *codec_left_out(const uint8_t *head, size_t size)
{
    static const struct {
        const char *name;
        size_t at;
        char magic[5];
    } known[] = {{"png", 0, "\x89PNG"}, {"jpeg", 0, "\xff\xd8\xff"}, {"tiff", 0, "II*"},
                 {"tiff", 0, "II+"},    {"tiff", 0, "MM"},           {"webp", 8, "WEBP"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strlen(known[i].magic);
        if (size >= known[i].at + length && !codec_named(known[i].name)->built &&
            memcmp(head + known[i].at, known[i].magic, length) == 0)
            return known[i].name;
    }
    return NULL;
}

const char *codec_foreign(const uint8_t *head, size_t size, const char **tool)
{
    static const struct {
        const char *name, *tool;
        size_t at;
        char magic[9];
    } known[] = {{"AVIF", "avifdec", 4, "ftypavi"},       {"HEIC", "heif-convert", 4, "ftyphei"},
                 {"HEIC", "heif-convert", 4, "ftyphev"},  {"HEIC", "heif-convert", 4, "ftypmif1"},
                 {"HEIC", "heif-convert", 4, "ftypmsf1"}, {"GIF", "ImageMagick", 0, "GIF8"},
                 {"JPEG XL", "djxl", 0, "\xff\x0a"},      {"JPEG XL", "djxl", 4, "JXL "}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strlen(known[i].magic);
        if (size >= known[i].at + length &&
            memcmp(head + known[i].at, known[i].magic, length) == 0) {
            *tool = known[i].tool;
            return known[i].name;
        }
    }
    return NULL;
}

const struct codec *codec_for_bytes(const uint8_t *head, size_t size)
{
    for (int i = 0; codec_at(i); i++)
        if (codecs[i].built && codecs[i].detect(head, size))
            return &codecs[i];
    return NULL;
}

/* Formats with a fixed set of channels have alpha last, beside grey or RGB. */
static bool holds_alpha(const struct codec *codec, const swathe_shape *shape)
{
    return (codec->channels & HOLD_MANY) || shape->alpha == 0 ||
           (shape->alpha == shape->channels && shape->channels % 2 == 0);
}

bool codec_holds(const struct codec *codec, const swathe_shape *shape)
{
    unsigned channels = shape->channels < 5 ? 1u << shape->channels : (unsigned)HOLD_MANY;
    unsigned color = shape->color == SWATHE_COLOR_UNKNOWN ? codec->colors : 1u << shape->color;
    if (shape->color == SWATHE_COLOR_CMYK && shape->channels == 4)
        channels = codec->channels;
    return (codec->types & 1u << shape->type) && (codec->channels & channels) &&
           (codec->colors & color) && holds_alpha(codec, shape);
}

/* There are more formats than types. */
enum { NAMES_MAX = sizeof codecs / sizeof *codecs };

/* Adds names as in "png, tiff or pfm". */
static void add_names(struct text *text, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        text_add(text, "%s%s", i == 0 ? "" : i == count - 1 ? " or " : ", ", names[i]);
}

/* Lists the formats that can store the shape; false if there is none. */
static bool add_holders(struct text *text, const swathe_shape *shape)
{
    const char *names[NAMES_MAX];
    int count = 0;
    for (int i = 0; codec_at(i); i++)
        if (codecs[i].built && codec_holds(&codecs[i], shape))
            names[count++] = codecs[i].name;
    add_names(text, names, count);
    return count > 0;
}

/* Adds ", or convert to u8" and its effect, if the format can store another sample type. */
static bool add_types(struct text *text, const struct codec *codec, const swathe_shape *shape)
{
    const char *names[NAMES_MAX];
    const struct sample_entry *narrow = NULL, *entry;
    swathe_shape other = *shape;
    int count = 0;
    for (int i = 0; (entry = sample_entry_at(i)); i++) {
        other.type = entry->type;
        if (!codec_holds(codec, &other))
            continue;
        names[count++] = entry->name;
        if (!narrow && entry->highest < sample_entry(shape->type)->highest)
            narrow = entry;
    }
    if (count == 0)
        return false;
    text_add(text, ", or convert to ");
    add_names(text, names, count);
    if (sample_entry(shape->type)->lowest == 0.0)
        return true;
    text_add(text, " (numbers are kept");
    if (narrow)
        text_add(text, ": above %.0f they become %.0f%s%s", narrow->highest, narrow->highest,
                 count > 1 ? " in " : "", count > 1 ? narrow->name : "");
    text_add(text, ")");
    return true;
}

/* Adds "RGB with alpha, u8", or "6 channels, u8" if the colour space does not imply the number of
 * channels. */
static void add_shape(struct text *text, const swathe_shape *shape)
{
    static const struct {
        const char *name;
        int32_t channels;
    } colors[] = {{"", 0}, {"grey", 1}, {"RGB", 3}, {"CMYK", 4}, {"Lab", 3}};
    int32_t plain = shape->channels - (shape->alpha > 0);
    if (shape->color && plain == colors[shape->color].channels)
        text_add(text, "%s", colors[shape->color].name);
    else
        text_add(text, "%d channel%s", plain, plain == 1 ? "" : "s");
    text_add(text, "%s, %s", shape->alpha ? " with alpha" : "", sample_entry(shape->type)->name);
}

/* True if the format can store the colours without alpha. */
static bool holds_colors(const struct codec *codec, const swathe_shape *shape)
{
    swathe_shape other = *shape;
    const struct sample_entry *entry;
    other.channels--;
    other.alpha = 0;
    for (int i = 0; shape->alpha > 0 && (entry = sample_entry_at(i)); i++) {
        other.type = entry->type;
        if (codec_holds(codec, &other))
            return true;
    }
    return false;
}

swathe_status codec_check_shape(const struct codec *codec, const swathe_shape *shape)
{
    if (codec_holds(codec, shape))
        return SWATHE_OK;
    char why[320];
    struct text text;
    text_init(&text, why, sizeof why);
    add_shape(&text, shape);
    text_add(&text, "; write ");
    if (!add_holders(&text, shape))
        text_add(&text, "fewer channels");
    bool converts = add_types(&text, codec, shape);
    const char *subject = converts ? "type" : holds_colors(codec, shape) ? "alpha" : "";
    return fail_about(SWATHE_ERROR_UNSUPPORTED, subject, "%s cannot hold %s", codec->name, why);
}

/* Is `word` one of a list separated by spaces? */
static bool codec_takes(const struct codec *codec, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = codec->takes; (at = strstr(at, word)); at += length)
        if ((at == codec->takes || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static swathe_status check_option(const struct codec *codec, const char *option, bool given)
{
    if (!given || codec_takes(codec, option))
        return SWATHE_OK;
    const char *names[NAMES_MAX];
    char list[128];
    struct text text;
    int count = 0;
    for (int i = 0; codec_at(i); i++)
        if (codec_takes(&codecs[i], option))
            names[count++] = codecs[i].name;
    text_init(&text, list, sizeof list);
    add_names(&text, names, count);
    return fail_about(SWATHE_ERROR_ARGUMENT, option, "%s takes no %s, unlike %s", codec->name,
                      option, list);
}

swathe_status codec_check_options(const struct codec *codec, const swathe_write_options *options)
{
    bool compression = options->compression && strcmp(options->compression, "default") != 0;
    TRY(check_option(codec, "quality", options->quality != 0));
    if (options->lossless &&
        !codec_takes(codec, "quality")) /* JPEG refuses it with its own message */
        return fail_about(SWATHE_ERROR_ARGUMENT, "lossless",
                          "%s has no choice between lossy and lossless, unlike webp", codec->name);
    TRY(check_option(codec, "subsampling", options->subsampling != 0));
    TRY(check_option(codec, "compression", compression));
    TRY(check_option(codec, "tile", options->tile != 0));
    if (options->tiff_part && !codec_takes(codec, "tile"))
        return fail(SWATHE_ERROR_ARGUMENT, "%s is not written in parts, unlike tiff", codec->name);
    return SWATHE_OK;
}

swathe_status codec_check_page(const struct image_reader *reader)
{
    if (reader->page >= 1 && reader->page <= reader->pages)
        return SWATHE_OK;
    return fail(SWATHE_ERROR_ARGUMENT,
                "there is no page %" PRId64 "; the file has %" PRId64 " page%s", reader->page,
                reader->pages, reader->pages == 1 ? "" : "s");
}

void reader_free_state(struct image_reader *reader)
{
    memory_free(reader->memory, reader->state);
}

void writer_free_state(struct image_writer *writer)
{
    memory_free(writer->memory, writer->state);
}

swathe_status writer_finish_nothing(struct image_writer *writer)
{
    (void)writer;
    return SWATHE_OK;
}

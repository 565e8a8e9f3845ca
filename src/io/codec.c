#include "io/codec.h"

#include "base/text.h"
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
#define CODEC(name, have, extensions, types, channels, colors, takes, summary)                     \
    {#name, extensions, summary, types, channels, colors, takes, FUNCTIONS(have)(name), have},
#include "io/codec.def"
#undef CODEC
};

const struct codec *codec_at(int index)
{
    return index >= 0 && index < (int)(sizeof codecs / sizeof *codecs) ? &codecs[index] : NULL;
}

const struct codec *codec_named(const char *name)
{
    for (int i = 0; codec_at(i); i++)
        if (strcasecmp(codecs[i].name, name) == 0)
            return &codecs[i];
    return NULL;
}

bool codec_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    while (*list) {
        size_t item = strcspn(list, ",");
        if (item == length && strncasecmp(list, word, length) == 0)
            return true;
        list += item + (list[item] == ',');
    }
    return false;
}

const struct codec *codec_for_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    for (int i = 0; dot && codec_at(i); i++)
        if (codec_listed(codecs[i].extensions, dot + 1))
            return &codecs[i];
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

/* "tiff or pfm": the formats that take the shape; false when there is none. */
static bool add_holders(struct text *text, const swathe_shape *shape)
{
    bool any = false;
    for (int i = 0; codec_at(i); i++)
        if (codecs[i].built && codec_holds(&codecs[i], shape)) {
            text_add(text, "%s%s", any ? " or " : "", codecs[i].name);
            any = true;
        }
    return any;
}

/* ", or convert with --type u8": when only the type stands in the way. */
static void add_types(struct text *text, const struct codec *codec, const swathe_shape *shape)
{
    swathe_shape other = *shape;
    const char *before = ", or convert with --type ";
    for (int i = 0; sample_row_at(i); i++) {
        other.type = sample_row_at(i)->type;
        if (!codec_holds(codec, &other))
            continue;
        text_add(text, "%s%s", before, sample_row_at(i)->name);
        before = " or ";
    }
}

swathe_status codec_check_shape(const struct codec *codec, const swathe_shape *shape)
{
    static const char *const colors[] = {"", " grey", " RGB", " CMYK", " Lab"};
    if (codec_holds(codec, shape))
        return SWATHE_OK;
    char way_out[256];
    struct text text;
    text_init(&text, way_out, sizeof way_out);
    text_add(&text, "write ");
    if (!add_holders(&text, shape))
        text_add(&text, "fewer channels");
    add_types(&text, codec, shape);
    return fail(SWATHE_ERROR_UNSUPPORTED, "%s cannot hold %d%s channel%s%s of %s; %s", codec->name,
                shape->channels, colors[shape->color], shape->channels == 1 ? "" : "s",
                shape->alpha ? " (one is alpha)" : "", sample_row(shape->type)->name, way_out);
}

/* Is `word` one of a list separated by spaces? */
static bool takes(const struct codec *codec, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = codec->takes; (at = strstr(at, word)); at += length)
        if ((at == codec->takes || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static swathe_status check_option(const struct codec *codec, const char *option, bool given)
{
    if (!given || takes(codec, option))
        return SWATHE_OK;
    char names[128];
    struct text text;
    text_init(&text, names, sizeof names);
    for (int i = 0; codec_at(i); i++)
        if (takes(&codecs[i], option))
            text_add(&text, "%s%s", text.needed ? " or " : "", codecs[i].name);
    return fail(SWATHE_ERROR_ARGUMENT, "%s takes no %s; leave it out, or write %s", codec->name,
                option, names);
}

swathe_status codec_check_options(const struct codec *codec, const swathe_file_options *options)
{
    bool compression = options->compression && strcmp(options->compression, "default") != 0;
    TRY(check_option(codec, "--quality", options->quality != 0));
    TRY(check_option(codec, "--subsampling", options->subsampling != 0));
    TRY(check_option(codec, "--compression", compression));
    return check_option(codec, "--tile", options->tile != 0);
}

swathe_status codec_check_page(const struct reader *reader)
{
    if (reader->page >= 1 && reader->page <= reader->pages)
        return SWATHE_OK;
    return fail(SWATHE_ERROR_ARGUMENT, "page %" PRId64 " of a file with %" PRId64 " page%s",
                reader->page, reader->pages, reader->pages == 1 ? "" : "s");
}

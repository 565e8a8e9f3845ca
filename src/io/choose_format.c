#include "io/choose_format.h"

#include "base/nearest_word.h"
#include "base/os_path.h"
#include "base/text.h"
#include "base/word_list.h"
#include "image/sample.h"

#include <stdio.h>
#include <string.h>

static bool choose_format_is_unsigned(swathe_type type)
{
    return type == SWATHE_U8 || type == SWATHE_U16 || type == SWATHE_U32;
}

swathe_type format_type(const struct codec *codec, const swathe_shape *shape, bool any)
{
    static const swathe_type widest_first[] = {SWATHE_U32, SWATHE_U16, SWATHE_U8};
    swathe_shape other = *shape;
    if (codec_holds(codec, shape) || !(any || choose_format_is_unsigned(shape->type)))
        return shape->type;
    for (int i = 0; i < 3; i++) {
        other.type = widest_first[i];
        if (sample_size(other.type) <= sample_size(shape->type) && codec_holds(codec, &other))
            return other.type;
    }
    for (int i = 0; any && sample_entry_at(i); i++) {
        other.type = sample_entry_at(i)->type;
        if (codec_holds(codec, &other))
            return other.type;
    }
    return shape->type;
}

const char *format_list(char *buffer, size_t size)
{
    struct text text;
    text_init(&text, buffer, size);
    for (int i = 0; codec_at(i); i++)
        if (codec_at(i)->built)
            text_add(&text, "%s%s", text.needed ? ", " : "", codec_at(i)->name);
    return buffer;
}

static swathe_status check_built(const struct codec *codec)
{
    char names[256];
    if (codec->built)
        return SWATHE_OK;
    return fail(SWATHE_ERROR_UNSUPPORTED, "this build does not include %s; it supports %s",
                codec->name, format_list(names, sizeof names));
}

/* Refuses common formats that are not supported: a suggestion of a similar name would be
 * misleading. */
static swathe_status refuse_unsupported(const char *word)
{
    static const char unsupported[] =
        "gif,apng,heic,heif,avif,jxl,jp2,j2k,jpx,jxr,svg,pdf,eps,ai,ps,psd,"
        "xcf,exr,hdr,fits,fit,fts,dng,raw,cr2,cr3,nef,arw,orf,raf,rw2,dcm,"
        "nii,hdf,h5,nc,ico,pcx,dds,ktx,qoi,flif,mp4,mov,webm,npy,mat";
    char names[256];
    if (strcasecmp(word, "y4m") == 0)
        return fail(SWATHE_ERROR_UNSUPPORTED, "Y4M is for videos, and this is an image");
    if (!word_listed(unsupported, ',', word, strncasecmp))
        return SWATHE_OK;
    return fail(SWATHE_ERROR_UNSUPPORTED, "the format '%s' is not supported (known: %s)", word,
                format_list(names, sizeof names));
}

swathe_status format_named(const char *name, const struct codec **codec)
{
    const struct codec *found = codec_named(name);
    if (found) {
        TRY(check_built(found));
        *codec = found;
        return SWATHE_OK;
    }
    TRY(refuse_unsupported(name));
    char names[256];
    struct nearest nearest;
    nearest_start(&nearest, name);
    for (int i = 0; codec_at(i); i++) {
        nearest_offer(&nearest, codec_at(i)->name);
        nearest_offer_list(&nearest, codec_at(i)->extensions, ',');
    }
    format_list(names, sizeof names);
    if (nearest_found(&nearest))
        return fail(SWATHE_ERROR_ARGUMENT, "no format '%s'; did you mean %s? (known: %s)", name,
                    nearest_found(&nearest), names);
    return fail(SWATHE_ERROR_ARGUMENT, "no format '%s' (known: %s)", name, names);
}

static swathe_status unknown_extension(const char *extension)
{
    TRY(refuse_unsupported(extension));
    char names[256], shown[256];
    snprintf(shown, sizeof shown, "%s", extension);
    text_clean(shown);
    struct nearest nearest;
    nearest_start(&nearest, extension);
    for (int i = 0; codec_at(i); i++)
        nearest_offer_list(&nearest, codec_at(i)->extensions, ',');
    format_list(names, sizeof names);
    if (nearest_found(&nearest))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "no format has the extension '.%s'; did you mean .%s? (known: %s)", shown,
                    nearest_found(&nearest), names);
    return fail(SWATHE_ERROR_ARGUMENT, "no format has the extension '.%s' (known: %s)", shown,
                names);
}

swathe_status format_for_path(const char *path, bool file, const struct codec **codec)
{
    const struct codec *found = codec_for_path(path);
    if (found) {
        TRY(check_built(found));
        *codec = found;
        return SWATHE_OK;
    }
    const char *slash = os_last_slash(path);
    const char *dot = strrchr(slash ? slash : path, '.');
    if (dot && dot[1])
        return unknown_extension(dot + 1);
    struct os_about about;
    if (file && os_about(path, &about) == 0 && about.kind == OS_DIRECTORY)
        return fail(SWATHE_ERROR_ARGUMENT, "is a directory; name a file in it");
    char names[256];
    return fail_about(SWATHE_ERROR_ARGUMENT, "format",
                      "the name has no extension that identifies a format (known: %s)",
                      format_list(names, sizeof names));
}

swathe_status format_shown(const struct memory *memory, const char *path, char **shown)
{
    size_t size = strlen(path) + 1;
    TRY(memory_new_raw(memory, (int64_t)size, 1, "a path", shown));
    memcpy(*shown, path, size);
    text_clean(*shown);
    return SWATHE_OK;
}

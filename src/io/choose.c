#include "io/choose.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

swathe_file_options choose_options(const swathe_file_options *options)
{
    swathe_file_options known = SWATHE_INIT(swathe_file_options);
    if (options) {
        size_t size = options->struct_size < sizeof known ? options->struct_size : sizeof known;
        memcpy(&known, options, size);
        known.struct_size = sizeof known;
    }
    return known;
}

const char *choose_list(char *buffer, size_t size)
{
    struct text text;
    text_init(&text, buffer, size);
    for (int i = 0; codec_at(i); i++)
        if (codec_at(i)->built)
            text_add(&text, "%s%s", text.needed ? ", " : "", codec_at(i)->name);
    return buffer;
}

/* Too far apart to be a slip of the finger. */
enum { NO_SUGGESTION = 3 };

static void keep_nearest(const char *word, const char *candidate, int *distance, char nearest[16])
{
    int apart = text_distance(word, candidate);
    if (apart < *distance) {
        *distance = apart;
        snprintf(nearest, 16, "%s", candidate);
    }
}

/* The nearest word of a list separated by commas. */
static void search_list(const char *word, const char *list, int *distance, char nearest[16])
{
    char candidate[16];
    while (*list) {
        size_t length = strcspn(list, ",");
        snprintf(candidate, sizeof candidate, "%.*s", (int)length, list);
        keep_nearest(word, candidate, distance, nearest);
        list += length + (list[length] == ',');
    }
}

static swathe_status check_built(const struct codec *codec)
{
    char names[256];
    if (codec->built)
        return SWATHE_OK;
    return fail(SWATHE_ERROR_UNSUPPORTED, "this build was made without %s; it knows %s",
                codec->name, choose_list(names, sizeof names));
}

swathe_status choose_named(const char *name, const struct codec **codec)
{
    const struct codec *found = codec_named(name);
    if (found) {
        TRY(check_built(found));
        *codec = found;
        return SWATHE_OK;
    }
    int distance = NO_SUGGESTION;
    char nearest[16] = "", names[256];
    for (int i = 0; codec_at(i); i++) {
        keep_nearest(name, codec_at(i)->name, &distance, nearest);
        search_list(name, codec_at(i)->extensions, &distance, nearest);
    }
    const struct codec *meant = codec_named(nearest);
    for (int i = 0; !meant && *nearest && codec_at(i); i++)
        if (strstr(codec_at(i)->extensions, nearest))
            meant = codec_at(i);
    choose_list(names, sizeof names);
    if (meant)
        return fail(SWATHE_ERROR_ARGUMENT, "no format '%s'; did you mean %s? (known: %s)", name,
                    meant->name, names);
    return fail(SWATHE_ERROR_ARGUMENT, "no format '%s' (known: %s)", name, names);
}

static swathe_status unknown_extension(const char *extension)
{
    int distance = NO_SUGGESTION;
    char nearest[16] = "", names[256];
    for (int i = 0; codec_at(i); i++)
        search_list(extension, codec_at(i)->extensions, &distance, nearest);
    choose_list(names, sizeof names);
    if (*nearest)
        return fail(SWATHE_ERROR_ARGUMENT, "no format for '.%s'; did you mean .%s? (known: %s)",
                    extension, nearest, names);
    return fail(SWATHE_ERROR_ARGUMENT, "no format for '.%s' (known: %s)", extension, names);
}

swathe_status choose_for_path(const char *path, const struct codec **codec)
{
    const struct codec *found = codec_for_path(path);
    if (found) {
        TRY(check_built(found));
        *codec = found;
        return SWATHE_OK;
    }
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    if (dot && dot[1])
        return unknown_extension(dot + 1);
    char names[256];
    return fail(SWATHE_ERROR_ARGUMENT,
                "the name has no extension to tell the format by; give --format (known: %s)",
                choose_list(names, sizeof names));
}

swathe_status choose_shown(const struct memory *memory, const char *path, char **shown)
{
    size_t size = strlen(path) + 1;
    TRY(memory_new_raw(memory, (int64_t)size, 1, "a path", shown));
    memcpy(*shown, path, size);
    return SWATHE_OK;
}

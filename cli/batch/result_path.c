#include "batch/result_path.h"

#include "commands/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parts {
    const char *stem, *extension; /* the extension with its dot */
    int stem_length, extension_length;
};

const char *result_last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The first extension of --format, with a dot; NULL: keep the input's extension. */
static const char *new_extension(const struct options *options, char *text, size_t size)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    const char *format = options_text(options, OPTION_FORMAT);
    if (!format || !format_find(format, "", &entry))
        return NULL;
    snprintf(text, size, ".%.*s", (int)strcspn(entry.syntax, ","), entry.syntax);
    return text;
}

/* A name that consists only of an extension is a stem. */
static struct parts split(const char *name, const char *extension)
{
    const char *dot = strrchr(name, '.'), *end = name + strlen(name);
    const char *own = dot && dot > name ? dot : end;
    struct parts parts = {name, extension ? extension : own, (int)(own - name), 0};
    parts.extension_length = (int)strlen(parts.extension);
    return parts;
}

/* Returns the length; writes at most `size` bytes. */
static size_t expand(const char *pattern, const struct parts *parts, char *text, size_t size)
{
    size_t at = 0;
    while (*pattern) {
        bool stem = strncmp(pattern, "{stem}", 6) == 0, extension = !strncmp(pattern, "{ext}", 5);
        const char *from = stem ? parts->stem : extension ? parts->extension : pattern;
        int length = stem ? parts->stem_length : extension ? parts->extension_length : 1;
        at += (size_t)snprintf(at < size ? text + at : NULL, at < size ? size - at : 0, "%.*s",
                               length, from);
        pattern += stem ? 6 : extension ? 5 : 1;
    }
    return at;
}

char *result_path(const struct options *options, const char *folder, const char *name)
{
    char word[32];
    const char *pattern = options_text(options, OPTION_NAME);
    const char *last = result_last_name(name);
    struct parts parts = split(last, new_extension(options, word, sizeof word));
    if (!pattern)
        pattern = "{stem}{ext}";
    size_t before = strlen(folder) + 1 + (size_t)(last - name);
    size_t size = before + expand(pattern, &parts, NULL, 0) + 1;
    char *path = malloc(size);
    if (path) {
        snprintf(path, size, "%s/%.*s", folder, (int)(last - name), name);
        expand(pattern, &parts, path + before, size - before);
    }
    return path;
}

#include "batch/folders.h"

#include "../../src/base/os_path.h"
#include "commands/options.h"
#include "terminal/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Directories of results ----------------------------------------------------------------- */

static int complain_link(const char *path)
{
    char target[1024];
    os_link_target(path, target, sizeof target);
    return complain(
        SWATHE_ERROR_IO,
        "%s is a symbolic link to %s; batch does not follow links below --out; remove it, "
        "or name its target with --out",
        path, target);
}

/* Checks or creates one directory. A link to a directory is refused. */
static int check_one(const char *path, bool make, struct os_about *found)
{
    if (make && os_make_directory(path, false) != 0 && errno != EEXIST)
        return complain_system(errno, "%s: cannot create the directory", path);
    if (os_about_link(path, found) != 0)
        return complain_system(errno, "%s", path);
    if (found->kind == OS_LINK)
        return complain_link(path);
    if (found->kind != OS_DIRECTORY)
        return complain(SWATHE_ERROR_IO, "%s is not a directory", path);
    return 0;
}

/* Creates the directories from --out down to that of the result. */
static int folders_walk(const struct list *list, struct image *image, bool make)
{
    struct os_about found;
    if (os_about(list->folder, &found) != 0)
        return complain_system(errno, "%s", list->folder);
    int code = 0;
    char *slash = image->out + (image->name - image->out);
    while (code == 0 && (slash = strchr(slash, '/'))) {
        *slash = '\0';
        code = check_one(image->out, make, &found);
        *slash++ = '/';
    }
    image->device = found.device;
    return code;
}

/* Creates --out and missing directories above it. Links there are followed: the user named them. */
static int make_out(char *path)
{
    struct os_about found;
    for (char *slash = path + 1; *slash; slash++) {
        if (*slash != '/')
            continue;
        *slash = '\0';
        os_make_directory(path, false);
        *slash = '/';
    }
    if (os_make_directory(path, false) != 0 && errno != EEXIST)
        return complain_system(errno, "%s: cannot create the directory", path);
    if (os_about(path, &found) == 0 && found.kind != OS_DIRECTORY)
        return complain(SWATHE_ERROR_IO, "%s is not a directory", path);
    return 0;
}

static size_t folders_folder_length(const struct image *image)
{
    return (size_t)(strrchr(image->out, '/') - image->out);
}

int folders_make(const struct list *list)
{
    int code = make_out(list->folder_own);
    const struct image *before = NULL; /* the image whose directory was created last */
    for (int64_t i = 0; code == 0 && i < list->count; i++) {
        struct image *image = &list->images[i];
        size_t length = folders_folder_length(image);
        if (before && folders_folder_length(before) == length &&
            !memcmp(before->out, image->out, length))
            continue;
        code = folders_walk(list, image, true);
        before = image;
    }
    return code;
}

int folders_check(const struct list *list, struct image *image)
{
    return folders_walk(list, image, false);
}

/* ---- Directories among the inputs ----------------------------------------------------------- */

struct names {
    char **names;
    size_t count, room;
    bool failed; /* no memory */
};

static bool take_name(void *user, const char *name)
{
    struct names *names = user;
    if (*name == '.')
        return true;
    if (names->count == names->room) {
        size_t room = names->room ? 2 * names->room : 64;
        void *larger = realloc(names->names, room * sizeof *names->names);
        names->failed = !larger;
        if (!larger)
            return false;
        names->names = larger;
        names->room = room;
    }
    char *copy = strdup(name);
    names->failed = !copy;
    if (copy)
        names->names[names->count++] = copy;
    return copy != NULL;
}

static int folders_by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int visit_folder(struct input_folder *folder, const char *path, const struct os_about *found)
{
    if (folder->out && folder->out->device == found->device && folder->out->number == found->number)
        return 0;
    if (folder->recursive)
        return input_folder_read(folder, path);
    folder->folders++;
    return 0;
}

/* A file that cannot be examined, such as a broken link, fails later, together with its reason. */
static int folders_visit(struct input_folder *folder, const char *path)
{
    swathe_table_entry format = SWATHE_INIT(swathe_table_entry);
    struct os_about found = {.kind = OS_REGULAR};
    bool known = os_about_link(path, &found) == 0;
    if (known && found.kind == OS_DIRECTORY)
        return visit_folder(folder, path, &found);
    if (known && found.kind == OS_LINK && os_about(path, &found) != 0)
        found.kind = OS_REGULAR;
    if (found.kind == OS_REGULAR && format_find(NULL, path, &format))
        return folder->add(folder->user, path);
    *(found.kind == OS_DIRECTORY ? &folder->folders : &folder->files) += 1;
    return 0;
}

static int folders_visit_name(struct input_folder *folder, const char *path, const char *name)
{
    size_t length = strlen(path), size = length + strlen(name) + 2;
    char *below = malloc(size);
    if (!below)
        return complain(SWATHE_ERROR_MEMORY, "%s: no memory", path);
    snprintf(below, size, "%s%s%s", path, length == 0 || path[length - 1] == '/' ? "" : "/", name);
    int code = folders_visit(folder, below);
    free(below);
    return code;
}

int input_folder_read(struct input_folder *folder, const char *path)
{
    struct names names = {0};
    const char *shown = *path ? path : ".";
    int code = 0;
    if (os_each_name(shown, take_name, &names) != 0)
        code = complain_system(errno, "%s: cannot read the directory", shown);
    else if (names.failed)
        code = complain(SWATHE_ERROR_MEMORY, "%s: no memory", shown);
    if (names.count > 0)
        qsort(names.names, names.count, sizeof *names.names, folders_by_bytes);
    for (size_t i = 0; code == 0 && i < names.count; i++)
        code = folders_visit_name(folder, path, names.names[i]);
    for (size_t i = 0; i < names.count; i++)
        free(names.names[i]);
    free(names.names);
    return code;
}

/* ---- Paths of results ----------------------------------------------------------------------- */

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
static struct parts folders_split(const char *name, const char *extension)
{
    const char *dot = strrchr(name, '.'), *end = name + strlen(name);
    const char *own = dot && dot > name ? dot : end;
    struct parts parts = {name, extension ? extension : own, (int)(own - name), 0};
    parts.extension_length = (int)strlen(parts.extension);
    return parts;
}

/* Returns the length; writes at most `size` bytes. */
static size_t folders_expand(const char *pattern, const struct parts *parts, char *text,
                             size_t size)
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
    struct parts parts = folders_split(last, new_extension(options, word, sizeof word));
    if (!pattern)
        pattern = "{stem}{ext}";
    size_t before = strlen(folder) + 1 + (size_t)(last - name);
    size_t size = before + folders_expand(pattern, &parts, NULL, 0) + 1;
    char *path = malloc(size);
    if (path) {
        snprintf(path, size, "%s/%.*s", folder, (int)(last - name), name);
        folders_expand(pattern, &parts, path + before, size - before);
    }
    return path;
}

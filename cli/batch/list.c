#include "batch/list.h"

#include "../../src/base/os_file.h"
#include "../../src/base/os_path.h"
#include "batch/folders.h"
#include "commands/known_words.h"
#include "file/remote.h"
#include "terminal/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int batch_list_no_memory(void)
{
    return complain(SWATHE_ERROR_MEMORY, "no memory for the list of images");
}

/* ---- Paths -------------------------------------------------------------------------------- */

/* Removes repeated slashes and "." components, so that equal paths compare equal; NULL: no
 * memory. */
static char *batch_list_squeeze(const char *path)
{
    char *clean = strdup(path), *from = clean, *to = clean;
    if (!clean)
        return NULL;
    os_plain_slashes(clean);
    if (*from == '/')
        to++;
    while (*from) {
        from += strspn(from, "/");
        size_t part = strcspn(from, "/"), length = part + (from[part] == '/');
        if (part > 0 && !(part == 1 && *from == '.')) {
            memmove(to, from, length);
            to += length;
        }
        from += part;
    }
    *to = '\0';
    return clean;
}

static bool goes_up(const char *path)
{
    while (*path) {
        size_t length = strcspn(path, "/");
        if (length == 2 && path[0] == '.' && path[1] == '.')
            return true;
        path += length + (path[length] != '\0');
    }
    return false;
}

/* The part of a path below `base`, both normalized as above; NULL: it is not below `base`. */
static const char *batch_list_below(const char *base, const char *path)
{
    size_t length = strlen(base);
    while (length > 1 && base[length - 1] == '/')
        length--;
    if (length == 0)
        return *path == '/' || goes_up(path) ? NULL : path;
    if (strncmp(path, base, length) != 0)
        return NULL;
    path += length;
    if (base[length - 1] != '/' && *path++ != '/')
        return NULL;
    return goes_up(path) ? NULL : path;
}

/* ---- Collecting --------------------------------------------------------------------------- */

static int add_image(struct list *list, const struct options *options, const char *in,
                     const char *name)
{
    if (list->count == list->room) {
        int64_t room = list->room ? 2 * list->room : 256;
        void *larger = realloc(list->images, (size_t)room * sizeof *list->images);
        if (!larger)
            return batch_list_no_memory();
        list->images = larger;
        list->room = room;
    }
    struct image image = {.in = strdup(in), .record = -1};
    image.out = result_path(options, list->folder, name);
    image.name = image.out ? image.out + strlen(list->folder) + 1 : NULL;
    list->images[list->count++] = image;
    return image.in && image.out ? 0 : batch_list_no_memory();
}

/* `path` and `base` are `in` and the directory whose subdirectories are kept (NULL: none), both
 * normalized. */
static int add_squeezed(struct list *list, const struct options *options, const char *in,
                        const char *path, const char *base)
{
    const char *name = base ? batch_list_below(base, path) : result_last_name(path);
    if (!name)
        return complain(SWATHE_ERROR_ARGUMENT, "%s is not below --base %s", in,
                        options_text(options, OPTION_BASE));
    if (!*result_last_name(name))
        return complain(SWATHE_ERROR_IO, "%s is not a directory", in);
    return add_image(list, options, in, name);
}

/* Results of files below `given` keep their subdirectories; NULL: they have none. */
static int add_file(struct list *list, const struct options *options, const char *in,
                    const char *given)
{
    char *path = batch_list_squeeze(in), *base = given ? batch_list_squeeze(given) : NULL;
    int code = path && (base || !given) ? add_squeezed(list, options, in, path, base)
                                        : batch_list_no_memory();
    free(path);
    free(base);
    return code;
}

struct found {
    struct list *list;
    const struct options *options;
    const char *base;
};

static int add_found(void *user, const char *path)
{
    const struct found *found = user;
    return add_file(found->list, found->options, path, found->base);
}

static int batch_list_add_folder(struct list *list, const struct options *options, const char *in,
                                 const struct os_about *about)
{
    const char *base = options_text(options, OPTION_BASE);
    struct found found = {list, options, base ? base : in};
    struct os_about out;
    bool exists = os_about(list->folder, &out) == 0;
    struct input_folder folder = {.recursive = options_has(options, OPTION_RECURSIVE),
                                  .out = exists ? &out : NULL,
                                  .add = add_found,
                                  .user = &found};
    if (exists && out.device == about->device && out.number == about->number)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "%s is also --out, and results would become images of the next run; name "
                        "another directory with --out",
                        in);
    char *path = batch_list_squeeze(in);
    int code = path ? input_folder_read(&folder, path) : batch_list_no_memory();
    free(path);
    list->other_files += folder.files;
    list->other_folders += folder.folders;
    return code;
}

static int batch_list_add(struct list *list, const struct options *options, const char *in)
{
    struct os_about about;
    if (strcmp(in, "-") == 0)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "batch reads files, not standard input; --from - reads file names from it");
    if (os_about(in, &about) == 0 && about.kind == OS_DIRECTORY)
        return batch_list_add_folder(list, options, in, &about);
    return add_file(list, options, in, options_text(options, OPTION_BASE));
}

/* Limits the length of a name: an endless list such as /dev/zero must not fill the memory. */
static int batch_list_add_lines(struct list *list, const struct options *options, const char *path,
                                FILE *from)
{
    int end = options_has(options, OPTION_FROM0) ? '\0' : '\n';
    char name[OS_PATH];
    size_t length = 0;
    int code = 0, next = end;
    while (code == 0 && next != EOF) {
        next = getc(from);
        if (next == end || next == EOF) {
            if (OS_LINES_END_IN_RETURN && end == '\n' && length > 0 && name[length - 1] == '\r')
                length--;
            name[length] = '\0';
            if (next == EOF)
                code = complain_unless_ended(from, path);
            if (code == 0 && *name)
                code = batch_list_add(list, options, name);
            length = 0;
        } else if (next == '\0') {
            code = complain(SWATHE_ERROR_ARGUMENT,
                            "%s: contains a zero byte; give -0 if names end with zero bytes", path);
        } else if (length + 1 < sizeof name) {
            name[length++] = (char)next;
        } else {
            code = complain(SWATHE_ERROR_ARGUMENT, "%s: contains a name longer than %d bytes", path,
                            OS_PATH - 1);
        }
    }
    return code;
}

static int add_from(struct list *list, const struct options *options)
{
    const char *path = options_text(options, OPTION_FROM);
    bool piped = strcmp(path, "-") == 0;
    FILE *from = piped ? stdin : os_fopen(path, "rb");
    if (!from)
        return complain_system(errno, "%s: cannot read", path);
    int code = batch_list_add_lines(list, options, path_read(path), from);
    if (!piped)
        fclose(from);
    return code;
}

struct image **list_sorted(const struct list *list, int (*order)(const void *a, const void *b))
{
    struct image **sorted = malloc(((size_t)list->count + 1) * sizeof *sorted);
    for (int64_t i = 0; sorted && i < list->count; i++)
        sorted[i] = &list->images[i];
    if (sorted)
        qsort(sorted, (size_t)list->count, sizeof *sorted, order);
    return sorted;
}

static int by_result(const void *a, const void *b)
{
    const struct image *const *x = a, *const *y = b;
    return strcmp((*x)->out, (*y)->out);
}

static size_t batch_list_folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

/* True if a pattern of --name has all parts of the input's name. */
static bool tells_apart(const char *pattern)
{
    return !pattern || (strstr(pattern, "{stem}") && strstr(pattern, "{ext}"));
}

static int complain_clash(const char *pattern, const struct image *a, const struct image *b)
{
    char *first = batch_list_squeeze(a->in), *second = batch_list_squeeze(b->in);
    bool same = first && second && strcmp(first, second) == 0;
    bool together = first && second &&
                    batch_list_folder_length(first) == batch_list_folder_length(second) &&
                    strncmp(first, second, batch_list_folder_length(first)) == 0;
    free(first);
    free(second);
    if (same)
        return complain(SWATHE_ERROR_ARGUMENT, "%s is listed twice", a->in);
    return complain(SWATHE_ERROR_ARGUMENT, "%s and %s would both become %s; %s", a->in, b->in,
                    a->out,
                    !tells_apart(pattern) ? "put {stem} and {ext} into --name"
                    : together            ? "leave out --format, or write them to two directories"
                                          : "--base DIR keeps their subdirectories below DIR");
}

/* Checks that results have different paths. Otherwise the second would replace the first, or fail
 * much later. */
static int check_results(const struct options *options, const struct list *list)
{
    const char *pattern = options_text(options, OPTION_NAME);
    struct image **sorted = list_sorted(list, by_result);
    int code = sorted ? 0 : batch_list_no_memory();
    for (int64_t i = 1; code == 0 && i < list->count; i++)
        if (strcmp(sorted[i - 1]->out, sorted[i]->out) == 0)
            code = complain_clash(pattern, sorted[i - 1], sorted[i]);
    free(sorted);
    return code;
}

static void tell_skipped(const struct options *options, const struct list *list)
{
    int64_t files = list->other_files, folders = list->other_folders;
    bool recursive = options_has(options, OPTION_RECURSIVE);
    if (options_has(options, OPTION_QUIET))
        return;
    if (files > 0)
        complain(SWATHE_OK, "%" PRId64 " file%s skipped: %s no extension of an image format", files,
                 files == 1 ? "" : "s", files == 1 ? "its name has" : "their names have");
    if (folders > 0)
        complain(SWATHE_OK, "%" PRId64 " %s%s skipped%s", folders,
                 recursive ? "symbolic link" : "director",
                 recursive ? (folders == 1 ? " to a directory" : "s to directories")
                           : (folders == 1 ? "y" : "ies"),
                 recursive ? "" : "; --recursive enters subdirectories");
}

static int complain_remote(const char *url)
{
    return complain(SWATHE_ERROR_UNSUPPORTED,
                    "%s: batch filters files; for objects use swathe apply, or swathe-fleet if "
                    "there are many",
                    url);
}

static int take_folder(const struct options *options, struct list *list)
{
    const char *out = options_text(options, OPTION_OUT);
    if (!out)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "batch: --out is missing; use: swathe batch CHAIN FILE... --out DIR");
    if (remote_is(out))
        return complain_remote(out);
    list->folder = list->folder_own = strdup(out);
    if (!list->folder)
        return batch_list_no_memory();
    os_plain_slashes(list->folder_own);
    for (size_t n = strlen(out); n > 1 && list->folder_own[n - 1] == '/'; n--)
        list->folder_own[n - 1] = '\0';
    return 0;
}

int list_make(const struct options *options, struct list *list)
{
    *list = (struct list){0};
    int code = take_folder(options, list);
    if (code == 0 && options->argument_count < 2 && !options_has(options, OPTION_FROM))
        code =
            os_exists(options->arguments[0]) && !known_words_filter(options->arguments[0])
                ? options_complain_chain(options)
                : complain(SWATHE_ERROR_ARGUMENT, "batch: no images; name files after the chain, "
                                                  "or give --from LIST");
    for (int i = 1; code == 0 && i < options->argument_count; i++)
        code = remote_is(options->arguments[i])
                   ? complain_remote(options->arguments[i])
                   : batch_list_add(list, options, options->arguments[i]);
    if (code == 0 && options_has(options, OPTION_FROM))
        code = add_from(list, options);
    if (code == 0)
        tell_skipped(options, list);
    if (code == 0 && list->count == 0 && options->argument_count > 1)
        code = complain(SWATHE_ERROR_ARGUMENT,
                        "batch: no images in %s%s; 'swathe formats' lists the extensions of images",
                        options->arguments[1], options->argument_count > 2 ? " and others" : "");
    return code == 0 ? check_results(options, list) : code;
}

void list_free(struct list *list)
{
    for (int64_t i = 0; i < list->count; i++) {
        free(list->images[i].in);
        free(list->images[i].out);
    }
    free(list->images);
    free(list->folder_own);
}

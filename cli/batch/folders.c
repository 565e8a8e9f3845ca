#include "batch/folders.h"

#include "../../src/base/os_path.h"
#include "terminal/message.h"

#include <errno.h>
#include <string.h>

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
static int walk(const struct list *list, struct image *image, bool make)
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

static size_t folder_length(const struct image *image)
{
    return (size_t)(strrchr(image->out, '/') - image->out);
}

int folders_make(const struct list *list)
{
    int code = make_out(list->folder_own);
    const struct image *before = NULL; /* the image whose directory was created last */
    for (int64_t i = 0; code == 0 && i < list->count; i++) {
        struct image *image = &list->images[i];
        size_t length = folder_length(image);
        if (before && folder_length(before) == length && !memcmp(before->out, image->out, length))
            continue;
        code = walk(list, image, true);
        before = image;
    }
    return code;
}

int folders_check(const struct list *list, struct image *image)
{
    return walk(list, image, false);
}

#include "batch/input_folder.h"

#include "commands/options.h"
#include "terminal/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int by_bytes(const void *a, const void *b)
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
static int visit(struct input_folder *folder, const char *path)
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

static int visit_name(struct input_folder *folder, const char *path, const char *name)
{
    size_t length = strlen(path), size = length + strlen(name) + 2;
    char *below = malloc(size);
    if (!below)
        return complain(SWATHE_ERROR_MEMORY, "%s: no memory", path);
    snprintf(below, size, "%s%s%s", path, length == 0 || path[length - 1] == '/' ? "" : "/", name);
    int code = visit(folder, below);
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
        qsort(names.names, names.count, sizeof *names.names, by_bytes);
    for (size_t i = 0; code == 0 && i < names.count; i++)
        code = visit_name(folder, path, names.names[i]);
    for (size_t i = 0; i < names.count; i++)
        free(names.names[i]);
    free(names.names);
    return code;
}

/* Lists the files below a directory, in the order of the bytes of their paths. A directory sorts as
 * its name and '/', so that visiting the sorted entries of each directory gives that order. */
#define _GNU_SOURCE /* O_DIRECTORY, O_CLOEXEC */
#include "basics.h"
#include "files/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LEVELS = 128 };

struct listing {
    struct store *store;
    const char *prefix, *after;
    struct store_text key; /* of the current directory, ends in '/' unless empty */
    swathe_status (*visit)(void *user, const struct store_entry *entry);
    void *user;
    int level;
};

struct names {
    char **names; /* directories end in '/' */
    size_t count, room;
};

static void free_names(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        store_free(names->names[i]);
    store_free(names->names);
}

static swathe_status add_name(struct names *names, const char *name, bool folder)
{
    if (names->count == names->room) {
        size_t room = names->room > 0 ? 2 * names->room : 64;
        char **longer = store_resize(names->names, room, sizeof *longer);
        if (!longer)
            return store_fail_memory();
        names->names = longer;
        names->room = room;
    }
    size_t size = strlen(name);
    char *copy = store_new(size + 2, 1);
    if (!copy)
        return store_fail_memory();
    memcpy(copy, name, size);
    if (folder)
        copy[size] = '/';
    names->names[names->count++] = copy;
    return SWATHE_OK;
}

/* After a failure of stat: what is not there, or was removed meanwhile, is not listed; a link may
 * lead to nothing or to itself. Any other failure would hide a file. */
static bool is_absent(int error)
{
    return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

/* Links to files are followed; links to directories are not, as they may form circles. On failure
 * errno is set. */
static bool files_list_wanted(int fd, const struct dirent *entry, bool *folder)
{
    struct stat found;
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
        strncmp(name, FILES_TEMPORARY, sizeof FILES_TEMPORARY - 1) == 0)
        return false;
    *folder = false;
    if (entry->d_type == DT_REG)
        return true;
    if (entry->d_type != DT_DIR && entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN)
        return false;
    if (fstatat(fd, name, &found, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    *folder = S_ISDIR(found.st_mode);
    if (S_ISLNK(found.st_mode) && fstatat(fd, name, &found, 0) != 0)
        return false;
    return *folder || S_ISREG(found.st_mode);
}

static int files_list_by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static swathe_status read_folder(const char *path, DIR *folder, struct names *names)
{
    for (;;) {
        bool inner;
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (!entry)
            break;
        if (files_list_wanted(dirfd(folder), entry, &inner))
            STORE_TRY(add_name(names, entry->d_name, inner));
        else if (errno != 0 && !is_absent(errno))
            break;
    }
    if (errno != 0)
        return store_fail_path(errno, path);
    if (names->count > 0)
        qsort(names->names, names->count, sizeof *names->names, files_list_by_bytes);
    return SWATHE_OK;
}

static swathe_status list_folder(struct listing *listing);

static swathe_status visit_file(struct listing *listing, const char *name)
{
    struct store_text path = {0};
    struct stat found;
    size_t size = listing->key.size;
    store_text_add(&listing->key, name);
    store_text_print(&path, "%s%s", listing->prefix, store_text_get(&listing->key));
    swathe_status status = path.failed || listing->key.failed ? store_fail_memory() : SWATHE_OK;
    if (status == SWATHE_OK && stat(path.bytes, &found) == 0) {
        struct store_entry entry = {listing->key.bytes, (int64_t)found.st_size};
        status = listing->visit(listing->user, &entry);
    } else if (status == SWATHE_OK && !is_absent(errno)) {
        status = store_fail_path(errno, path.bytes);
    }
    store_text_free(&path);
    if (listing->key.bytes)
        listing->key.bytes[listing->key.size = size] = '\0';
    return status;
}

/* True if every key that starts with the text comes before or at `after`. */
static bool all_before(const char *text, const char *after)
{
    int order = strncmp(text, after, strlen(text));
    return order < 0;
}

static swathe_status files_list_visit_name(struct listing *listing, const char *name)
{
    size_t size = listing->key.size, length = strlen(name);
    bool folder = name[length - 1] == '/';
    store_text_add(&listing->key, name);
    if (listing->key.failed)
        return store_fail_memory();
    bool skip = folder ? all_before(listing->key.bytes, listing->after)
                       : strcmp(listing->key.bytes, listing->after) <= 0;
    swathe_status status = SWATHE_OK;
    if (!skip && folder)
        status = list_folder(listing);
    listing->key.bytes[listing->key.size = size] = '\0';
    return skip || folder ? status : visit_file(listing, name);
}

static swathe_status list_folder(struct listing *listing)
{
    struct names names = {0};
    struct store_text path = {0};
    if (store_cancelled(listing->store))
        return store_fail_cancelled();
    store_text_print(&path, "%s%s", listing->prefix, store_text_get(&listing->key));
    if (path.failed)
        return store_fail_memory();
    DIR *folder = opendir(path.bytes);
    swathe_status status = SWATHE_OK;
    if (!folder)
        status =
            errno == ENOENT && listing->level > 0 ? SWATHE_OK : store_fail_path(errno, path.bytes);
    else if (listing->level == MOST_LEVELS)
        status = store_fail(SWATHE_ERROR_LIMIT, EINVAL, "%s: has more than %d levels",
                            listing->prefix, MOST_LEVELS);
    else
        status = read_folder(path.bytes, folder, &names);
    if (folder)
        closedir(folder);
    store_text_free(&path);
    listing->level++;
    for (size_t i = 0; status == SWATHE_OK && i < names.count; i++)
        status = files_list_visit_name(listing, names.names[i]);
    listing->level--;
    free_names(&names);
    return status;
}

swathe_status store_file_list(struct store *store, const char *prefix, const char *after,
                              swathe_status (*visit)(void *user, const struct store_entry *entry),
                              void *user)
{
    struct listing listing = {store, prefix, after ? after : "", {0}, visit, user, 0};
    size_t size = strlen(prefix);
    if (size == 0 || prefix[size - 1] != '/')
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL, "%s: is not a prefix; end it with '/'",
                          prefix);
    swathe_status status = list_folder(&listing);
    store_text_free(&listing.key);
    return status;
}

#include "gpu/drivers/device.h"

#include "base/hash.h"
#include "base/os_path.h"
#include "base/small_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FILE_MAX = 64 << 20, HEAD = 128 };

/* The requested directory; NULL: the user's cache. */
static const char *named_directory(const char *directory)
{
    if (!directory)
        directory = os_environment("SWATHE_GPU_CACHE");
    return directory && *directory ? directory : NULL;
}

static bool program_file_find_path(const char *asked, const struct program_key *key, char *path,
                                   size_t size)
{
    const char *directory = named_directory(asked);
    char name[64];
    snprintf(name, sizeof name, "gpu/%016" PRIx64 "%016" PRIx64, key->sums[0], key->sums[1]);
    if (!directory)
        return small_file_cached(name, path, size);
    if (strcmp(directory, "off") == 0)
        return false;
    return snprintf(path, size, "%s/%s", directory, name + strlen("gpu/")) < (int)size;
}

/* Writes the first HEAD bytes of a file: the format, the key, and the size and checksum of the
 * data. */
static void print_head(const struct program_key *key, const struct gpu_binary *binary, char *head)
{
    memset(head, '\n', HEAD);
    int length = snprintf(head, HEAD,
                          "swathe program 1 %016" PRIx64 "%016" PRIx64 " %" PRId64 " %016" PRIx64,
                          key->sums[0], key->sums[1], binary->size,
                          hash_bytes(HASH_START, binary->data, (size_t)binary->size));
    head[length] = '\n';
}

static bool is_whole(const struct program_key *key, char *text, int64_t size)
{
    char head[HEAD];
    struct gpu_binary binary = {text + HEAD, size - HEAD};
    if (size <= HEAD)
        return false;
    print_head(key, &binary, head);
    return memcmp(head, text, HEAD) == 0;
}

bool program_file_read(const struct memory *memory, const char *directory,
                       const struct program_key *key, struct gpu_binary *binary)
{
    char path[OS_PATH], *text = NULL;
    int64_t size = 0;
    if (!program_file_find_path(directory, key, path, sizeof path) ||
        small_file_read(memory, path, FILE_MAX, &text, &size) != SWATHE_OK || !text)
        return false;
    if (!is_whole(key, text, size)) {
        memory_free(memory, text);
        return false;
    }
    *binary = (struct gpu_binary){text, size - HEAD};
    memmove(text, text + HEAD, (size_t)binary->size);
    return true;
}

/* small_file_replace creates the directory and its parent; a new user may have no cache directory
 * at all. */
static void make_user_cache(const char *directory)
{
    char path[OS_PATH];
    const char *suffix = "/swathe";
    if (named_directory(directory) || !small_file_cached("", path, sizeof path))
        return;
    path[strlen(path) - strlen(suffix) - 1] = '\0';
    os_make_directory(path, true);
}

void program_file_write(const struct memory *memory, const char *directory,
                        const struct program_key *key, const struct gpu_binary *binary)
{
    char path[OS_PATH], *text;
    if (binary->size > FILE_MAX - HEAD ||
        !program_file_find_path(directory, key, path, sizeof path) ||
        memory_new_raw(memory, binary->size + HEAD, 1, "a program", &text) != SWATHE_OK)
        return;
    print_head(key, binary, text);
    memcpy(text + HEAD, binary->data, (size_t)binary->size);
    make_user_cache(directory);
    (void)small_file_replace(path, text, (size_t)binary->size + HEAD);
    memory_free(memory, text);
}

#include "io/bytes/new_file.h"

#include "base/os_file.h"
#include "base/os_path.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

static swathe_status new_file_fail_create(const struct new_file *file, const char *doing)
{
    return fail_system(errno, "%s: %s", file->shown, doing);
}

/* Splits the path at its last slash and opens the directory. */
static swathe_status open_directory(struct new_file *file, const char *path)
{
    size_t size = strlen(path) + 1;
    const char *slash = os_last_slash(path);
    TRY(memory_new_raw(file->memory, (int64_t)size, 1, "a path", &file->path));
    memcpy(file->path, path, size);
    file->name = file->path + (slash ? slash + 1 - path : 0);
    if (*file->name == '\0')
        return fail(SWATHE_ERROR_IO, "%s: names a directory, not a file", file->shown);
    file->directory = slash == path ? "/" : slash ? file->path : ".";
    if (slash)
        file->path[slash - path] = '\0';
    if (os_new_file_place(&file->open, file->directory) != 0) {
        text_clean(file->path); /* it is not used any more */
        return fail_system(errno, "%s: its directory %s cannot be opened", file->shown,
                           file->directory);
    }
    return SWATHE_OK;
}

swathe_status new_file_open(struct new_file *file, const char *path, const struct os_about *old)
{
    TRY(open_directory(file, path));
    if (os_new_file_create(&file->open, file->directory) != 0)
        return new_file_fail_create(file, "cannot create a file in its directory");
    if (old && os_new_file_permit(&file->open, old->permissions) != 0 && errno != EPERM)
        return new_file_fail_create(file, "cannot set the permissions of the old file");
    return SWATHE_OK;
}

swathe_status new_file_publish(struct new_file *file)
{
    const struct output_options *options = file->options;
    if (!options->unsynced && os_sync(file->open.fd) != 0)
        return new_file_fail_create(file, "cannot write");
    TRY(cancel_check(&options->cancel)); /* past this point the file appears */
    if (os_new_file_publish(&file->open, file->directory, file->name, options->overwrite) != 0)
        return errno == EEXIST ? new_file_exists(file)
                               : new_file_fail_create(file, "cannot give the new file its name");
    if (!options->unsynced && os_new_file_sync_name(&file->open) != 0)
        return new_file_fail_create(file, "cannot sync its directory");
    return SWATHE_OK;
}

swathe_status new_file_exists(const struct new_file *file)
{
    return fail_about(SWATHE_ERROR_ARGUMENT, "overwrite", "%s exists", file->shown);
}

void new_file_close(struct new_file *file)
{
    os_new_file_close(&file->open, file->directory);
    memory_free(file->memory, file->path);
}

/* ---- Temporary files ------------------------------------------------------------------------ */

swathe_status temporary_file_full(int error)
{
    char directory[OS_PATH];
    if (!os_temporary_directory(directory, sizeof directory))
        directory[0] = '\0';
    return fail_system(
        error, "cannot write a temporary file in %s (TMPDIR specifies the directory)", directory);
}

swathe_status temporary_file_open(int *descriptor)
{
    char directory[OS_PATH];
    if (!os_temporary_directory(directory, sizeof directory))
        return fail(SWATHE_ERROR_IO, "TMPDIR: the path is too long");
    int fd = os_open_temporary(directory);
    if (fd < 0)
        return fail_system(errno,
                           "cannot create a temporary file in %s (TMPDIR specifies the directory)",
                           directory);
    *descriptor = fd;
    return SWATHE_OK;
}

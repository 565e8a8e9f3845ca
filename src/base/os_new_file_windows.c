#include "base/os_new_file.h"

#include "base/os_file.h"
#include "base/os_path.h"
#include "base/os_windows.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <string.h>

int os_new_file_place(struct os_new_file *file, const char *directory)
{
    struct os_about about;
    (void)file;
    if (os_about(directory, &about) != 0)
        return -1;
    errno = ENOTDIR;
    return about.kind == OS_DIRECTORY ? 0 : -1;
}

/* While this is set, the system deletes the file when it is closed, even by a crash. */
static bool set_deletion(const struct os_new_file *file, bool delete)
{
    FILE_DISPOSITION_INFO info = {.DeleteFile = delete};
    return SetFileInformationByHandle(os_handle(file->fd), FileDispositionInfo, &info, sizeof info);
}

/* A path without a second slash after that of the root, which would name a server. False: too long
 * (errno is set). */
static bool windows_new_file_join(const char *directory, const char *name, char path[OS_PATH])
{
    const char *slash = os_last_slash(directory);
    bool ended = slash && slash[1] == '\0';
    errno = ENAMETOOLONG;
    return snprintf(path, OS_PATH, "%s%s%s", directory, ended ? "" : "/", name) < OS_PATH;
}

int os_new_file_create(struct os_new_file *file, const char *directory)
{
    char path[OS_PATH];
    if (!windows_new_file_join(directory, ".swathe-xxxxxx", path))
        return -1;
    file->fd = os_create_unique(path);
    if (file->fd < 0)
        return -1;
    snprintf(file->temporary, sizeof file->temporary, "%s", os_last_slash(path) + 1);
    set_deletion(file, true);
    return 0;
}

/* A new file has the permissions that its directory passes on. */
int os_new_file_permit(struct os_new_file *file, unsigned permissions)
{
    (void)file;
    (void)permissions;
    return 0;
}

/* Windows 10 and later replace a file that is open, as POSIX does. */
static bool rename_open(const struct os_new_file *file, const wchar_t *to, bool replace)
{
    struct {
        FILE_RENAME_INFO info;
        wchar_t more[OS_PATH];
    } request = {0};
    enum { REPLACE = 1, LIKE_POSIX = 2, RENAME_INFO_EX = 22 };
    size_t size = wcslen(to) * sizeof *to;
    request.info.FileNameLength = (DWORD)size;
    memcpy(request.info.FileName, to, size);
    DWORD flags = LIKE_POSIX | (replace ? REPLACE : 0);
    memcpy(&request.info, &flags, sizeof flags);
    if (SetFileInformationByHandle(os_handle(file->fd), (FILE_INFO_BY_HANDLE_CLASS)RENAME_INFO_EX,
                                   &request, sizeof request))
        return true;
    flags = 0;
    memcpy(&request.info, &flags, sizeof flags);
    request.info.ReplaceIfExists = replace;
    return SetFileInformationByHandle(os_handle(file->fd), FileRenameInfo, &request,
                                      sizeof request);
}

int os_new_file_publish(struct os_new_file *file, const char *directory, const char *name,
                        bool replace)
{
    char path[OS_PATH];
    wchar_t given[OS_PATH], full[OS_PATH];
    if (!windows_new_file_join(directory, name, path) || !os_to_wide(path, given, OS_PATH))
        return -1;
    DWORD length = GetFullPathNameW(given, OS_PATH, full, NULL);
    errno = ENAMETOOLONG;
    if (length >= OS_PATH)
        return -1;
    if (length == 0 || !set_deletion(file, false))
        return os_fail();
    if (!rename_open(file, full, replace)) {
        os_fail();
        int error = errno;
        set_deletion(file, true);
        errno = error;
        return -1;
    }
    file->temporary[0] = '\0';
    return 0;
}

/* The journal of the file system keeps names in order; a program cannot sync a directory. */
int os_new_file_sync_name(const struct os_new_file *file)
{
    return os_sync(file->fd);
}

void os_new_file_close(struct os_new_file *file, const char *directory)
{
    char path[OS_PATH];
    if (file->fd >= 0)
        os_close(file->fd);
    /* A file system that does not delete it by itself. */
    if (*file->temporary && windows_new_file_join(directory, file->temporary, path))
        os_remove(path);
}

#include "base/os_path.h"

#include "base/os_windows.h"

#include <errno.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *os_last_slash(const char *path)
{
    const char *last = NULL;
    for (; *path; path++)
        if (*path == '/' || *path == '\\')
            last = path;
    return last;
}

bool os_is_absolute(const char *path)
{
    return *path == '/' || *path == '\\' || (*path && path[1] == ':');
}

void os_plain_slashes(char *path)
{
    for (; *path; path++)
        if (*path == '\\')
            *path = '/';
}

/* ---- Directories of the user ---------------------------------------------------------------- */

const char *os_environment(const char *name)
{
    enum { VALUES = 4 };
    static _Thread_local char values[VALUES][OS_PATH];
    static _Thread_local int last;
    wchar_t wide[64];
    const wchar_t *found = os_to_wide(name, wide, 64) ? _wgetenv(wide) : NULL;
    last = (last + 1) % VALUES;
    return found && os_from_wide(found, values[last], OS_PATH) ? values[last] : NULL;
}

bool os_cache_directory(char *path, size_t size)
{
    const wchar_t *local = _wgetenv(L"LOCALAPPDATA");
    if (!local || !*local || !os_from_wide(local, path, size))
        return false;
    os_plain_slashes(path);
    return true;
}

bool os_temporary_directory(char *path, size_t size)
{
    wchar_t wide[MAX_PATH + 1];
    DWORD length = GetTempPathW(MAX_PATH + 1, wide);
    if (length == 0 || length > MAX_PATH || !os_from_wide(wide, path, size))
        return false;
    os_plain_slashes(path);
    return true;
}

bool os_any_match(const char *pattern, bool (*each)(void *user, const char *path), void *user)
{
    (void)pattern;
    (void)each;
    (void)user;
    return false;
}

int os_each_name(const char *directory, bool (*each)(void *user, const char *name), void *user)
{
    wchar_t pattern[OS_PATH];
    char name[4 * MAX_PATH];
    WIN32_FIND_DATAW found;
    if (!os_to_wide(directory, pattern, OS_PATH - 2))
        return -1;
    wcscat(pattern, L"/*");
    HANDLE handle = FindFirstFileW(pattern, &found);
    if (handle == INVALID_HANDLE_VALUE)
        return os_fail();
    bool more = true;
    do
        if (wcscmp(found.cFileName, L".") != 0 && wcscmp(found.cFileName, L"..") != 0)
            more = os_from_wide(found.cFileName, name, sizeof name) && each(user, name);
    while (more && FindNextFileW(handle, &found));
    DWORD error = more ? GetLastError() : ERROR_NO_MORE_FILES;
    FindClose(handle);
    SetLastError(error);
    return error == ERROR_NO_MORE_FILES ? 0 : os_fail();
}

/* ---- Properties ----------------------------------------------------------------------------- */

/* Windows counts 100 ns from 1601; 0: the file system does not tell. */
static int64_t windows_path_nanoseconds(LARGE_INTEGER time)
{
    int64_t since_1970 = time.QuadPart - INT64_C(116444736000000000);
    return since_1970 < 0 ? 0 : since_1970 > INT64_MAX / 100 ? INT64_MAX : since_1970 * 100;
}

/* FAT has no time of other changes. */
static int64_t time_of_change(const FILE_BASIC_INFO *times)
{
    int64_t created = windows_path_nanoseconds(times->CreationTime),
            written = windows_path_nanoseconds(times->LastWriteTime);
    if (times->ChangeTime.QuadPart > 0)
        return windows_path_nanoseconds(times->ChangeTime);
    return created > written ? created : written;
}

static enum os_kind windows_path_kind_of(HANDLE handle, DWORD attributes)
{
    FILE_ATTRIBUTE_TAG_INFO tag = {0, 0};
    if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
        GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof tag) &&
        (tag.ReparseTag == IO_REPARSE_TAG_SYMLINK || tag.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT))
        return OS_LINK;
    return attributes & FILE_ATTRIBUTE_DIRECTORY ? OS_DIRECTORY : OS_REGULAR;
}

/* Wine knows only the size of a file that it was given as standard input or output. */
static int describe_nameless(HANDLE handle, struct os_about *about)
{
    LARGE_INTEGER size;
    if (!GetFileSizeEx(handle, &size))
        return os_fail();
    about->kind = OS_REGULAR;
    about->size = size.QuadPart;
    return 0;
}

static int windows_path_describe(HANDLE handle, struct os_about *about)
{
    DWORD type = GetFileType(handle);
    *about = (struct os_about){.kind = type == FILE_TYPE_CHAR   ? OS_CHARACTERS
                                       : type == FILE_TYPE_PIPE ? OS_PIPE
                                                                : OS_OTHER};
    BY_HANDLE_FILE_INFORMATION file;
    FILE_BASIC_INFO times;
    if (type != FILE_TYPE_DISK)
        return type == FILE_TYPE_UNKNOWN && GetLastError() != NO_ERROR ? os_fail() : 0;
    if (!GetFileInformationByHandle(handle, &file) ||
        !GetFileInformationByHandleEx(handle, FileBasicInfo, &times, sizeof times))
        return describe_nameless(handle, about);
    about->kind = windows_path_kind_of(handle, file.dwFileAttributes);
    about->size = (int64_t)((uint64_t)file.nFileSizeHigh << 32 | file.nFileSizeLow);
    about->modified = windows_path_nanoseconds(times.LastWriteTime);
    about->changed = time_of_change(&times);
    about->device = file.dwVolumeSerialNumber;
    about->number = (uint64_t)file.nFileIndexHigh << 32 | file.nFileIndexLow;
    return 0;
}

static HANDLE windows_path_open_any(const char *path, DWORD flags)
{
    wchar_t wide[OS_PATH];
    if (!os_to_wide(path, wide, OS_PATH)) {
        SetLastError(ERROR_INVALID_NAME);
        return INVALID_HANDLE_VALUE;
    }
    return CreateFileW(wide, FILE_READ_ATTRIBUTES,
                       FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                       FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
}

static int about_path(const char *path, DWORD flags, struct os_about *about)
{
    HANDLE handle = windows_path_open_any(path, flags);
    if (handle == INVALID_HANDLE_VALUE)
        return os_fail();
    int failed = windows_path_describe(handle, about);
    CloseHandle(handle);
    return failed;
}

int os_about(const char *path, struct os_about *about)
{
    return about_path(path, 0, about);
}

int os_about_link(const char *path, struct os_about *about)
{
    return about_path(path, FILE_FLAG_OPEN_REPARSE_POINT, about);
}

int os_about_open(int fd, struct os_about *about)
{
    HANDLE handle = os_handle(fd);
    if (handle == INVALID_HANDLE_VALUE) {
        errno = EBADF;
        return -1;
    }
    SetLastError(NO_ERROR);
    return windows_path_describe(handle, about);
}

bool os_exists(const char *path)
{
    wchar_t wide[OS_PATH];
    return os_to_wide(path, wide, OS_PATH) && GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES;
}

bool os_can_run(const char *path)
{
    return os_exists(path);
}

/* The system does not tell; creating a file does. */
bool os_can_create_in(const char *directory)
{
    struct os_about about;
    return os_about(directory, &about) == 0 && about.kind == OS_DIRECTORY;
}

void os_link_target(const char *path, char *target, size_t size)
{
    char real[OS_PATH];
    snprintf(target, size, "%s", os_real_path(path, real) ? real : "");
}

bool os_real_path(const char *path, char *real)
{
    wchar_t wide[OS_PATH];
    HANDLE handle = windows_path_open_any(path, 0);
    if (handle == INVALID_HANDLE_VALUE)
        return os_fail() == 0;
    DWORD length = GetFinalPathNameByHandleW(handle, wide, OS_PATH, FILE_NAME_NORMALIZED);
    CloseHandle(handle);
    if (length == 0)
        return os_fail() == 0;
    errno = ENAMETOOLONG;
    if (length >= OS_PATH)
        return false;
    /* Removes the prefix of long names: "\\?\C:\" and "\\?\UNC\server". */
    size_t skip = wcsncmp(wide, L"\\\\?\\", 4) == 0 ? 4 : 0;
    if (skip > 0 && wcsncmp(wide + skip, L"UNC\\", 4) == 0) {
        skip += 2;
        wide[skip] = L'\\';
    }
    if (!os_from_wide(wide + skip, real, OS_PATH))
        return false;
    os_plain_slashes(real);
    return true;
}

/* ---- Changes -------------------------------------------------------------------------------- */

int os_make_directory(const char *path, bool only_for_user)
{
    wchar_t wide[OS_PATH];
    (void)only_for_user; /* the directory above decides */
    if (!os_to_wide(path, wide, OS_PATH))
        return -1;
    return CreateDirectoryW(wide, NULL) ? 0 : os_fail();
}

int os_replace(const char *from, const char *to)
{
    wchar_t wide_from[OS_PATH], wide_to[OS_PATH];
    if (!os_to_wide(from, wide_from, OS_PATH) || !os_to_wide(to, wide_to, OS_PATH))
        return -1;
    return MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING) ? 0 : os_fail();
}

void os_remove(const char *path)
{
    wchar_t wide[OS_PATH];
    if (os_to_wide(path, wide, OS_PATH))
        DeleteFileW(wide);
}

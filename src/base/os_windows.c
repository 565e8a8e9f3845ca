#include "base/os_windows.h"

#include "base/os_machine.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdint.h>
#include <string.h>

/* A colon that does not end the name of a drive: "C:name", which depends on the current directory
 * of that drive, and "name:stream", a file within a file. */
static bool has_other_colon(const char *path)
{
    const char *colon = strchr(path, ':');
    bool drive = colon && (colon[1] == '/' || colon[1] == '\\') &&
                 (colon == path + 1 || (colon == path + 5 && strncmp(path, "\\\\?\\", 4) == 0));
    return drive ? strchr(colon + 1, ':') != NULL : colon != NULL;
}

/* Names of devices, with any extension: what is written there is lost. */
static bool is_device(const char *path)
{
    static const char *const names[] = {"CON", "PRN", "AUX", "NUL", "COM", "LPT"};
    enum { NUMBERED = 4 }; /* the first that a digit follows */
    for (const char *slash; (slash = strpbrk(path, "/\\"));)
        path = slash + 1;
    size_t length = strcspn(path, ". ");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (_strnicmp(path, names[i], 3) == 0 &&
            (i < NUMBERED ? length == 3 : length == 4 && path[3] >= '1' && path[3] <= '9'))
            return true;
    return false;
}

bool os_to_wide(const char *text, wchar_t *wide, size_t size)
{
    if (has_other_colon(text) || is_device(text)) {
        SetLastError(ERROR_INVALID_NAME);
        errno = EINVAL;
        return false;
    }
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, (int)size) > 0)
        return true;
    errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : EILSEQ;
    return false;
}

bool os_from_wide(const wchar_t *wide, char *text, size_t size)
{
    if (WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, (int)size, NULL, NULL) > 0)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

int os_fail(void)
{
    static const struct {
        DWORD error;
        int number;
    } numbers[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_INVALID_DRIVE, ENOENT},
        {ERROR_BAD_PATHNAME, ENOENT},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_SHARING_VIOLATION, EACCES},
        {ERROR_LOCK_VIOLATION, EACCES},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_OUTOFMEMORY, ENOMEM},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_INVALID_HANDLE, EBADF},
        {ERROR_BROKEN_PIPE, EPIPE},
        {ERROR_NO_DATA, EPIPE},
        {ERROR_PIPE_NOT_CONNECTED, EPIPE},
        {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_INVALID_PARAMETER, EINVAL},
        {ERROR_INVALID_FUNCTION, EINVAL},
        {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
    };
    DWORD error = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].error == error)
            errno = numbers[i].number;
    return -1;
}

int os_descriptor(HANDLE handle, int flags)
{
    if (handle == INVALID_HANDLE_VALUE)
        return os_fail();
    int fd = _open_osfhandle((intptr_t)handle, flags | _O_BINARY | _O_NOINHERIT);
    if (fd < 0)
        CloseHandle(handle);
    return fd;
}

HANDLE os_handle(int fd)
{
    return (HANDLE)_get_osfhandle(fd);
}

void os_draw_letters(wchar_t letters[6])
{
    static const wchar_t all[] = L"abcdefghijklmnopqrstuvwxyz012345";
    uint8_t random[6] = {0};
    os_random(random, sizeof random);
    for (int i = 0; i < 6; i++)
        letters[i] = all[random[i] % 32];
}

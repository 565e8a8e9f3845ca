#include "base/os_file.h"

#include "base/os_path.h"
#include "base/os_windows.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 1 << 30 }; /* the most bytes of one call */

/* ---- Opening -------------------------------------------------------------------------------- */

/* Others may read, write, rename and delete the file, as in POSIX. */
static const DWORD sharing = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

static int windows_file_open_path(const char *path, DWORD access, DWORD create, DWORD flags,
                                  int mode)
{
    wchar_t wide[OS_PATH];
    if (!os_to_wide(path, wide, OS_PATH))
        return -1;
    return os_descriptor(CreateFileW(wide, access, sharing, NULL, create, flags, NULL), mode);
}

/* Directories can be opened, so that they are refused with a reason. */
int os_open_read(const char *path)
{
    return windows_file_open_path(path, GENERIC_READ, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS,
                                  _O_RDONLY);
}

int os_open_write(const char *path)
{
    return windows_file_open_path(path, GENERIC_WRITE, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL,
                                  _O_WRONLY);
}

int os_open_append(const char *path)
{
    struct os_about about;
    if (os_about_link(path, &about) == 0 && about.kind == OS_LINK) {
        errno = ELOOP;
        return -1;
    }
    return windows_file_open_path(path, GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS,
                                  FILE_FLAG_OPEN_REPARSE_POINT, _O_RDWR | _O_APPEND);
}

int os_reopen_output(void)
{
    errno = ENOSYS;
    return -1;
}

enum { ATTEMPTS = 100 };

/* Creates a file whose name ends with six random letters. */
static int create_unique(wchar_t *path, DWORD flags)
{
    wchar_t *letters = path + wcslen(path) - 6;
    for (int i = 0; i < ATTEMPTS; i++) {
        os_draw_letters(letters);
        HANDLE handle = CreateFileW(path, GENERIC_READ | GENERIC_WRITE | DELETE, sharing, NULL,
                                    CREATE_NEW, flags, NULL);
        if (handle != INVALID_HANDLE_VALUE || GetLastError() != ERROR_FILE_EXISTS)
            return os_descriptor(handle, _O_RDWR);
    }
    return os_fail();
}

int os_create_unique(char *path)
{
    wchar_t wide[OS_PATH];
    if (!os_to_wide(path, wide, OS_PATH))
        return -1;
    int fd = create_unique(wide, FILE_ATTRIBUTE_NORMAL);
    if (fd >= 0 && !os_from_wide(wide, path, strlen(path) + 1)) {
        _close(fd);
        return -1;
    }
    return fd;
}

int os_open_temporary(const char *directory)
{
    wchar_t wide[OS_PATH];
    static const wchar_t name[] = L"/swathe-xxxxxx";
    if (!os_to_wide(directory, wide, OS_PATH))
        return -1;
    size_t length = wcslen(wide);
    if (length + sizeof name / sizeof *name > OS_PATH) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(wide + length, name, sizeof name);
    return create_unique(wide, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE);
}

int os_close(int fd)
{
    return _close(fd);
}

bool os_is_open(int fd)
{
    return os_handle(fd) != INVALID_HANDLE_VALUE && os_handle(fd) != (HANDLE)-2;
}

bool os_is_terminal(int fd)
{
    DWORD mode;
    return GetConsoleMode(os_handle(fd), &mode);
}

void os_set_binary(int fd)
{
    _setmode(fd, _O_BINARY);
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

static DWORD windows_file_piece(size_t size)
{
    return size < AT_ONCE ? (DWORD)size : AT_ONCE;
}

int64_t os_read(int fd, void *bytes, size_t size)
{
    DWORD count = 0;
    if (ReadFile(os_handle(fd), bytes, windows_file_piece(size), &count, NULL))
        return count;
    /* A writer that has closed its pipe is the end of the file. */
    return GetLastError() == ERROR_BROKEN_PIPE || GetLastError() == ERROR_HANDLE_EOF ? 0
                                                                                     : os_fail();
}

int64_t os_write(int fd, const void *bytes, size_t size)
{
    int count = _write(fd, bytes, windows_file_piece(size));
    if (count < 0 && errno == EINVAL) /* what the C library reports for a closed pipe */
        errno = EPIPE;
    return count;
}

static OVERLAPPED windows_file_place(int64_t offset)
{
    OVERLAPPED at = {0};
    at.Offset = (DWORD)(uint64_t)offset;
    at.OffsetHigh = (DWORD)((uint64_t)offset >> 32);
    return at;
}

int64_t os_read_at(int fd, void *bytes, size_t size, int64_t offset)
{
    DWORD count = 0;
    OVERLAPPED at = windows_file_place(offset);
    if (ReadFile(os_handle(fd), bytes, windows_file_piece(size), &count, &at))
        return count;
    return GetLastError() == ERROR_HANDLE_EOF ? 0 : os_fail();
}

int64_t os_write_at(int fd, const void *bytes, size_t size, int64_t offset)
{
    DWORD count = 0;
    OVERLAPPED at = windows_file_place(offset);
    return WriteFile(os_handle(fd), bytes, windows_file_piece(size), &count, &at) ? (int64_t)count
                                                                                  : os_fail();
}

/* One write at the end of the file, as two would leave the first if the process is killed. */
int64_t os_write_both(int fd, const void *first, size_t first_size, const void *second,
                      size_t second_size)
{
    size_t size = first_size + second_size;
    char *both = HeapAlloc(GetProcessHeap(), 0, size + 1);
    if (!both) {
        errno = ENOMEM;
        return -1;
    }
    if (first_size > 0)
        memcpy(both, first, first_size);
    memcpy(both + first_size, second, second_size);
    int64_t count = os_write(fd, both, size);
    HeapFree(GetProcessHeap(), 0, both);
    return count;
}

int64_t os_tell(int fd)
{
    return _lseeki64(fd, 0, SEEK_CUR);
}

int64_t os_seek(int fd, int64_t offset)
{
    return _lseeki64(fd, offset, SEEK_SET);
}

int os_truncate(int fd, int64_t size)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile = {.QuadPart = size}};
    return SetFileInformationByHandle(os_handle(fd), FileEndOfFileInfo, &end, sizeof end)
               ? 0
               : os_fail();
}

/* Anonymous pipes cannot be waited for, so this looks every few milliseconds. Writes block. */
int os_wait(int fd, enum os_wait what, int ms)
{
    enum { TICK = 5 };
    HANDLE handle = os_handle(fd);
    DWORD ready = 0;
    if (what == OS_WAIT_WRITE || GetFileType(handle) != FILE_TYPE_PIPE)
        return 1;
    for (int waited = 0;; waited += ms < 0 ? 0 : TICK) {
        if (!PeekNamedPipe(handle, NULL, 0, NULL, &ready, NULL) || ready > 0)
            return 1; /* the read reports errors */
        if (ms >= 0 && waited >= ms)
            return 0;
        Sleep(TICK);
    }
}

void os_pause(int ms)
{
    Sleep((DWORD)ms);
}

/* ---- The disk ------------------------------------------------------------------------------- */

bool os_is_full(int error)
{
    return error == ENOSPC;
}

int os_sync(int fd)
{
    return FlushFileBuffers(os_handle(fd)) ? 0 : os_fail();
}

int os_sync_contents(int fd)
{
    return os_sync(fd);
}

/* Syncing a whole volume requires an administrator. */
bool os_syncs_volumes(void)
{
    return false;
}

int os_sync_volume(int directory_fd)
{
    return os_sync(directory_fd);
}

void os_sync_all(void)
{
}

int os_open_directory(const char *path)
{
    return windows_file_open_path(path, GENERIC_READ, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS,
                                  _O_RDONLY);
}

/* Locks exclude reading, so this locks a byte that no journal reaches. */
int os_lock(int fd)
{
    OVERLAPPED at = windows_file_place(INT64_C(1) << 62);
    if (LockFileEx(os_handle(fd), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
                   &at))
        return 0;
    if (GetLastError() != ERROR_LOCK_VIOLATION && GetLastError() != ERROR_IO_PENDING)
        return os_fail();
    errno = EWOULDBLOCK;
    return -1;
}

int os_touch(int fd)
{
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    return SetFileTime(os_handle(fd), NULL, NULL, &now) ? 0 : os_fail();
}

/* ---- stdio ---------------------------------------------------------------------------------- */

FILE *os_fopen(const char *path, const char *mode)
{
    wchar_t wide[OS_PATH], wide_mode[8];
    size_t i = 0;
    for (; mode[i] && i < 7; i++)
        wide_mode[i] = (wchar_t)mode[i];
    wide_mode[i] = L'\0';
    return os_to_wide(path, wide, OS_PATH) ? _wfopen(wide, wide_mode) : NULL;
}

FILE *os_open_copy(int fd)
{
    int copy = _dup(fd);
    FILE *from = copy < 0 ? NULL : _fdopen(copy, "rb");
    if (from)
        rewind(from); /* both share a position */
    else if (copy >= 0)
        _close(copy);
    return from;
}

static bool windows_file_enlarge(char **line, size_t *room)
{
    size_t size = *room ? 2 * *room : 256;
    char *larger = realloc(*line, size);
    if (!larger)
        return false;
    *line = larger;
    *room = size;
    return true;
}

int64_t os_read_line(char **line, size_t *room, FILE *from)
{
    size_t length = 0;
    int next = 0;
    while (next != '\n' && (next = getc(from)) != EOF) {
        if (length + 2 > *room && !windows_file_enlarge(line, room))
            return -1;
        (*line)[length++] = (char)next;
    }
    if (length == 0)
        return -1;
    (*line)[length] = '\0';
    return (int64_t)length;
}

void os_memory_open(struct os_memory_file *file)
{
    char directory[OS_PATH];
    *file = (struct os_memory_file){0};
    int fd =
        os_temporary_directory(directory, sizeof directory) ? os_open_temporary(directory) : -1;
    file->to = fd < 0 ? NULL : _fdopen(fd, "w+b");
    if (!file->to && fd >= 0)
        _close(fd);
}

bool os_memory_close(struct os_memory_file *file)
{
    int64_t size = fflush(file->to) == 0 ? ftello64(file->to) : -1;
    file->text = size < 0 ? NULL : malloc((size_t)size + 1);
    if (file->text) {
        rewind(file->to);
        file->size = fread(file->text, 1, (size_t)size, file->to);
        file->text[file->size] = '\0';
    }
    fclose(file->to);
    return file->text && file->size == (size_t)size;
}

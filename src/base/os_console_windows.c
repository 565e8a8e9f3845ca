#include "base/os_console.h"

#include "base/os_path.h"
#include "base/os_windows.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

/* Of the C library: the arguments in UTF-16. */
struct start_info {
    int mode;
};
int __cdecl __wgetmainargs(int *argc, wchar_t ***argv, wchar_t ***environment, int expand,
                           struct start_info *info);

static char **windows_console_convert(int count, wchar_t **wide)
{
    size_t bytes = ((size_t)count + 1) * sizeof(char *);
    for (int i = 0; i < count; i++)
        bytes += wcslen(wide[i]) * 3 + 1;
    char **converted = HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, bytes);
    char *text = converted ? (char *)(converted + count + 1) : NULL;
    for (int i = 0; converted && i < count; i++) {
        size_t size = wcslen(wide[i]) * 3 + 1;
        converted[i] = text;
        os_from_wide(wide[i], text, size);
        text += size;
    }
    return converted;
}

static void windows_console_ignore(const wchar_t *expression, const wchar_t *function,
                                   const wchar_t *file, unsigned line, uintptr_t reserved)
{
    (void)expression;
    (void)function;
    (void)file;
    (void)line;
    (void)reserved;
}

static UINT code_page; /* of the console before this program */

static void restore_code_page(void)
{
    SetConsoleOutputCP(code_page);
}

/* The text of messages and lists is the same bytes as on other systems. */
void os_console_start(int *argc, char ***argv)
{
    int count = 0;
    wchar_t **wide = NULL, **environment = NULL;
    struct start_info info = {0};
    _set_invalid_parameter_handler(windows_console_ignore); /* wrong descriptors are EBADF */
    code_page = GetConsoleOutputCP();
    if (code_page != 0 && atexit(restore_code_page) == 0)
        SetConsoleOutputCP(CP_UTF8);
    for (int fd = 0; fd <= 2; fd++)
        _setmode(fd, _O_BINARY);
    if (__wgetmainargs(&count, &wide, &environment, 0, &info) < 0 || count != *argc)
        return;
    char **converted = windows_console_convert(count, wide);
    *argv = converted ? converted : *argv;
}

bool os_occupy_descriptor(int fd)
{
    return _open("NUL", fd == 0 ? _O_WRONLY : _O_RDONLY) >= 0;
}

void os_catch_interrupts(void (*note)(int number))
{
    signal(SIGINT, note);
    signal(SIGTERM, note);
    signal(SIGBREAK, note);
}

void os_end_by(int number)
{
    (void)number;
}

void os_end_after(int ms, int number, bool (*may_end)(void))
{
    (void)ms;
    (void)number;
    (void)may_end;
}

int os_terminal_width(void)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(GetStdHandle(STD_ERROR_HANDLE), &info))
        return 0;
    return info.srWindow.Right - info.srWindow.Left + 1;
}

bool os_own_path(char *path, size_t size)
{
    wchar_t wide[OS_PATH];
    DWORD length = GetModuleFileNameW(NULL, wide, OS_PATH);
    if (length == 0 || length >= OS_PATH || !os_from_wide(wide, path, size))
        return false;
    os_plain_slashes(path);
    return true;
}

/* Only the benchmark needs it, which is not built for Windows. */
void os_become(const char *path, char *const *arguments)
{
    (void)path;
    (void)arguments;
    errno = ENOENT;
}

#include "base/os_library.h"

#include "base/os_path.h"
#include "base/os_windows.h"

#include <stdio.h>
#include <string.h>

/* A bare name must not find a file that somebody put beside an image. */
static DWORD windows_library_places(const char *name)
{
    return os_last_slash(name) ? LOAD_WITH_ALTERED_SEARCH_PATH : LOAD_LIBRARY_SEARCH_SYSTEM32;
}

void *os_library_open(const char *name, const char **error)
{
    static _Thread_local char text[256];
    wchar_t wide[OS_PATH];
    void *library = NULL;
    if (os_to_wide(name, wide, OS_PATH))
        library = LoadLibraryExW(wide, NULL, windows_library_places(name));
    snprintf(text, sizeof text, "%s: No such file, or it cannot be loaded", name);
    *error = library ? NULL : text;
    return library;
}

void *os_library_find(void *library, const char *name)
{
    FARPROC found = GetProcAddress(library, name);
    void *address;
    memcpy(&address, &found, sizeof address);
    return address;
}

void os_library_close(void *library)
{
    FreeLibrary(library);
}

/* What the files for Windows share: paths in UTF-16, and errno for its errors. */
#ifndef SWATHE_BASE_OS_WINDOWS_H
#define SWATHE_BASE_OS_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

/* False: the path is not valid, or too long (errno is set). */
bool os_to_wide(const char *text, wchar_t *wide, size_t size);
bool os_from_wide(const wchar_t *wide, char *text, size_t size);
/* Sets errno for GetLastError and returns -1. */
int os_fail(void);
/* A descriptor for a handle, which is closed if that fails. */
int os_descriptor(HANDLE handle, int flags);
HANDLE os_handle(int fd);
/* Fills the place of six letters at the end of a name. */
void os_draw_letters(wchar_t letters[6]);

#endif

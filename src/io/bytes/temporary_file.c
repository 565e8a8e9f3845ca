#include "io/bytes/temporary_file.h"

#include "base/os_file.h"
#include "base/os_path.h"

#include <errno.h>

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

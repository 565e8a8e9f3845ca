#define _GNU_SOURCE /* O_TMPFILE, secure_getenv, mkostemp */
#include "io/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For file systems without unnamed files: creates a named file and unlinks it. */
static int open_named(const char *directory)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/swathe-XXXXXX", directory) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static const char *find_directory(void)
{
    const char *directory = secure_getenv("TMPDIR");
    return directory && *directory ? directory : "/tmp";
}

swathe_status temporary_full(int error)
{
    return fail_system(error,
                       "cannot write a temporary file in %s (TMPDIR specifies the directory)",
                       find_directory());
}

swathe_status temporary_open(int *descriptor)
{
    const char *directory = find_directory();
    int fd = -1;
#ifdef O_TMPFILE
    fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
    if (fd < 0)
        fd = open_named(directory);
    if (fd < 0)
        return fail_system(errno,
                           "cannot create a temporary file in %s (TMPDIR specifies the directory)",
                           directory);
    *descriptor = fd;
    return SWATHE_OK;
}

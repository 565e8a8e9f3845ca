/* Deletes a directory with everything in it. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "files/files.h"
#include "store_failure.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>

enum { OPEN_FOLDERS = 16 };

/* Others may delete the same files. A directory in which a file appeared meanwhile is kept. */
static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *place)
{
    (void)found;
    (void)kind;
    (void)place;
    return remove(path) == 0 || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST ? 0 : -1;
}

swathe_status store_file_delete_below(const char *path)
{
    if (nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT)
        return SWATHE_OK;
    return store_fail_path(errno, path);
}

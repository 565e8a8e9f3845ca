#define _GNU_SOURCE /* readlink */
#include "beside.h"

#include <stdio.h>
#include <unistd.h>

bool beside_path(const char *place, char path[BESIDE_PATH])
{
    char self[PATH_MAX] = "";
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    while (size > 0 && self[size - 1] != '/')
        self[--size] = '\0';
    if (*place != '/' && size <= 0)
        return false;
    snprintf(path, BESIDE_PATH, "%s%s", *place == '/' ? "" : self, place);
    return true;
}

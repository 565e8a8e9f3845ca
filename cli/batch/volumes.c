#define _GNU_SOURCE /* syncfs */
#include "batch/volumes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool known(const struct volumes *volumes, dev_t device)
{
    for (int i = 0; i < volumes->count; i++)
        if (volumes->devices[i] == device)
            return true;
    return false;
}

void volumes_add(struct volumes *volumes, const struct image *image)
{
    if (volumes->more || known(volumes, image->device))
        return;
    char *slash = strrchr(image->out, '/');
    *slash = '\0';
    int folder =
        volumes->count == VOLUMES_MOST ? -1 : open(image->out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *slash = '/';
    if (folder < 0) {
        volumes->more = true;
        return;
    }
    volumes->devices[volumes->count] = image->device;
    volumes->folders[volumes->count++] = folder;
}

bool volumes_sync(const struct volumes *volumes)
{
    bool all = volumes->more, good = true;
#ifdef __linux__
    for (int i = 0; i < volumes->count; i++) {
        int failed;
        do
            failed = syncfs(volumes->folders[i]);
        while (failed && errno == EINTR);
        good = good && !failed;
    }
#else
    all = true;
#endif
    if (all)
        sync();
    return good;
}

void volumes_close(struct volumes *volumes)
{
    for (int i = 0; i < volumes->count; i++)
        close(volumes->folders[i]);
    volumes->count = 0;
}

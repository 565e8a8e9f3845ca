#include "batch/volumes.h"

#include "../../src/base/os_file.h"

#include <errno.h>
#include <string.h>

static bool known(const struct volumes *volumes, uint64_t device)
{
    for (int i = 0; i < volumes->count; i++)
        if (volumes->devices[i] == device)
            return true;
    return false;
}

void volumes_add(struct volumes *volumes, const struct image *image)
{
    if (!os_syncs_volumes() || volumes->more || known(volumes, image->device))
        return;
    char *slash = strrchr(image->out, '/');
    *slash = '\0';
    int folder = volumes->count == VOLUMES_MOST ? -1 : os_open_directory(image->out);
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
    bool good = true;
    if (!os_syncs_volumes()) /* each result was synced */
        return true;
    for (int i = 0; i < volumes->count; i++) {
        int failed;
        do
            failed = os_sync_volume(volumes->folders[i]);
        while (failed && errno == EINTR);
        good = good && !failed;
    }
    if (volumes->more)
        os_sync_all();
    return good;
}

void volumes_close(struct volumes *volumes)
{
    for (int i = 0; i < volumes->count; i++)
        os_close(volumes->folders[i]);
    volumes->count = 0;
}

/* The file systems that have results: folders below --out may be mount points. */
#ifndef SWATHE_CLI_BATCH_VOLUMES_H
#define SWATHE_CLI_BATCH_VOLUMES_H

#include "batch/list.h"

enum { VOLUMES_MOST = 16 };

/* May be copied, to sync without holding a lock; the descriptors stay. */
struct volumes {
    dev_t devices[VOLUMES_MOST];
    int folders[VOLUMES_MOST]; /* one on each of them */
    int count;
    bool more; /* than are listed: all file systems of the machine are synced */
};

/* That of the image's result. */
void volumes_add(struct volumes *volumes, const struct image *image);
/* False: errno says why. */
bool volumes_sync(const struct volumes *volumes);
void volumes_close(struct volumes *volumes);

#endif

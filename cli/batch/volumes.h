/* The file systems that contain results: directories below --out may be mount points. */
#ifndef SWATHE_CLI_BATCH_VOLUMES_H
#define SWATHE_CLI_BATCH_VOLUMES_H

#include "batch/list.h"

enum { VOLUMES_MOST = 16 };

/* May be copied, to sync without holding a lock; the copy shares the descriptors. */
struct volumes {
    uint64_t devices[VOLUMES_MOST];
    int folders[VOLUMES_MOST]; /* one on each file system */
    int count;
    bool more; /* there are more than the list holds: all file systems of the machine are synced */
};

/* Adds the file system of the image's result. */
void volumes_add(struct volumes *volumes, const struct image *image);
/* False: errno is set. */
bool volumes_sync(const struct volumes *volumes);
void volumes_close(struct volumes *volumes);

#endif

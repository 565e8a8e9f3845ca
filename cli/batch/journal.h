/* Records the progress of a batch in an append-only file: docs/batch.md. */
#ifndef SWATHE_CLI_BATCH_JOURNAL_H
#define SWATHE_CLI_BATCH_JOURNAL_H

#include "batch/list.h"
#include "batch/record.h"

#include <pthread.h>

enum { VOLUMES_MOST = 16 };

/* The file systems that contain results: directories below --out may be mount points. May be
 * copied, to sync without holding a lock; the copy shares the descriptors. */
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

struct journal {
    char *path;
    int fd;
    pthread_mutex_t mutex;
    struct record record;
    int64_t done;    /* number of `done` records of all runs */
    int64_t synced;  /* number of them that are known to be on the disk, with their results */
    int64_t resumed; /* value of `done` when this run began */
    struct volumes volumes; /* file systems of this run's results */
    bool resumable;         /* it is a file, which --resume can read */
    bool broken;            /* a write failed: the last record may be incomplete */
};

/* Begins a journal, or with --resume reads one and marks the images of `list` that are finished.
 * Several batches cannot share one. 0, or the exit code after a message. */
int journal_open(struct journal *journal, const struct options *options, const swathe_chain *chain,
                 struct list *list);
/* Records that the result of `image` exists under its name, with result_size bytes on its device.
 * size and mtime describe the input. */
int journal_done(struct journal *journal, const struct image *image);
int journal_failed(struct journal *journal, const struct image *image, int code, const char *why);
/* Syncs the results to the disk, then the record that confirms them. */
int journal_sync(struct journal *journal);
void journal_close(struct journal *journal);

/* Reads the journal of earlier runs. Marks finished images, and images with a result that an
 * earlier run may have written without recording it. Truncates the journal before damaged lines. 0,
 * or the exit code after a message. */
int replay(struct journal *journal, const struct options *options, const swathe_chain *chain,
           struct list *list);
/* Checks that a file is a journal of any batch, so that a file that --journal names by mistake is
 * not emptied, and whether it may record a finished image. 0, or the exit code after a message. */
int replay_check(const struct journal *journal, bool *done);

#endif

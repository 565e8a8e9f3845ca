#define _GNU_SOURCE /* syncfs, flock */
#include "batch/journal.h"

#include "batch/boot.h"
#include "batch/heading.h"
#include "batch/replay.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usual_name[] = ".swathe-batch.journal";

static int complain_io(const struct journal *journal, const char *doing)
{
    return complain(SWATHE_ERROR_IO, "%s: %s: %s", journal->path, doing, strerror(errno));
}

/* ---- Appending ---------------------------------------------------------------------------- */

/* One write for a record: a process that is killed has made it, or has not. */
static int append(struct journal *journal)
{
    if (journal->broken)
        return complain(SWATHE_ERROR_IO, "%s: an earlier record could not be written",
                        journal->path);
    if (!record_end(&journal->record))
        return complain(SWATHE_ERROR_MEMORY, "%s: no memory for a record", journal->path);
    ssize_t count;
    do
        count = write(journal->fd, journal->record.text, journal->record.size);
    while (count < 0 && errno == EINTR);
    if (count == (ssize_t)journal->record.size)
        return 0;
    journal->broken = true;
    errno = count < 0 ? errno : ENOSPC;
    return complain_io(journal, "cannot write");
}

int journal_done(struct journal *journal, const struct image *image)
{
    pthread_mutex_lock(&journal->mutex);
    record_begin(&journal->record, "done");
    record_add_number(&journal->record, image->size);
    record_add_number(&journal->record, image->mtime);
    record_add(&journal->record, image->in);
    int code = append(journal);
    journal->done += code == 0;
    pthread_mutex_unlock(&journal->mutex);
    return code;
}

int journal_failed(struct journal *journal, const struct image *image, int code, const char *why)
{
    pthread_mutex_lock(&journal->mutex);
    record_begin(&journal->record, "failed");
    record_add_number(&journal->record, code);
    record_add(&journal->record, image->in);
    record_add(&journal->record, why);
    code = append(journal);
    pthread_mutex_unlock(&journal->mutex);
    return code;
}

static bool sync_results(const struct journal *journal)
{
#ifdef __linux__
    return syncfs(journal->folder_fd) == 0;
#else
    (void)journal;
    sync();
    return true;
#endif
}

/* Results that are recorded while the disk is busy belong to the next sync. */
int journal_sync(struct journal *journal)
{
    pthread_mutex_lock(&journal->mutex);
    int64_t done = journal->broken ? journal->synced : journal->done;
    pthread_mutex_unlock(&journal->mutex);
    if (done == journal->synced)
        return 0;
    if (!sync_results(journal))
        return complain_io(journal, "cannot sync the results");
    pthread_mutex_lock(&journal->mutex);
    record_begin(&journal->record, "synced");
    record_add_number(&journal->record, done);
    int code = append(journal);
    pthread_mutex_unlock(&journal->mutex);
    /* Devices and pipes, which a user may name, have nothing to sync. */
    if (code == 0 && fdatasync(journal->fd) != 0 && errno != EINVAL)
        code = complain_io(journal, "cannot sync");
    journal->synced = code == 0 ? done : journal->synced;
    return code;
}

/* ---- Opening ------------------------------------------------------------------------------ */

static bool find_path(struct journal *journal, const struct options *options,
                      const struct list *list)
{
    const char *given = options_text(options, OPTION_JOURNAL);
    size_t size = strlen(given ? given : list->folder) + sizeof usual_name + 1;
    journal->path = malloc(size);
    if (journal->path && given)
        snprintf(journal->path, size, "%s", given);
    else if (journal->path)
        snprintf(journal->path, size, "%s/%s", list->folder, usual_name);
    return journal->path != NULL;
}

static int open_files(struct journal *journal, const struct list *list)
{
    journal->folder_fd = open(list->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (journal->folder_fd < 0)
        return complain(SWATHE_ERROR_IO, "%s: %s", list->folder, strerror(errno));
    journal->fd = open(journal->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (journal->fd < 0)
        return complain_io(journal, "cannot write the journal");
    if (flock(journal->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return complain(SWATHE_ERROR_IO, "%s: another batch is writing it", journal->path);
    return 0;
}

static int begin(struct journal *journal, const struct options *options, const swathe_chain *chain)
{
    if (ftruncate(journal->fd, 0) != 0 && errno != EINVAL)
        return complain_io(journal, "cannot start anew");
    heading_write(options, chain, &journal->record);
    return append(journal);
}

/* Which boot wrote what follows, and the time by the file system's own clock. */
static int append_boot(struct journal *journal)
{
    char boot[BOOT_SIZE];
    struct stat now = {0};
    if (fstat(journal->fd, &now) != 0)
        return complain_io(journal, "cannot read");
    record_begin(&journal->record, "boot");
    record_add(&journal->record, boot_id(boot));
    record_add_number(&journal->record, now.st_mtim.tv_sec);
    return append(journal);
}

static int open_journal(struct journal *journal, const struct options *options,
                        const swathe_chain *chain, struct list *list)
{
    struct stat found = {0};
    bool resume = options_has(options, OPTION_RESUME);
    int code = open_files(journal, list);
    if (code == 0 && fstat(journal->fd, &found) != 0)
        code = complain_io(journal, "cannot read");
    if (code != 0)
        return code;
    if (found.st_size > 0 && !resume && !options_has(options, OPTION_BATCH_OVERWRITE))
        return complain(SWATHE_ERROR_ARGUMENT,
                        "%s exists: --resume continues that batch, --overwrite starts anew",
                        journal->path);
    if (found.st_size > 0 && resume)
        code = replay(journal, options, chain, list);
    else
        code = begin(journal, options, chain);
    return code == 0 ? append_boot(journal) : code;
}

int journal_open(struct journal *journal, const struct options *options, const swathe_chain *chain,
                 struct list *list)
{
    *journal = (struct journal){.fd = -1, .folder_fd = -1};
    pthread_mutex_init(&journal->mutex, NULL);
    if (!find_path(journal, options, list))
        return complain(SWATHE_ERROR_MEMORY, "the journal: no memory");
    return open_journal(journal, options, chain, list);
}

void journal_close(struct journal *journal)
{
    if (!journal->path)
        return;
    if (journal->fd >= 0)
        close(journal->fd);
    if (journal->folder_fd >= 0)
        close(journal->folder_fd);
    record_free(&journal->record);
    pthread_mutex_destroy(&journal->mutex);
    free(journal->path);
}

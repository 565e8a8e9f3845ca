#include "batch/journal.h"

#include "../../src/base/os_file.h"
#include "../../src/base/os_machine.h"
#include "../../src/base/os_path.h"
#include "batch/record.h"
#include "terminal/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The file systems of results ------------------------------------------------------------ */

static bool journal_known(const struct volumes *volumes, uint64_t device)
{
    for (int i = 0; i < volumes->count; i++)
        if (volumes->devices[i] == device)
            return true;
    return false;
}

void volumes_add(struct volumes *volumes, const struct image *image)
{
    if (!os_syncs_volumes() || volumes->more || journal_known(volumes, image->device))
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

static const char usual_name[] = ".swathe-batch.journal";
enum { TICK_MOST = 50 }; /* ms to wait for a clock */

static int complain_io(const struct journal *journal, const char *doing)
{
    return complain_system(errno, "%s: %s", journal->path, doing);
}

/* ---- Appending ---------------------------------------------------------------------------- */

/* Writes the journal's record, and `before` if it is not NULL, in one call: a killed process leaves
 * both records or neither. */
static int append_both(struct journal *journal, struct record *before)
{
    struct record *last = &journal->record;
    if (journal->broken)
        return complain(SWATHE_ERROR_IO, "%s: an earlier record could not be written",
                        journal->path);
    if ((before && !record_end(before)) || !record_end(last))
        return complain(SWATHE_ERROR_MEMORY, "%s: no memory for a record", journal->path);
    size_t size = before ? before->size : 0;
    int64_t count;
    do
        count =
            os_write_both(journal->fd, before ? before->text : NULL, size, last->text, last->size);
    while (count < 0 && errno == EINTR);
    if (count == (int64_t)(size + last->size))
        return 0;
    journal->broken = true;
    errno = count < 0 ? errno : ENOSPC;
    return complain_io(journal, "cannot write");
}

static int journal_append(struct journal *journal)
{
    return append_both(journal, NULL);
}

int journal_done(struct journal *journal, const struct image *image)
{
    pthread_mutex_lock(&journal->mutex);
    record_begin(&journal->record, "done");
    record_add_number(&journal->record, image->size);
    record_add_number(&journal->record, image->mtime);
    record_add(&journal->record, image->in);
    record_add(&journal->record, image->name);
    record_add_number(&journal->record, image->result_size);
    volumes_add(&journal->volumes, image);
    int code = journal_append(journal);
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
    code = journal_append(journal);
    pthread_mutex_unlock(&journal->mutex);
    return code;
}

static int sync_file(int fd)
{
    int failed;
    do
        failed = os_sync_contents(fd);
    while (failed && errno == EINTR);
    return failed;
}

/* Results recorded during a sync belong to the next one. If results of an earlier run are not
 * synced yet, their file systems are unknown. */
int journal_sync(struct journal *journal)
{
    pthread_mutex_lock(&journal->mutex);
    int64_t done = journal->broken ? journal->synced : journal->done;
    struct volumes volumes = journal->volumes;
    pthread_mutex_unlock(&journal->mutex);
    if (done == journal->synced)
        return 0;
    volumes.more |= journal->synced < journal->resumed;
    if (!volumes_sync(&volumes))
        return complain_io(journal, "cannot sync the results");
    pthread_mutex_lock(&journal->mutex);
    record_begin(&journal->record, "synced");
    record_add_number(&journal->record, done);
    int code = journal_append(journal);
    pthread_mutex_unlock(&journal->mutex);
    /* Devices, such as /dev/null, have nothing to sync. */
    if (code == 0 && sync_file(journal->fd) != 0 && errno != EINVAL)
        code = complain_io(journal, "cannot sync");
    journal->synced = code == 0 ? done : journal->synced;
    return code;
}

/* ---- Opening ------------------------------------------------------------------------------ */

static bool journal_find_path(struct journal *journal, const struct options *options,
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

static int journal_open_file(struct journal *journal)
{
    struct os_about found;
    journal->fd = os_open_append(journal->path);
    if (journal->fd < 0 && errno == ELOOP)
        return complain(
            SWATHE_ERROR_IO,
            "%s is a symbolic link, which batch does not follow; remove it, or name the "
            "journal itself with --journal FILE",
            journal->path);
    if (journal->fd < 0)
        return complain_io(journal, "cannot write the journal");
    if (os_about_open(journal->fd, &found) != 0)
        return complain_io(journal, "cannot read");
    journal->resumable = found.kind == OS_REGULAR;
    if (found.kind == OS_CHARACTERS) /* a device such as /dev/null, which several batches may use */
        return 0;
    if (found.kind != OS_REGULAR)
        return complain(
            SWATHE_ERROR_IO,
            "%s cannot hold a journal because it is not a regular file; remove it, or name another "
            "with --journal FILE",
            journal->path);
    if (os_lock(journal->fd) != 0 && errno == EWOULDBLOCK)
        return complain(SWATHE_ERROR_IO, "%s is in use by another batch", journal->path);
    return 0;
}

/* The file system's clock, in ns; INT64_MAX: unknown. */
static int64_t file_time(const struct journal *journal)
{
    struct os_about found = {0};
    if (os_touch(journal->fd) != 0 || os_about_open(journal->fd, &found) != 0)
        return INT64_MAX;
    return found.modified;
}

/* Returns a time later than the mtime of every existing file. The clock ticks a few hundred times a
 * second. This function waits for the next tick, so that files written after it have that time or a
 * later one. On a file system with longer ticks they look older, which is safe. */
static int64_t journal_tick(const struct journal *journal)
{
    int64_t first = file_time(journal), now = first;
    for (int i = 0; i < TICK_MOST && now == first && now != INT64_MAX; i++) {
        os_pause(1);
        now = file_time(journal);
    }
    return now > first || first == INT64_MAX ? now : first + 1;
}

/* Records the boot that writes the following records, and the time. */
static void write_boot(struct journal *journal)
{
    char boot[OS_BOOT_ID];
    record_begin(&journal->record, "boot");
    record_add(&journal->record, os_boot_id(boot));
    record_add_number(&journal->record, journal_tick(journal));
}

static int journal_begin(struct journal *journal, const struct options *options,
                         const swathe_chain *chain)
{
    struct record header = {0};
    if (os_truncate(journal->fd, 0) != 0 && errno != EINVAL)
        return complain_io(journal, "cannot empty the journal");
    journal_header_write(options, chain, &header);
    write_boot(journal);
    int code = append_both(journal, &header);
    record_free(&header);
    return code;
}

static int journal_go_on(struct journal *journal, const struct options *options,
                         const swathe_chain *chain, struct list *list)
{
    int code = replay(journal, options, chain, list);
    if (code != 0)
        return code;
    journal->resumed = journal->done;
    write_boot(journal);
    return journal_append(journal);
}

static int open_journal(struct journal *journal, const struct options *options,
                        const swathe_chain *chain, struct list *list)
{
    struct os_about found = {0};
    bool resume = options_has(options, OPTION_RESUME);
    int code = journal_open_file(journal);
    if (code == 0 && os_about_open(journal->fd, &found) != 0)
        code = complain_io(journal, "cannot read");
    if (code != 0)
        return code;
    if (found.size > 0 && resume)
        return journal_go_on(journal, options, chain, list);
    bool done = false;
    code = found.size > 0 ? replay_check(journal, &done) : 0;
    if (code == 0 && done && !options_has(options, OPTION_BATCH_OVERWRITE))
        code = complain(SWATHE_ERROR_ARGUMENT,
                        "%s exists: --resume continues that batch, --overwrite starts over",
                        journal->path);
    return code == 0 ? journal_begin(journal, options, chain) : code;
}

int journal_open(struct journal *journal, const struct options *options, const swathe_chain *chain,
                 struct list *list)
{
    *journal = (struct journal){.fd = -1};
    pthread_mutex_init(&journal->mutex, NULL);
    if (!journal_find_path(journal, options, list))
        return complain(SWATHE_ERROR_MEMORY, "no memory for the journal");
    return open_journal(journal, options, chain, list);
}

void journal_close(struct journal *journal)
{
    if (!journal->path)
        return;
    if (journal->fd >= 0)
        os_close(journal->fd);
    volumes_close(&journal->volumes);
    record_free(&journal->record);
    pthread_mutex_destroy(&journal->mutex);
    free(journal->path);
}

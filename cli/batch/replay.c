#include "batch/journal.h"

#include "../../src/base/os_file.h"
#include "../../src/base/os_machine.h"
#include "../../src/base/os_path.h"
#include "batch/record.h"
#include "terminal/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t never = INT64_MAX;

struct replay {
    struct journal *journal;
    struct list *list;
    struct image **by_name;
    char boot[OS_BOOT_ID]; /* boot that wrote the current records */
    int64_t began;         /* ns, by the clock of the journal's file system; `never`: unknown */
    int64_t records, good_bytes;
};

static int by_input(const void *a, const void *b)
{
    const struct image *const *x = a, *const *y = b;
    return strcmp((*x)->in, (*y)->in);
}

static struct image *replay_find(const struct replay *replay, char *in)
{
    struct image key = {.in = in}, *wanted = &key;
    struct image **found = bsearch(&wanted, replay->by_name, (size_t)replay->list->count,
                                   sizeof *replay->by_name, by_input);
    return found ? *found : NULL;
}

/* ---- Records ------------------------------------------------------------------------------ */

/* A record with another result path, such as one without --base, does not apply to this image. */
static void take_done(struct replay *replay, char **fields, int count)
{
    struct image *image = replay_find(replay, fields[3]);
    if (image && strcmp(image->name, fields[4]) == 0) {
        image->size = strtoll(fields[1], NULL, 10);
        image->mtime = strtoll(fields[2], NULL, 10);
        image->result_size = count > 5 ? strtoll(fields[5], NULL, 10) : -1;
        image->record = replay->journal->done;
    }
    replay->journal->done++;
}

/* Removes the marks of unsynced results: they may be lost, even if later records confirm later
 * results. */
static void forget_unsynced(struct replay *replay)
{
    for (int64_t i = 0; i < replay->list->count; i++)
        if (replay->list->images[i].record >= replay->journal->synced)
            replay->list->images[i].record = -1;
}

static void take_boot(struct replay *replay, char **fields)
{
    if (!*fields[1] || strcmp(replay->boot, fields[1]) != 0)
        forget_unsynced(replay);
    if (replay->began == never)
        replay->began = strtoll(fields[2], NULL, 10);
    snprintf(replay->boot, sizeof replay->boot, "%s", fields[1]);
}

static void replay_take(struct replay *replay, char **fields, int count)
{
    if (strcmp(fields[0], "done") == 0 && count >= 5)
        take_done(replay, fields, count);
    else if (strcmp(fields[0], "boot") == 0 && count == 3)
        take_boot(replay, fields);
    else if (strcmp(fields[0], "synced") == 0 && count == 2)
        replay->journal->synced = strtoll(fields[1], NULL, 10);
}

static int take_lines(struct replay *replay, FILE *from, const struct options *options,
                      const swathe_chain *chain)
{
    char *line = NULL, *fields[JOURNAL_HEADER_FIELDS];
    size_t room = 0;
    int64_t length = 0;
    int code = 0;
    while (code == 0 && (length = os_read_line(&line, &room, from)) > 0) {
        int count = record_read(line, (size_t)length, fields, JOURNAL_HEADER_FIELDS);
        if (count == 0)
            break;
        if (replay->records == 0)
            code = journal_header_check(replay->journal->path, fields, count, options, chain);
        else
            replay_take(replay, fields, count);
        replay->records++;
        replay->good_bytes += length;
    }
    if (code == 0 && length < 0)
        code = complain_unless_ended(from, replay->journal->path);
    free(line);
    return code;
}

/* ---- Remaining images --------------------------------------------------------------------- */

/* Decides whether an image must be filtered again. A result is valid if it is a file of the
 * recorded size and its input has not changed. A result without a record that is newer than the
 * start of the batch belongs to an image that was being filtered when the batch ended. */
static void replay_judge(const struct replay *replay, struct image *image)
{
    struct os_about in, out;
    if (os_about_link(image->out, &out) != 0)
        return;
    image->replace = out.changed >= replay->began;
    bool whole =
        out.kind == OS_REGULAR && (image->result_size < 0 || image->result_size == out.size);
    if (image->record < 0 || !whole || os_about(image->in, &in) != 0)
        return;
    image->finished = in.size == image->size && in.modified == image->mtime;
}

/* Written data survive kill -9, but not always a power cut: unsynced records are valid only in the
 * same boot. */
static void judge_all(struct replay *replay)
{
    char now[OS_BOOT_ID];
    if (!*os_boot_id(now) || strcmp(now, replay->boot) != 0)
        forget_unsynced(replay);
    for (int64_t i = 0; i < replay->list->count; i++)
        replay_judge(replay, &replay->list->images[i]);
}

static int complain_foreign(const struct journal *journal)
{
    return complain(SWATHE_ERROR_INPUT,
                    "%s is not a batch journal, or its first line is damaged; remove it, or "
                    "name another file with --journal FILE",
                    journal->path);
}

static int cut_damage(struct replay *replay, const struct options *options)
{
    struct journal *journal = replay->journal;
    struct os_about found;
    if (os_about_open(journal->fd, &found) != 0 || found.size <= replay->good_bytes)
        return 0;
    if (replay->records == 0)
        return complain_foreign(journal);
    if (!options_has(options, OPTION_QUIET))
        complain(SWATHE_OK,
                 "%s: damaged after line %" PRId64 "; images recorded after it will be "
                 "filtered again",
                 journal->path, replay->records);
    if (os_truncate(journal->fd, replay->good_bytes) != 0)
        return complain_system(errno, "%s: cannot cut off the damaged part", journal->path);
    return 0;
}

static int complain_read(const struct journal *journal)
{
    return complain_system(errno, "%s: cannot read", journal->path);
}

static int replay_read_all(struct replay *replay, const struct options *options,
                           const swathe_chain *chain)
{
    struct journal *journal = replay->journal;
    FILE *from = os_open_copy(journal->fd);
    if (!from)
        return complain_read(journal);
    int code = take_lines(replay, from, options, chain);
    fclose(from);
    return code;
}

/* Reads a journal up to its first `done` record. A damaged line may have been one. */
static int find_done(const struct journal *journal, FILE *from, bool *done)
{
    char *line = NULL, *field = NULL;
    size_t room = 0;
    int64_t length = 0, records = 0;
    *done = false;
    while (!*done && (length = os_read_line(&line, &room, from)) > 0) {
        bool good = record_read(line, (size_t)length, &field, 1) > 0;
        *done = !good || strcmp(field, "done") == 0;
        records += good;
    }
    int code = length < 0 ? complain_unless_ended(from, journal->path) : 0;
    if (code == 0 && records == 0)
        code = complain_foreign(journal);
    free(line);
    return code;
}

/* Checks the start of the line first: other kinds of files may have no line ends. */
int replay_check(const struct journal *journal, bool *done)
{
    char start[JOURNAL_HEADER_START + 1] = "";
    if (os_read_at(journal->fd, start, JOURNAL_HEADER_START, 0) < 0)
        return complain_read(journal);
    if (!journal_header_starts(start))
        return complain_foreign(journal);
    FILE *from = os_open_copy(journal->fd);
    if (!from)
        return complain_read(journal);
    int code = find_done(journal, from, done);
    fclose(from);
    return code;
}

int replay(struct journal *journal, const struct options *options, const swathe_chain *chain,
           struct list *list)
{
    struct replay replay = {.journal = journal, .list = list, .began = never};
    replay.by_name = list_sorted(list, by_input);
    if (!replay.by_name)
        return complain(SWATHE_ERROR_MEMORY, "%s: no memory", journal->path);
    int code = replay_read_all(&replay, options, chain);
    if (code == 0)
        code = cut_damage(&replay, options);
    if (code == 0)
        judge_all(&replay);
    free(replay.by_name);
    return code;
}

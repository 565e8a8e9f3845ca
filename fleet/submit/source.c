#define _XOPEN_SOURCE 700 /* realpath */
#include "submit/submit.h"

#include "fail.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Names ------------------------------------------------------------------------------------
 */

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The path without the slashes at its end; *name is where its last segment starts. */
static swathe_status submit_source_trim(const char *path, char **made, char **name)
{
    TRY(fleet_copy_text(path, made));
    size_t length = strlen(*made);
    while (length > 1 && (*made)[length - 1] == '/')
        (*made)[--length] = '\0';
    char *slash = strrchr(*made, '/');
    *name = slash ? slash + 1 : *made;
    return SWATHE_OK;
}

/* The path without links, "." and "..", because workers have other working directories and compare
 * it with --allow. Segments at its end may not exist yet. */
static swathe_status submit_source_absolute(const char *path, char **made)
{
    char *real = realpath(path, NULL), *copy, *name, *folder;
    if (real) {
        *made = real;
        return SWATHE_OK;
    }
    if (errno != ENOENT)
        return fleet_fail_system(SWATHE_ERROR_IO, errno, "%s: %s", path, strerror(errno));
    TRY(submit_source_trim(path, &copy, &name));
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        free(copy);
        return fleet_fail_system(SWATHE_ERROR_IO, ENOENT, "%s: %s", path, strerror(ENOENT));
    }
    if (name > copy)
        name[-1] = '\0';
    swathe_status status = submit_source_absolute(name == copy ? "." : *copy ? copy : "/", &folder);
    if (status == SWATHE_OK) {
        status = fleet_format(made, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
        free(folder);
    }
    free(copy);
    return status;
}

swathe_status submit_source_url(const char *text, bool is_prefix, char **url)
{
    char *made;
    TRY(store_is_s3(text) ? fleet_copy_text(text, &made) : submit_source_absolute(text, &made));
    size_t length = strlen(made);
    bool slash =
        is_prefix || text[strlen(text) - 1] == '/' || (!store_is_s3(text) && is_directory(made));
    swathe_status status = store_check_url(made);
    if (status == SWATHE_OK && slash && made[length - 1] != '/')
        status = fleet_format(url, "%s/", made);
    else if (status == SWATHE_OK)
        status = fleet_copy_text(made, url);
    free(made);
    return status;
}

/* ---- A prefix ---------------------------------------------------------------------------------
 */

static swathe_status add_entry(void *user, const struct store_entry *entry)
{
    struct submission_key key = {.key = entry->key, .size = entry->size, .mark = entry->key};
    size_t length = strlen(entry->key);
    if (length == 0 || (entry->key[length - 1] == '/' && entry->size == 0))
        return SWATHE_OK; /* a directory as some tools mark it */
    return submission_add(user, &key);
}

/* ---- A list -----------------------------------------------------------------------------------
 */

enum { LINE_BYTES = 8192 };

struct list {
    struct submission *submission;
    swathe_reader reader;
    char bytes[2 * LINE_BYTES];
    size_t size;
    int64_t offset; /* of bytes[0] in the list */
};

static swathe_status add_line(struct list *list, size_t length)
{
    const char *from = list->submission->set->from;
    char mark[32], *line = list->bytes;
    struct submission_key key = {.size = -1, .offset = list->offset, .length = (int64_t)length + 1};
    line[length] = '\0';
    if (memchr(line, '\0', length))
        return fleet_fail(SWATHE_ERROR_INPUT, "the list has a zero byte");
    if (length > 0 && line[length - 1] == '\r')
        line[length - 1] = '\0';
    bool full = strncmp(line, from, strlen(from)) == 0 && !list->submission->ranges;
    snprintf(mark, sizeof mark, "%" PRId64, list->offset + key.length);
    key.mark = mark;
    key.key = full ? line + strlen(from) : line;
    return line[0] ? submission_add(list->submission, &key) : SWATHE_OK;
}

/* Adds the complete lines of the buffer; at the end of the list also the last one. */
static swathe_status submit_source_add_lines(struct list *list, bool end)
{
    char *newline;
    while ((newline = memchr(list->bytes, '\n', list->size)) || (end && list->size > 0)) {
        size_t length = newline ? (size_t)(newline - list->bytes) : list->size;
        size_t used = length + (newline != NULL);
        if (!newline && list->submission->ranges)
            return fleet_fail(SWATHE_ERROR_INPUT,
                              "the last line of the list has no newline, which a list in S3 needs; "
                              "add it and upload the list again");
        TRY(add_line(list, length));
        list->size -= used;
        list->offset += (int64_t)used;
        memmove(list->bytes, list->bytes + used, list->size);
    }
    return SWATHE_OK;
}

static swathe_status submit_source_read_list(struct list *list)
{
    const char *last = list->submission->progress.last;
    list->offset = last && *last ? strtoll(last, NULL, 10) : 0;
    for (;;) {
        int64_t at = list->offset + (int64_t)list->size, left = list->reader.size - at;
        size_t got = 0, room = sizeof list->bytes - 1 - list->size;
        if (left <= 0)
            return submit_source_add_lines(list, true);
        if (room == 0)
            return fleet_fail(SWATHE_ERROR_INPUT, "the list has a line of more than %d bytes",
                              2 * LINE_BYTES);
        TRY(list->reader.read_at(list->reader.user, at, list->bytes + list->size,
                                 (int64_t)room < left ? room : (size_t)left, &got));
        if (got == 0)
            return fleet_fail(SWATHE_ERROR_IO, "the list ended early");
        list->size += got;
        TRY(submit_source_add_lines(list, false));
    }
}

static swathe_status run_list(struct submission *submission, struct store *store)
{
    struct list *list;
    TRY(fleet_allocate(1, sizeof *list, &list));
    list->submission = submission;
    list->reader = SWATHE_INIT(swathe_reader);
    swathe_status status = store_reader(store, submission->set->manifest, &list->reader);
    if (status == SWATHE_OK) {
        status = submit_source_read_list(list);
        if (list->reader.destroy)
            list->reader.destroy(list->reader.user);
    }
    free(list);
    return status;
}

swathe_status submit_source_empty(const struct set *set)
{
    return fleet_fail(SWATHE_ERROR_INPUT, "%s: has no images, so nothing is submitted",
                      set->manifest ? set->manifest : set->from);
}

swathe_status submit_source_check(const struct set *set, struct store *store)
{
    bool found = false;
    struct submission probe = {.set = set, .found = &found};
    swathe_status status = submit_source_run(&probe, store);
    return found ? SWATHE_OK : status != SWATHE_OK ? status : submit_source_empty(set);
}

swathe_status submit_source_run(struct submission *submission, struct store *store)
{
    if (submission->set->manifest)
        return run_list(submission, store);
    char *after; /* progress.last changes while the listing runs */
    TRY(fleet_copy_text(submission->progress.last ? submission->progress.last : "", &after));
    swathe_status status = store_list(store, submission->set->from, after, add_entry, submission);
    free(after);
    return status;
}

/* Objects that are files. The functions mirror those of store.h. Writing makes a file without a
 * name, or a temporary one beside the target, so that both are in the same file system, and names
 * it at the end. */
#ifndef STORE_FILES_FILES_H
#define STORE_FILES_FILES_H

#include "inner.h"

#include <stdbool.h>
#include <sys/stat.h>

/* Names of temporary files start with it; listings leave them out. */
#define FILES_TEMPORARY ".swathe-part-"
enum { TEMPORARY_ID = 32 }; /* hexadecimal digits after it */

swathe_status store_file_stat(const char *path, struct store_info *info);
swathe_status store_file_get(struct store *store, const char *path, int64_t max_bytes, void **bytes,
                             size_t *size, struct store_info *info);
swathe_status store_file_put(struct store *store, const char *path, const void *bytes, size_t size,
                             int mode);
swathe_status store_file_delete(const char *path);
swathe_status store_file_delete_below(const char *path);
swathe_status store_file_reader(struct store *store, const char *path, swathe_reader *reader);
/* Copies up to `size` bytes of a reader to a file, inside the kernel or the server of the file
 * system. *done is 0 if it cannot. */
swathe_status store_file_copy_some(const swathe_reader *reader, int64_t from, int fd, int64_t to,
                                   int64_t size, int64_t *done);
swathe_status store_file_writer(struct store *store, const char *path, int mode,
                                swathe_writer *writer);
swathe_status store_file_list(struct store *store, const char *prefix, const char *after,
                              swathe_status (*visit)(void *user, const struct store_entry *entry),
                              void *user);

swathe_status store_file_begin(const char *path, char *id, size_t size);
swathe_status store_file_part(struct store *store, const char *path, const char *id, int32_t number,
                              int64_t offset, const void *bytes, size_t size,
                              struct store_part *part);
swathe_status store_file_copy(struct store *store, const char *path, const char *id, int32_t number,
                              int64_t offset, const char *from, int64_t from_offset, int64_t size,
                              struct store_part *part);
swathe_status store_file_finish(const char *path, const char *id, const struct store_part *parts,
                                int32_t count, int64_t total, int mode);
swathe_status store_file_abort(const char *path, const char *id);

/* Creates an empty temporary file beside `path`, and the directories above it. */
swathe_status store_temporary_create(const char *path, char id[TEMPORARY_ID + 1], int *fd);
/* The same without a name, and an empty id, where the file system and /proc allow it. */
swathe_status store_unnamed_create(const char *path, char id[TEMPORARY_ID + 1], int *fd);
/* The path of the temporary file beside `path`; NULL if memory is short. */
char *store_temporary_path(const char *path, const char *id);
/* Syncs the temporary file, or the unnamed one if the id is empty, and gives it its name; closes
 * `fd` in any case. */
swathe_status store_temporary_publish(const char *path, const char *id, int fd, int mode);
swathe_status store_write_all(const char *path, int fd, const void *bytes, size_t size,
                              int64_t offset);
/* Starts to write a range of a file to the disk, so that the sync at the end has less to do. */
void store_write_soon(int fd, int64_t offset, int64_t size);
void store_file_info(const struct stat *found, struct store_info *info);

#endif

/* Objects of S3. The functions mirror those of store.h. */
#ifndef STORE_S3_S3_H
#define STORE_S3_S3_H

#include "inner.h"

swathe_status store_s3_stat(struct store *store, const char *url, struct store_info *info);
swathe_status store_s3_get(struct store *store, const char *url, int64_t max_bytes, void **bytes,
                           size_t *size, struct store_info *info);
swathe_status store_s3_put(struct store *store, const char *url, const void *bytes, size_t size,
                           int mode);
swathe_status store_s3_delete(struct store *store, const char *url);
swathe_status store_s3_delete_below(struct store *store, const char *prefix);
swathe_status store_s3_reader(struct store *store, const char *url, swathe_reader *reader);
swathe_status store_s3_writer(struct store *store, const char *url, int mode,
                              swathe_writer *writer);
swathe_status store_s3_list(struct store *store, const char *prefix, const char *after,
                            swathe_status (*visit)(void *user, const struct store_entry *entry),
                            void *user);

swathe_status store_s3_begin(struct store *store, const char *url, char *id, size_t size);
swathe_status store_s3_part(struct store *store, const char *url, const char *id, int32_t number,
                            const void *bytes, size_t size, struct store_part *part);
swathe_status store_s3_copy(struct store *store, const char *url, const char *id, int32_t number,
                            const char *from, int64_t from_offset, int64_t size,
                            struct store_part *part);
swathe_status store_s3_finish(struct store *store, const char *url, const char *id,
                              const struct store_part *parts, int32_t count, int64_t total,
                              int mode);
swathe_status store_s3_abort(struct store *store, const char *url, const char *id);

/* Uploads carry a random mark as metadata. If a response is lost, the mark tells whether the object
 * is the one that this upload made. */
swathe_status store_new_mark(char *mark, size_t size);
/* Finds out whether the object has this mark, and this size unless it is -1. */
swathe_status store_s3_has_mark(struct store *store, const char *url, const char *mark,
                                int64_t size, bool *same);

#endif

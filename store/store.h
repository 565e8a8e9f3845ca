/* Encoded bytes in a store: a path of the file system, or s3://bucket/key. A URL is one of both.
 * Failures are recorded by swathe_error_record; `system` says more: ENOENT (no such object), EACCES
 * (not allowed), EKEYREJECTED (the credentials are not valid: not for any object), ESTALE (the
 * object changed since it was opened), EEXIST (there is one already), ETIMEDOUT, ECONNREFUSED, EIO
 * (the store kept failing), ECANCELED. No text ever contains a credential or a signed query. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <swathe/swathe.h>

struct store; /* connections and credentials; all functions may be called from several threads */

struct store_options {
    int32_t attempts;       /* of a request, with back-off and jitter; 0: $AWS_MAX_ATTEMPTS, or 8 */
    int32_t timeout_ms;     /* without a byte received or sent; 0: 20,000 */
    int64_t part_bytes;     /* of a multipart upload; 0: 8 MiB; at least 5 MiB */
    double requests, bytes; /* caps per second; 0: none */
    int32_t (*cancelled)(void *user); /* may be NULL */
    void *user;
};

struct store_info {
    int64_t size;
    char etag[128]; /* files: of device, inode, size and time of change */
};

struct store_part {
    int32_t number; /* from 1 */
    char etag[128];
};

struct store_counts { /* since creation, for metrics */
    int64_t requests, retries, bytes_read, bytes_written;
};

/* Keeps the pages of a secret text, or of those of S3 in the environment, out of core dumps.
 * store_create does the latter; programs can do it earlier. */
void store_hide(const char *secret);
void store_hide_environment(void);

/* Credentials are read at the first use of S3: the environment, then the profile files. */
swathe_status store_create(const struct store_options *options, struct store **store);
void store_destroy(struct store *store);
/* Reads the credentials now if the URL is of S3: a mistake in them is not one of an object. */
swathe_status store_check_settings(struct store *store, const char *url);
void store_count(struct store *store, struct store_counts *counts);

int store_is_s3(const char *url);
/* Checks the URL's form: known scheme, bucket, key without empty, "." or ".." segments. Paths may
 * have such segments. */
swathe_status store_check_url(const char *url);
/* Checks a key relative to a prefix, for both stores: 1 to 1024 bytes without control characters,
 * empty, "." or ".." segments. */
swathe_status store_check_key(const char *key);

/* Reads ranges. Every request carries the ETag of the first: if the object changes, reads fail with
 * ESTALE. `request_bytes` of the reader suits the store. */
swathe_status store_reader(struct store *store, const char *url, swathe_reader *reader);
/* The object appears complete at `finish`, or not at all. Large ones are uploaded in parts while
 * they are written. */
swathe_status store_writer(struct store *store, const char *url, swathe_writer *writer);
/* The same, but fails with EEXIST if there is an object already, at the latest in `finish`. */
swathe_status store_writer_new(struct store *store, const char *url, swathe_writer *writer);

swathe_status store_stat(struct store *store, const char *url, struct store_info *info);
/* Whole object into memory of malloc; fails with SWATHE_ERROR_LIMIT before it reads more than
 * `max_bytes`. `info` may be NULL. */
swathe_status store_get(struct store *store, const char *url, int64_t max_bytes, void **bytes,
                        size_t *size, struct store_info *info);
enum { STORE_REPLACE = 0, STORE_NEW = 1 /* EEXIST if there is one */ };
swathe_status store_put(struct store *store, const char *url, const void *bytes, size_t size,
                        int mode);
/* No such object is not a failure. */
swathe_status store_delete(struct store *store, const char *url);
/* Deletes all objects below the prefix (a URL that ends in '/', not a whole bucket), and uploads to
 * it that were abandoned; files: the directory. No such prefix is not a failure. */
swathe_status store_delete_below(struct store *store, const char *prefix);

struct store_entry {
    const char *key; /* relative to the prefix */
    int64_t size;
};
/* Calls `visit` for each object below the prefix (a URL that ends in '/'), in the order of the
 * bytes of their keys, from the first key after `after` (NULL or "": all). A non-OK status of
 * `visit` ends the listing and is returned. */
swathe_status store_list(struct store *store, const char *prefix, const char *after,
                         swathe_status (*visit)(void *user, const struct store_entry *entry),
                         void *user);

/* One object from several processes: parts of at least 5 MiB, except the last. Files: parts are
 * written at offset (number - 1) x part size into a temporary file beside the target; all parts but
 * the last have `part_bytes`. */
swathe_status store_parts_begin(struct store *store, const char *url, char *id, size_t size);
swathe_status store_parts_put(struct store *store, const char *url, const char *id, int32_t number,
                              int64_t offset, const void *bytes, size_t size,
                              struct store_part *part);
/* Copies a range of another object of the same store without moving it through this process, where
 * the store can: otherwise SWATHE_ERROR_UNSUPPORTED. */
swathe_status store_parts_copy(struct store *store, const char *url, const char *id, int32_t number,
                               int64_t offset, const char *from, int64_t from_offset, int64_t size,
                               struct store_part *part);
/* Completing what is already complete with the same size succeeds. */
swathe_status store_parts_finish(struct store *store, const char *url, const char *id,
                                 const struct store_part *parts, int32_t count, int64_t total);
swathe_status store_parts_abort(struct store *store, const char *url, const char *id);

#endif

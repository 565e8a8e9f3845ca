#include "basics.h"
#include "files/files.h"
#include "inner.h"
#include "s3/s3.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MEBIBYTE = 1 << 20 };

static swathe_status store_check_options(const struct store_options *options)
{
    if (options->attempts < 0 || options->attempts > 1000 || options->timeout_ms < 0 ||
        options->part_bytes < 0 || !(options->requests >= 0) || !(options->bytes >= 0))
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL,
                          "options of a store: at most 1000 attempts, and nothing negative");
    if (options->part_bytes != 0 &&
        (options->part_bytes < 5 * MEBIBYTE || options->part_bytes > (int64_t)1024 * MEBIBYTE))
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL,
                          "part_bytes is %lld; parts have 5 MiB to 1 GiB",
                          (long long)options->part_bytes);
    return SWATHE_OK;
}

/* AWS_MAX_ATTEMPTS, which other programs read, too; 8 if it is not a number from 1 to 1000. */
static int32_t default_attempts(void)
{
    const char *text = getenv("AWS_MAX_ATTEMPTS");
    long long number = 0;
    return text && store_number(text, &number) && number >= 1 && number <= 1000 ? (int32_t)number
                                                                                : 8;
}

swathe_status store_create(const struct store_options *options, struct store **store)
{
    const struct store_options none = {0};
    if (!options)
        options = &none;
    STORE_TRY(store_check_options(options));
    store_hide_environment();
    struct store *own = store_new(1, sizeof *own);
    if (!own)
        return store_fail_memory();
    own->options = *options;
    if (own->options.attempts == 0)
        own->options.attempts = default_attempts();
    if (own->options.timeout_ms == 0)
        own->options.timeout_ms = 20000;
    if (own->options.part_bytes == 0)
        own->options.part_bytes = 8 * MEBIBYTE;
    if (pthread_mutex_init(&own->lock, NULL) != 0) {
        store_free(own);
        return store_fail_memory();
    }
    if (!store_connections_init(&own->connections)) {
        pthread_mutex_destroy(&own->lock);
        store_free(own);
        return store_fail_memory();
    }
    *store = own;
    return SWATHE_OK;
}

void store_destroy(struct store *store)
{
    if (!store)
        return;
    store_connections_close(&store->connections);
    store_credentials_destroy(store->credentials);
    pthread_mutex_destroy(&store->lock);
    store_free(store);
}

swathe_status store_check_settings(struct store *store, const char *url)
{
    struct credentials *credentials;
    return store_is_s3(url) ? store_s3_credentials(store, &credentials) : SWATHE_OK;
}

void store_count(struct store *store, struct store_counts *counts)
{
    counts->requests = atomic_load(&store->requests);
    counts->retries = atomic_load(&store->retries);
    counts->bytes_read = atomic_load(&store->bytes_read);
    counts->bytes_written = atomic_load(&store->bytes_written);
}

swathe_status store_reader(struct store *store, const char *url, swathe_reader *reader)
{
    STORE_TRY(store_check_url(url));
    return store_is_s3(url) ? store_s3_reader(store, url, reader)
                            : store_file_reader(store, url, reader);
}

static swathe_status make_writer(struct store *store, const char *url, int mode,
                                 swathe_writer *writer)
{
    STORE_TRY(store_check_url(url));
    return store_is_s3(url) ? store_s3_writer(store, url, mode, writer)
                            : store_file_writer(store, url, mode, writer);
}

swathe_status store_writer(struct store *store, const char *url, swathe_writer *writer)
{
    return make_writer(store, url, STORE_REPLACE, writer);
}

swathe_status store_writer_new(struct store *store, const char *url, swathe_writer *writer)
{
    struct store_info info;
    STORE_TRY(store_check_url(url));
    swathe_status status = store_stat(store, url, &info);
    if (status == SWATHE_OK) /* before the work is done; `finish` looks again */
        return store_fail_exists(url);
    return store_last_system() == ENOENT ? make_writer(store, url, STORE_NEW, writer) : status;
}

swathe_status store_stat(struct store *store, const char *url, struct store_info *info)
{
    STORE_TRY(store_check_url(url));
    return store_is_s3(url) ? store_s3_stat(store, url, info) : store_file_stat(url, info);
}

swathe_status store_get(struct store *store, const char *url, int64_t max_bytes, void **bytes,
                        size_t *size, struct store_info *info)
{
    STORE_TRY(store_check_url(url));
    return store_is_s3(url) ? store_s3_get(store, url, max_bytes, bytes, size, info)
                            : store_file_get(store, url, max_bytes, bytes, size, info);
}

swathe_status store_put(struct store *store, const char *url, const void *bytes, size_t size,
                        int mode)
{
    STORE_TRY(store_check_url(url));
    return store_is_s3(url) ? store_s3_put(store, url, bytes, size, mode)
                            : store_file_put(store, url, bytes, size, mode);
}

swathe_status store_delete(struct store *store, const char *url)
{
    STORE_TRY(store_check_url(url));
    return store_is_s3(url) ? store_s3_delete(store, url) : store_file_delete(url);
}

swathe_status store_delete_below(struct store *store, const char *prefix)
{
    STORE_TRY(store_check_url(prefix));
    size_t size = strlen(prefix);
    if (size < 2 || prefix[size - 1] != '/')
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL, "%s: is not a prefix; end it with '/'",
                          prefix);
    return store_is_s3(prefix) ? store_s3_delete_below(store, prefix)
                               : store_file_delete_below(prefix);
}

swathe_status store_list(struct store *store, const char *prefix, const char *after,
                         swathe_status (*visit)(void *user, const struct store_entry *entry),
                         void *user)
{
    STORE_TRY(store_check_url(prefix));
    return store_is_s3(prefix) ? store_s3_list(store, prefix, after, visit, user)
                               : store_file_list(store, prefix, after, visit, user);
}

swathe_status store_parts_begin(struct store *store, const char *url, char *id, size_t size)
{
    STORE_TRY(store_check_url(url));
    return store_is_s3(url) ? store_s3_begin(store, url, id, size)
                            : store_file_begin(url, id, size);
}

swathe_status store_parts_put(struct store *store, const char *url, const char *id, int32_t number,
                              int64_t offset, const void *bytes, size_t size,
                              struct store_part *part)
{
    STORE_TRY(store_check_url(url));
    return store_is_s3(url) ? store_s3_part(store, url, id, number, bytes, size, part)
                            : store_file_part(store, url, id, number, offset, bytes, size, part);
}

swathe_status store_parts_copy(struct store *store, const char *url, const char *id, int32_t number,
                               int64_t offset, const char *from, int64_t from_offset, int64_t size,
                               struct store_part *part)
{
    STORE_TRY(store_check_url(url));
    STORE_TRY(store_check_url(from));
    if (store_is_s3(url) != store_is_s3(from))
        return store_fail(SWATHE_ERROR_UNSUPPORTED, EINVAL,
                          "%s: cannot copy from another store, %s", url, from);
    return store_is_s3(url)
               ? store_s3_copy(store, url, id, number, from, from_offset, size, part)
               : store_file_copy(store, url, id, number, offset, from, from_offset, size, part);
}

swathe_status store_parts_finish(struct store *store, const char *url, const char *id,
                                 const struct store_part *parts, int32_t count, int64_t total)
{
    STORE_TRY(store_check_url(url));
    return store_is_s3(url) ? store_s3_finish(store, url, id, parts, count, total, STORE_REPLACE)
                            : store_file_finish(url, id, parts, count, total, STORE_REPLACE);
}

swathe_status store_parts_abort(struct store *store, const char *url, const char *id)
{
    STORE_TRY(store_check_url(url));
    return store_is_s3(url) ? store_s3_abort(store, url, id) : store_file_abort(url, id);
}

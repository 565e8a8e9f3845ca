#include "inner.h"

#include "basics.h"
#include "store.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

static const char scheme[] = "s3://";

int store_is_s3(const char *url)
{
    return strncmp(url, scheme, sizeof scheme - 1) == 0;
}

/* Lower-case letters, digits, '.' and '-', as in names of hosts: the bucket becomes part of one. */
static bool good_bucket(const char *name, size_t size)
{
    if (size < 3 || size >= BUCKET_SIZE || name[0] == '.' || name[0] == '-' ||
        name[size - 1] == '.' || name[size - 1] == '-')
        return false;
    for (size_t i = 0; i < size; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789.-", name[i]) ||
            (name[i] == '.' && name[i + 1] == '.'))
            return false;
    return true;
}

/* What is wrong with the segments of a key; NULL: nothing. */
static const char *key_fault(const char *key, bool prefix)
{
    if (strlen(key) >= KEY_SIZE)
        return "has a key of more than 1024 bytes";
    for (const char *at = key; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return "has a control character in its key";
    for (const char *at = key;;) {
        size_t size = strcspn(at, "/");
        bool last = at[size] == '\0';
        if (last && size == 0 && prefix)
            return NULL;
        if (size == 0)
            return *key ? "has an empty segment in its key" : "has no key";
        if (strncmp(at, "..", size) == 0 && size <= 2)
            return "has a segment '.' or '..' in its key";
        if (last)
            return NULL;
        at += size + 1;
    }
}

static swathe_status url_split(const char *url, bool prefix, struct s3_url *parts)
{
    if (!store_is_s3(url))
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL, "%.200s: is not an s3:// URL", url);
    const char *bucket = url + sizeof scheme - 1;
    size_t size = strcspn(bucket, "/");
    if (!good_bucket(bucket, size))
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL,
                          "%.200s: a bucket has 3 to 63 lower-case letters, digits, '.' or '-', as "
                          "in s3://bucket/key",
                          url);
    const char *key = bucket[size] == '/' ? bucket + size + 1 : "";
    const char *fault = key_fault(key, prefix);
    if (!fault && prefix && *key && key[strlen(key) - 1] != '/')
        fault = "is not a prefix; end it with '/'";
    if (fault)
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL, "%.200s: %s", url, fault);
    memcpy(parts->bucket, bucket, size);
    parts->bucket[size] = '\0';
    memcpy(parts->key, key, strlen(key) + 1);
    return SWATHE_OK;
}

swathe_status store_split_object(const char *url, struct s3_url *parts)
{
    return url_split(url, false, parts);
}

swathe_status store_split_prefix(const char *url, struct s3_url *parts)
{
    return url_split(url, true, parts);
}

swathe_status store_check_key(const char *key)
{
    const char *fault = key_fault(key, false);
    if (!fault)
        return SWATHE_OK;
    return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL, "'%.200s' %s", key, fault);
}

/* True if a path starts with a scheme, such as "https://". */
static bool has_scheme(const char *url)
{
    size_t size = strspn(url, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");
    return size > 0 && strncmp(url + size, "://", 3) == 0;
}

swathe_status store_check_url(const char *url)
{
    struct s3_url parts;
    if (store_is_s3(url)) {
        size_t size = strlen(url);
        return url_split(url, size > 0 && url[size - 1] == '/', &parts);
    }
    if (has_scheme(url))
        return store_fail(SWATHE_ERROR_UNSUPPORTED, EINVAL,
                          "%.200s: unknown scheme; use a path or s3://bucket/key", url);
    if (*url == '\0' || strlen(url) >= PATH_MAX)
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL, "a path has 1 to %d bytes", PATH_MAX - 1);
    return SWATHE_OK;
}

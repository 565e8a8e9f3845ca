#include "s3/s3.h"

#include "basics.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char mark_header[] = "x-amz-meta-swathe-upload";

swathe_status store_new_mark(char *mark, size_t size)
{
    unsigned char random[16];
    if (size < 2 * sizeof random + 1 || !store_random(random, sizeof random))
        return store_fail(SWATHE_ERROR_IO, EIO, "the system has no random numbers");
    store_hex(random, sizeof random, mark);
    return SWATHE_OK;
}

static enum store_verdict judge_head(struct s3_request *request, void *unused)
{
    (void)unused;
    if (request->exchange.length >= 0 && *request->exchange.etag)
        return STORE_GOOD;
    request->fault = "the store sent a response without size or ETag";
    return STORE_AGAIN;
}

/* HEAD; a missing object has status 404 in the exchange. */
static swathe_status s3_head(struct store *store, const char *url, struct store_exchange *response)
{
    struct s3_url where;
    STORE_TRY(store_split_object(url, &where));
    struct s3_request request = {
        .url = url, .method = "HEAD", .where = &where, .accepted = {404}, .judge = judge_head};
    swathe_status status = store_request_send(store, &request);
    store_request_free(&request);
    *response = request.exchange;
    return status;
}

static swathe_status no_such_object(const char *url)
{
    return store_fail(SWATHE_ERROR_IO, ENOENT, "%s: there is no such object", url);
}

swathe_status store_s3_stat(struct store *store, const char *url, struct store_info *info)
{
    struct store_exchange response;
    STORE_TRY(s3_head(store, url, &response));
    if (response.status == 404)
        return no_such_object(url);
    info->size = response.length;
    memcpy(info->etag, response.etag, sizeof info->etag);
    return SWATHE_OK;
}

swathe_status store_s3_has_mark(struct store *store, const char *url, const char *mark,
                                int64_t size, bool *same)
{
    struct store_exchange response;
    STORE_TRY(s3_head(store, url, &response));
    *same = response.status / 100 == 2 && strcmp(response.mark, mark) == 0 &&
            (size < 0 || response.length == size);
    return SWATHE_OK;
}

bool store_md5_fits(const struct store_exchange *response, const struct store_body *body)
{
    unsigned char hash[MD5_BYTES];
    char text[MD5_TEXT];
    const char *etag = response->etag;
    if (strlen(etag) != 34 || etag[0] != '"' || etag[33] != '"' || response->encrypted)
        return true;
    if (strspn(etag + 1, "0123456789abcdefABCDEF") != 32 ||
        !store_md5(body->bytes ? body->bytes : "", body->size, hash))
        return true;
    store_hex(hash, sizeof hash, text);
    return strncasecmp(text, etag + 1, 32) == 0;
}

static enum store_verdict judge_get(struct s3_request *request, void *unused)
{
    const struct store_exchange *response = &request->exchange;
    (void)unused;
    if (response->status != 200 || response->length != (int64_t)request->body->size)
        request->fault = "the store sent a body of another size than it announced";
    else if (!store_md5_fits(response, request->body))
        request->fault = "the bytes do not have the MD5 that the store states";
    return request->fault ? STORE_AGAIN : STORE_GOOD;
}

swathe_status store_s3_get(struct store *store, const char *url, int64_t max_bytes, void **bytes,
                           size_t *size, struct store_info *info)
{
    struct s3_url where;
    STORE_TRY(store_split_object(url, &where));
    struct store_body body = {.limit = max_bytes > 0 ? (size_t)max_bytes : 0};
    struct s3_request request = {
        .url = url, .method = "GET", .where = &where, .body = &body, .judge = judge_get};
    swathe_status status = store_request_send(store, &request);
    if (status == SWATHE_OK && !body.bytes) /* an empty object */
        body.bytes = store_new(1, 1);
    if (status == SWATHE_OK && !body.bytes)
        status = store_fail_memory();
    store_request_free(&request);
    if (status != SWATHE_OK) {
        store_free(body.bytes);
        return status;
    }
    if (info) {
        info->size = (int64_t)body.size;
        memcpy(info->etag, request.exchange.etag, sizeof info->etag);
    }
    *bytes = body.bytes;
    *size = body.size;
    return SWATHE_OK;
}

/* Larger objects are uploaded in parts. S3 accepts up to 5 GiB. */
static const size_t largest_put = (size_t)1 << 30;

static swathe_status put_in_parts(struct store *store, const char *url, const void *bytes,
                                  size_t size, int mode)
{
    swathe_writer writer;
    STORE_TRY(store_s3_writer(store, url, mode, &writer));
    swathe_status status = writer.write(writer.user, bytes, size);
    if (status == SWATHE_OK)
        return writer.finish(writer.user);
    writer.abandon(writer.user);
    return status;
}

/* The object exists: did this upload make it? An earlier attempt whose response was lost may have,
 * also one that libcurl repeated by itself on a new connection. */
static swathe_status judge_existing(struct store *store, const char *url, const char *mark)
{
    bool same = false;
    STORE_TRY(store_s3_has_mark(store, url, mark, -1, &same));
    return same ? SWATHE_OK : store_fail_exists(url);
}

swathe_status store_s3_put(struct store *store, const char *url, const void *bytes, size_t size,
                           int mode)
{
    struct s3_url where;
    unsigned char hash[MD5_BYTES];
    char md5[MD5_BASE64], mark[UPLOAD_MARK_SIZE];
    if (size > largest_put)
        return put_in_parts(store, url, bytes, size, mode);
    STORE_TRY(store_split_object(url, &where));
    STORE_TRY(store_new_mark(mark, sizeof mark));
    struct s3_request request = {
        .url = url, .method = "PUT", .where = &where, .upload = bytes, .upload_size = size};
    if (store_md5(bytes ? bytes : "", size, hash)) {
        store_md5_base64(hash, md5);
        store_request_header(&request, "content-md5", md5);
    }
    if (mode == STORE_NEW) {
        store_request_header(&request, "if-none-match", "*");
        store_request_header(&request, mark_header, mark);
        request.accepted[0] = 412;
    }
    swathe_status status = store_request_send(store, &request);
    store_request_free(&request);
    if (status == SWATHE_OK && request.exchange.status == 412)
        return judge_existing(store, url, mark);
    return status;
}

swathe_status store_s3_delete(struct store *store, const char *url)
{
    struct s3_url where;
    STORE_TRY(store_split_object(url, &where));
    struct s3_request request = {
        .url = url, .method = "DELETE", .where = &where, .accepted = {404}};
    swathe_status status = store_request_send(store, &request);
    store_request_free(&request);
    return status;
}

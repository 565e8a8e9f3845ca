/* Uploads in parts. The id of an upload is its mark, a colon, and the id that the store gave it. */
#include "basics.h"
#include "s3/s3.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MARK = UPLOAD_MARK_SIZE - 1, MOST_PARTS = 10000, ANSWER_BYTES = 1 << 16, ID_SIZE = 1024 };

/* One element of a response. */
struct found {
    const char *path;
    char *text;
    size_t size;
};

static swathe_status s3_parts_find(void *user, const char *path, const char *text)
{
    struct found *found = user;
    if (strcmp(path, found->path) == 0 && strlen(text) < found->size)
        memcpy(found->text, text, strlen(text) + 1);
    return SWATHE_OK;
}

/* A response whose status is 200 may still be an error. */
static enum store_verdict judge_found(struct s3_request *request, void *user)
{
    struct found *found = user;
    char code[64];
    found->text[0] = '\0';
    swathe_status status =
        store_xml_walk(request->body->bytes, request->body->size, s3_parts_find, found);
    if (status == SWATHE_OK && *found->text)
        return STORE_GOOD;
    store_error_code(request->body->bytes, request->body->size, code);
    request->fault = *code ? "the store failed after it had accepted the request"
                           : "the store sent a response that is not the expected XML";
    return STORE_AGAIN;
}

/* Sends a request whose response must have a certain element. */
static swathe_status s3_parts_ask(struct store *store, struct s3_request *request,
                                  struct found *found)
{
    struct store_body body = {.limit = ANSWER_BYTES, .room = ANSWER_BYTES, .fixed = true};
    body.bytes = store_new(ANSWER_BYTES, 1);
    if (!body.bytes)
        return store_fail_memory();
    request->body = &body;
    request->judge = judge_found;
    request->judge_user = found;
    swathe_status status = store_request_send(store, request);
    store_request_free(request);
    store_free(body.bytes);
    return status;
}

/* Splits an id; returns NULL if it is none. */
static const char *upload_of(const char *id, char mark[UPLOAD_MARK_SIZE])
{
    if (strspn(id, "0123456789abcdef") != MARK || id[MARK] != ':' || !id[MARK + 1] ||
        strlen(id) >= ID_SIZE)
        return NULL;
    memcpy(mark, id, MARK);
    mark[MARK] = '\0';
    return id + MARK + 1;
}

static swathe_status bad_id(const char *url)
{
    return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL, "%s: not the id of an upload in parts", url);
}

static swathe_status abort_upload(struct store *store, const char *url, const struct s3_url *where,
                                  const char *upload)
{
    struct s3_request request = {
        .url = url, .method = "DELETE", .where = where, .accepted = {404}, .cleans_up = true};
    store_request_query(&request, "uploadId", upload);
    swathe_status status = store_request_send(store, &request);
    store_request_free(&request);
    return status;
}

swathe_status store_s3_begin(struct store *store, const char *url, char *id, size_t size)
{
    struct s3_url where;
    char mark[UPLOAD_MARK_SIZE], upload[ID_SIZE] = "";
    STORE_TRY(store_split_object(url, &where));
    STORE_TRY(store_new_mark(mark, sizeof mark));
    struct s3_request request = {.url = url, .method = "POST", .where = &where};
    struct found found = {"InitiateMultipartUploadResult/UploadId", upload, sizeof upload};
    store_request_query(&request, "uploads", "");
    store_request_header(&request, "x-amz-meta-swathe-upload", mark);
    STORE_TRY(s3_parts_ask(store, &request, &found));
    if (MARK + 1 + strlen(upload) >= size) {
        abort_upload(store, url, &where, upload);
        return store_fail(SWATHE_ERROR_LIMIT, ENAMETOOLONG,
                          "%s: the id of the upload has more than %zu bytes", url, size - 1);
    }
    snprintf(id, size, "%s:%s", mark, upload);
    return SWATHE_OK;
}

static swathe_status s3_parts_check_number(const char *url, int32_t number)
{
    if (number >= 1 && number <= MOST_PARTS)
        return SWATHE_OK;
    return store_fail(SWATHE_ERROR_LIMIT, EINVAL, "%s: part %d; parts have numbers from 1 to %d",
                      url, number, MOST_PARTS);
}

/* An ETag goes into XML as it is. */
static bool plain_etag(const char *etag)
{
    return *etag && !strpbrk(etag, "<>&");
}

static enum store_verdict judge_part(struct s3_request *request, void *unused)
{
    (void)unused;
    if (plain_etag(request->exchange.etag))
        return STORE_GOOD;
    request->fault = "the store sent no ETag";
    return STORE_AGAIN;
}

swathe_status store_s3_part(struct store *store, const char *url, const char *id, int32_t number,
                            const void *bytes, size_t size, struct store_part *part)
{
    struct s3_url where;
    unsigned char hash[MD5_BYTES];
    char mark[UPLOAD_MARK_SIZE], text[16], md5[MD5_BASE64];
    const char *upload = upload_of(id, mark);
    if (!upload)
        return bad_id(url);
    STORE_TRY(s3_parts_check_number(url, number));
    STORE_TRY(store_split_object(url, &where));
    struct s3_request request = {.url = url,
                                 .method = "PUT",
                                 .where = &where,
                                 .upload = bytes,
                                 .upload_size = size,
                                 .judge = judge_part};
    snprintf(text, sizeof text, "%d", number);
    store_request_query(&request, "partNumber", text);
    store_request_query(&request, "uploadId", upload);
    if (store_md5(bytes, size, hash)) {
        store_md5_base64(hash, md5);
        store_request_header(&request, "content-md5", md5);
    }
    swathe_status status = store_request_send(store, &request);
    store_request_free(&request);
    if (status != SWATHE_OK)
        return status;
    part->number = number;
    memcpy(part->etag, request.exchange.etag, sizeof part->etag);
    return SWATHE_OK;
}

swathe_status store_s3_copy(struct store *store, const char *url, const char *id, int32_t number,
                            const char *from, int64_t from_offset, int64_t size,
                            struct store_part *part)
{
    struct s3_url where, source;
    char mark[UPLOAD_MARK_SIZE], text[16], range[64], etag[ETAG_SIZE] = "";
    const char *upload = upload_of(id, mark);
    if (!upload)
        return bad_id(url);
    STORE_TRY(s3_parts_check_number(url, number));
    STORE_TRY(store_split_object(url, &where));
    STORE_TRY(store_split_object(from, &source));
    struct store_text path = {0};
    store_text_print(&path, "/%s/", source.bucket);
    store_text_uri(&path, source.key, true);
    struct s3_request request = {
        .url = url, .method = "PUT", .where = &where, .accepted = {501, 405}};
    struct found found = {"CopyPartResult/ETag", etag, sizeof etag};
    snprintf(text, sizeof text, "%d", number);
    snprintf(range, sizeof range, "bytes=%" PRId64 "-%" PRId64, from_offset,
             from_offset + size - 1);
    store_request_query(&request, "partNumber", text);
    store_request_query(&request, "uploadId", upload);
    store_request_header(&request, "x-amz-copy-source", store_text_get(&path));
    store_request_header(&request, "x-amz-copy-source-range", range);
    swathe_status status =
        store_text_ok(&path) ? s3_parts_ask(store, &request, &found) : store_fail_memory();
    store_text_free(&path);
    if (status == SWATHE_OK && request.exchange.status / 100 != 2)
        status = store_fail(SWATHE_ERROR_UNSUPPORTED, EINVAL, "%s: the store cannot copy", url);
    else if (status == SWATHE_OK && !plain_etag(etag))
        status = store_fail(SWATHE_ERROR_IO, EIO, "%s: the store sent a strange ETag", url);
    if (status != SWATHE_OK)
        return status;
    part->number = number;
    memcpy(part->etag, etag, sizeof part->etag);
    return SWATHE_OK;
}

static swathe_status list_parts(const char *url, const struct store_part *parts, int32_t count,
                                struct store_text *text)
{
    store_text_add(text, "<CompleteMultipartUpload>");
    for (int32_t i = 0; i < count; i++) {
        if (!plain_etag(parts[i].etag) || (i > 0 && parts[i].number <= parts[i - 1].number))
            return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL,
                              "%s: parts must have ETags and ascending numbers", url);
        store_text_print(text, "<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>",
                         parts[i].number, parts[i].etag);
    }
    store_text_add(text, "</CompleteMultipartUpload>");
    return store_text_ok(text) ? SWATHE_OK : store_fail_memory();
}

/* The upload is gone, or the object exists: did this upload, in an earlier attempt or by another
 * process, make the object? */
static swathe_status judge_finished(struct store *store, const char *url, const char *mark,
                                    int64_t total, bool exists)
{
    bool same = false;
    STORE_TRY(store_s3_has_mark(store, url, mark, total, &same));
    if (same)
        return SWATHE_OK;
    if (exists)
        return store_fail_exists(url);
    return store_fail(SWATHE_ERROR_IO, ENOENT, "%s: there is no such upload in parts", url);
}

swathe_status store_s3_finish(struct store *store, const char *url, const char *id,
                              const struct store_part *parts, int32_t count, int64_t total,
                              int mode)
{
    struct s3_url where;
    struct store_text list = {0};
    char mark[UPLOAD_MARK_SIZE], etag[ETAG_SIZE] = "";
    const char *upload = upload_of(id, mark);
    if (!upload)
        return bad_id(url);
    STORE_TRY(store_split_object(url, &where));
    swathe_status status = list_parts(url, parts, count, &list);
    if (status == SWATHE_OK) {
        struct s3_request request = {.url = url,
                                     .method = "POST",
                                     .where = &where,
                                     .upload = list.bytes,
                                     .upload_size = list.size,
                                     .accepted = {404, 412}};
        struct found found = {"CompleteMultipartUploadResult/ETag", etag, sizeof etag};
        store_request_query(&request, "uploadId", upload);
        if (mode == STORE_NEW)
            store_request_header(&request, "if-none-match", "*");
        status = s3_parts_ask(store, &request, &found);
        if (status == SWATHE_OK)
            status = judge_finished(store, url, mark, total, request.exchange.status == 412);
    }
    store_text_free(&list);
    return status;
}

swathe_status store_s3_abort(struct store *store, const char *url, const char *id)
{
    struct s3_url where;
    char mark[UPLOAD_MARK_SIZE];
    const char *upload = upload_of(id, mark);
    if (!upload)
        return bad_id(url);
    STORE_TRY(store_split_object(url, &where));
    return abort_upload(store, url, &where, upload);
}

/* Reads ranges of an object. The first range is read when the reader is opened: its response has
 * the size and the ETag, so that a small object costs one request. */
#include "basics.h"
#include "s3/s3.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* About what a connection moves in the time that a request waits for its first byte. */
enum { REQUEST_BYTES = 1 << 18 };

struct s3_reader {
    struct store *store;
    char *url;
    struct s3_url where;
    int64_t size;
    char etag[ETAG_SIZE];
    size_t head_size;
    char head[REQUEST_BYTES]; /* the first bytes of the object */
};

struct range {
    const struct s3_reader *reader;
    int64_t first, last;
};

static enum store_verdict s3_reader_changed(struct s3_request *request)
{
    request->status = store_fail_changed(request->url);
    return STORE_FATAL;
}

static enum store_verdict judge_range(struct s3_request *request, void *user)
{
    const struct range *range = user;
    const struct store_exchange *response = &request->exchange;
    int64_t count = range->last - range->first + 1;
    bool whole = response->status == 200 && count == range->reader->size;
    int64_t total = whole ? response->length : response->total;
    if (!whole && response->status != 206)
        request->fault = "the store did not send the range that was asked for";
    else if (strcmp(response->etag, range->reader->etag) != 0 || total != range->reader->size)
        return s3_reader_changed(request);
    else if (!whole && (response->first != range->first || response->last != range->last))
        request->fault = "the store sent another range than was asked for";
    else if ((int64_t)request->body->size != count)
        request->fault = "the store sent a body of another size than it announced";
    return request->fault ? STORE_AGAIN : STORE_GOOD;
}

static swathe_status s3_reader_read_range(struct s3_reader *reader, int64_t offset, void *buffer,
                                          size_t count)
{
    struct range range = {reader, offset, offset + (int64_t)count - 1};
    struct store_body body = {.bytes = buffer, .limit = count, .room = count, .fixed = true};
    char text[64];
    snprintf(text, sizeof text, "bytes=%" PRId64 "-%" PRId64, range.first, range.last);
    struct s3_request request = {.url = reader->url,
                                 .method = "GET",
                                 .where = &reader->where,
                                 .body = &body,
                                 .judge = judge_range,
                                 .judge_user = &range,
                                 .accepted = {412, 404, 416}};
    store_request_header(&request, "if-match", reader->etag);
    store_request_header(&request, "range", text);
    swathe_status status = store_request_send(reader->store, &request);
    store_request_free(&request);
    if (status == SWATHE_OK && request.exchange.status / 100 != 2)
        return store_fail_changed(reader->url);
    return status;
}

static swathe_status s3_reader_read_at(void *user, int64_t offset, void *buffer, size_t count,
                                       size_t *got)
{
    struct s3_reader *reader = user;
    if (offset >= 0 && offset < (int64_t)reader->head_size) {
        size_t left = reader->head_size - (size_t)offset;
        *got = count < left ? count : left;
        memcpy(buffer, reader->head + offset, *got);
        return SWATHE_OK;
    }
    STORE_TRY(s3_reader_read_range(reader, offset, buffer, count));
    *got = count;
    return SWATHE_OK;
}

static void s3_reader_destroy(void *user)
{
    struct s3_reader *reader = user;
    store_free(reader->url);
    store_free(reader);
}

static enum store_verdict judge_first(struct s3_request *request, void *unused)
{
    const struct store_exchange *response = &request->exchange;
    bool whole = response->status == 200;
    int64_t total = whole ? response->length : response->total;
    int64_t want = total < REQUEST_BYTES ? total : REQUEST_BYTES;
    (void)unused;
    if (!*response->etag)
        request->fault = "the store sent no ETag";
    else if (total < 0 || (!whole && (response->first != 0 || response->last != want - 1)))
        request->fault = "the store did not send the range that was asked for";
    else if ((int64_t)request->body->size != want)
        request->fault = "the store sent a body of another size than it announced";
    else if (want == total && !store_md5_fits(response, request->body))
        request->fault = "the bytes do not have the MD5 that the store states";
    return request->fault ? STORE_AGAIN : STORE_GOOD;
}

static swathe_status open_empty(struct s3_reader *reader)
{
    struct store_info info;
    STORE_TRY(store_s3_stat(reader->store, reader->url, &info));
    if (info.size != 0)
        return store_fail_changed(reader->url);
    memcpy(reader->etag, info.etag, sizeof reader->etag);
    return SWATHE_OK;
}

static swathe_status read_first(struct s3_reader *reader)
{
    char text[64];
    struct store_body body = {
        .bytes = reader->head, .limit = REQUEST_BYTES, .room = REQUEST_BYTES, .fixed = true};
    struct s3_request request = {.url = reader->url,
                                 .method = "GET",
                                 .where = &reader->where,
                                 .body = &body,
                                 .judge = judge_first,
                                 .accepted = {416}};
    snprintf(text, sizeof text, "bytes=0-%d", REQUEST_BYTES - 1);
    store_request_header(&request, "range", text);
    swathe_status status = store_request_send(reader->store, &request);
    const struct store_exchange *response = &request.exchange;
    store_request_free(&request);
    if (status == SWATHE_OK && response->status == 416) /* an empty object has no range */
        return open_empty(reader);
    if (status != SWATHE_OK)
        return status;
    reader->head_size = body.size;
    reader->size = response->status == 200 ? response->length : response->total;
    memcpy(reader->etag, response->etag, sizeof reader->etag);
    return SWATHE_OK;
}

swathe_status store_s3_reader(struct store *store, const char *url, swathe_reader *reader)
{
    struct s3_reader *own = store_new(1, sizeof *own);
    if (!own)
        return store_fail_memory();
    own->store = store;
    own->url = store_copy(url);
    swathe_status status = own->url ? store_split_object(url, &own->where) : store_fail_memory();
    if (status == SWATHE_OK)
        status = read_first(own);
    if (status != SWATHE_OK) {
        s3_reader_destroy(own);
        return status;
    }
    *reader = SWATHE_INIT(swathe_reader);
    reader->user = own;
    reader->size = own->size;
    reader->flags = SWATHE_CONCURRENT;
    reader->request_bytes = REQUEST_BYTES;
    reader->name = own->url;
    reader->read_at = s3_reader_read_at;
    reader->destroy = s3_reader_destroy;
    return SWATHE_OK;
}

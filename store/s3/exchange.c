#include "s3/s3.h"

#include "basics.h"

#include <string.h>
#include <strings.h>
#include <time.h>

int64_t store_clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Copies a header's value, without spaces around it; one that is too long becomes empty. */
static void exchange_copy_value(const char *value, size_t size, char *into, size_t room)
{
    while (size > 0 && (*value == ' ' || *value == '\t'))
        value++, size--;
    while (size > 0 && strchr(" \t\r\n", value[size - 1]))
        size--;
    if (size >= room)
        size = 0;
    memcpy(into, value, size);
    into[size] = '\0';
}

/* "bytes 0-99/1234" */
static void exchange_parse_range(const char *text, struct store_exchange *exchange)
{
    char part[3][24];
    long long number[3];
    const char *ends = "-/";
    if (strncasecmp(text, "bytes ", 6) != 0)
        return;
    text += 6;
    for (int i = 0; i < 3; i++) {
        size_t size = i < 2 ? strcspn(text, (const char[]){ends[i], '\0'}) : strlen(text);
        if (size >= sizeof part[i] || (i < 2 && text[size] == '\0'))
            return;
        memcpy(part[i], text, size);
        part[i][size] = '\0';
        if (!store_number(part[i], &number[i]))
            return;
        text += size + 1;
    }
    exchange->first = number[0];
    exchange->last = number[1];
    exchange->total = number[2];
}

static void note_number(const char *value, size_t size, int64_t *number)
{
    char text[64];
    long long found;
    exchange_copy_value(value, size, text, sizeof text);
    if (store_number(text, &found))
        *number = found;
}

static void note_header(struct store_exchange *exchange, const char *name, size_t name_size,
                        const char *value, size_t size)
{
    char text[64];
    int64_t wait = 0;
#define IS(word) (name_size == sizeof word - 1 && strncasecmp(name, word, name_size) == 0)
    if (IS("etag"))
        exchange_copy_value(value, size, exchange->etag, sizeof exchange->etag);
    else if (IS("content-length"))
        note_number(value, size, &exchange->length);
    else if (IS("content-range")) {
        exchange_copy_value(value, size, text, sizeof text);
        exchange_parse_range(text, exchange);
    } else if (IS("retry-after")) {
        note_number(value, size, &wait);
        exchange->wait_s = wait > 60 ? 60 : (int32_t)wait;
    } else if (IS("x-amz-bucket-region"))
        exchange_copy_value(value, size, exchange->region, sizeof exchange->region);
    else if (IS("x-amz-meta-swathe-upload"))
        exchange_copy_value(value, size, exchange->mark, sizeof exchange->mark);
    else if (IS("x-amz-server-side-encryption")) {
        exchange_copy_value(value, size, text, sizeof text);
        exchange->encrypted |= strncmp(text, "aws:kms", 7) == 0;
    } else if (IS("x-amz-server-side-encryption-customer-algorithm"))
        exchange->encrypted = true;
#undef IS
}

/* The code in "HTTP/1.1 200 OK"; 0: none. */
static long exchange_status_of(const char *line, size_t size)
{
    const char *space = memchr(line, ' ', size);
    long status = 0;
    if (!space || size - (size_t)(space - line) < 4)
        return 0;
    for (int i = 1; i <= 3; i++) {
        if (space[i] < '0' || space[i] > '9')
            return 0;
        status = 10 * status + (space[i] - '0');
    }
    return status;
}

static size_t on_header(char *bytes, size_t one, size_t count, void *user)
{
    struct store_exchange *exchange = user;
    size_t size = one * count;
    const char *colon = memchr(bytes, ':', size);
    if (size >= 5 && memcmp(bytes, "HTTP/", 5) == 0) {
        store_exchange_reset(exchange); /* of an earlier response, such as 100 Continue */
        exchange->status = exchange_status_of(bytes, size);
    } else if (colon)
        note_header(exchange, bytes, (size_t)(colon - bytes), colon + 1,
                    size - (size_t)(colon + 1 - bytes));
    return size;
}

/* Makes room for `more` bytes: all that the header announces at the first call. */
static bool exchange_make_room(struct store_body *body, size_t more, int64_t announced)
{
    if (more > body->limit - body->size || announced > (int64_t)body->limit) {
        body->too_large = true;
        return false;
    }
    size_t need = body->size + more;
    if (body->fixed || need <= body->room)
        return true;
    size_t room = body->room < body->limit / 2 ? 2 * body->room : body->limit;
    if (announced > 0)
        room = (size_t)announced;
    if (room < need)
        room = need;
    char *bytes = store_resize(body->bytes, room, 1);
    if (!bytes)
        return false;
    body->bytes = bytes;
    body->room = room;
    return true;
}

static size_t on_body(char *bytes, size_t one, size_t count, void *user)
{
    struct store_exchange *exchange = user;
    struct store_body *body = exchange->body;
    size_t size = one * count;
    if (exchange->status / 100 != 2 || !body) {
        size_t left = ERROR_BODY - exchange->error.size;
        store_text_bytes(&exchange->error, bytes, size < left ? size : left);
        exchange->cut = size > left;
        return exchange->cut ? 0 : size;
    }
    if (!exchange_make_room(body, size, exchange->length))
        return 0;
    memcpy(body->bytes + body->size, bytes, size);
    body->size += size;
    return size;
}

struct upload {
    const char *bytes;
    size_t size, at;
};

static size_t on_upload(char *bytes, size_t one, size_t count, void *user)
{
    struct upload *upload = user;
    size_t size = one * count, left = upload->size - upload->at;
    if (size > left)
        size = left;
    if (size > 0)
        memcpy(bytes, upload->bytes + upload->at, size);
    upload->at += size;
    return size;
}

/* libcurl sends a body again if a kept connection turns out to be closed. */
static int on_rewind(void *user, curl_off_t offset, int origin)
{
    struct upload *upload = user;
    if (origin != SEEK_SET || offset < 0 || (size_t)offset > upload->size)
        return CURL_SEEKFUNC_FAIL;
    upload->at = (size_t)offset;
    return CURL_SEEKFUNC_OK;
}

/* No byte for timeout_ms, or so few that a store could hold a worker for days: an exchange may take
 * SLOW_TIMEOUTS time-outs and then as long as SLOW_RATE requires for the bytes moved. */
static bool too_slow(const struct store_exchange *exchange, int64_t now)
{
    enum { SLOW_TIMEOUTS = 30, SLOW_RATE = 1024 }; /* bytes a second */
    int64_t limit = SLOW_TIMEOUTS * (int64_t)exchange->timeout_ms;
    return now - exchange->moved_at > exchange->timeout_ms ||
           (now - exchange->began_at - limit) / 1000 > exchange->moved / SLOW_RATE;
}

static int on_progress(void *user, curl_off_t want_down, curl_off_t down, curl_off_t want_up,
                       curl_off_t up)
{
    struct store_exchange *exchange = user;
    int64_t now = store_clock_ms();
    (void)want_down, (void)want_up;
    if (down + up != exchange->moved) {
        exchange->moved = down + up;
        exchange->moved_at = now;
    }
    exchange->timed_out = too_slow(exchange, now);
    exchange->stopped = exchange->cancelled && exchange->cancelled(exchange->user);
    return exchange->timed_out || exchange->stopped;
}

void store_exchange_reset(struct store_exchange *exchange)
{
    store_text_clear(&exchange->error);
    if (exchange->body)
        exchange->body->size = 0, exchange->body->too_large = false;
    exchange->status = 0;
    exchange->length = exchange->first = exchange->last = exchange->total = -1;
    exchange->etag[0] = exchange->mark[0] = exchange->region[0] = '\0';
    exchange->encrypted = false;
    exchange->wait_s = 0;
}

/* An option that is not set, for want of memory, could mean that another authority is trusted. */
#define SET(option, value)                                                                         \
    do {                                                                                           \
        CURLcode code = curl_easy_setopt(handle, option, value);                                   \
        if (exchange->code == CURLE_OK)                                                            \
            exchange->code = code;                                                                 \
    } while (0)

static void set_request(struct store_exchange *exchange, CURL *handle, struct upload *upload)
{
    SET(CURLOPT_URL, exchange->url);
    SET(CURLOPT_HTTPHEADER, exchange->headers);
    if (strcmp(exchange->method, "HEAD") == 0) {
        SET(CURLOPT_NOBODY, 1L);
    } else if (strcmp(exchange->method, "PUT") == 0) {
        SET(CURLOPT_UPLOAD, 1L);
        SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)upload->size);
        SET(CURLOPT_READFUNCTION, on_upload);
        SET(CURLOPT_READDATA, upload);
        SET(CURLOPT_SEEKFUNCTION, on_rewind);
        SET(CURLOPT_SEEKDATA, upload);
        SET(CURLOPT_UPLOAD_BUFFERSIZE, 262144L);
    } else if (strcmp(exchange->method, "POST") == 0) {
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)upload->size);
        SET(CURLOPT_POSTFIELDS, upload->bytes);
    } else {
        SET(CURLOPT_CUSTOMREQUEST, exchange->method);
    }
}

/* Nothing that a response says can lead the handle to another host or protocol. */
static void set_transport(struct store_exchange *exchange, CURL *handle)
{
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_PATH_AS_IS, 1L);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_TCP_KEEPALIVE, 1L);
    SET(CURLOPT_BUFFERSIZE, 262144L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)exchange->timeout_ms);
    if (*exchange->ca_bundle)
        SET(CURLOPT_CAINFO, exchange->ca_bundle);
    SET(CURLOPT_HEADERFUNCTION, on_header);
    SET(CURLOPT_HEADERDATA, exchange);
    SET(CURLOPT_WRITEFUNCTION, on_body);
    SET(CURLOPT_WRITEDATA, exchange);
    SET(CURLOPT_NOPROGRESS, 0L);
    SET(CURLOPT_XFERINFOFUNCTION, on_progress);
    SET(CURLOPT_XFERINFODATA, exchange);
}

#undef SET

void store_exchange_run(struct store_exchange *exchange, CURL *handle)
{
    struct upload upload = {exchange->upload ? exchange->upload : "", exchange->upload_size, 0};
    store_exchange_reset(exchange);
    exchange->timed_out = exchange->stopped = exchange->cut = false;
    exchange->moved = -1;
    exchange->moved_at = exchange->began_at = store_clock_ms();
    exchange->code = CURLE_OK;
    set_transport(exchange, handle);
    set_request(exchange, handle, &upload);
    if (exchange->code == CURLE_OK)
        exchange->code = curl_easy_perform(handle);
    if (exchange->cut && exchange->code == CURLE_WRITE_ERROR)
        exchange->code = CURLE_OK; /* the rest would not matter */
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &exchange->status);
}

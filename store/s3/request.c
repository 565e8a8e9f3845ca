#include "s3/s3.h"

#include "basics.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_WAIT_MS = 200, LONGEST_WAIT_MS = 20000, CLEANUP_MS = 3000 };

void store_request_query(struct s3_request *request, const char *name, const char *value)
{
    request->query[request->query_count++] = (struct s3_pair){name, value};
}

void store_request_header(struct s3_request *request, const char *name, const char *value)
{
    request->headers[request->header_count++] = (struct s3_pair){name, value};
}

swathe_status store_s3_credentials(struct store *store, struct credentials **credentials)
{
    swathe_status status = SWATHE_OK;
    pthread_mutex_lock(&store->lock);
    if (!store->credentials)
        status = store_credentials_load(&store->credentials);
    *credentials = store->credentials;
    pthread_mutex_unlock(&store->lock);
    return status;
}

/* Temporary credentials expire while a program runs; another one writes new ones into the profile
 * file. True if there are others now than those that the request used. */
static bool s3_request_renew(struct store *store, const struct credentials *used)
{
    struct store_failure expired; /* why a file cannot be read matters less */
    store_failure_save(&expired);
    pthread_mutex_lock(&store->lock);
    bool newer = store->credentials != used || store_credentials_renew(&store->credentials);
    pthread_mutex_unlock(&store->lock);
    if (!newer)
        store_failure_restore(&expired);
    return newer;
}

/* The texts of a request, which the exchange refers to. */
struct prepared {
    struct credentials *credentials;
    struct store_text host, path, query, url;
    char payload[SHA256_TEXT];
};

/* AWS serves a bucket under a name of its own. Other stores, and buckets whose dots a certificate
 * does not cover, are addressed by path. */
static void s3_request_address(struct prepared *ready, const struct s3_url *where)
{
    const struct credentials *own = ready->credentials;
    const char *suffix = strncmp(own->region, "cn-", 3) == 0 ? ".cn" : "", *base = own->endpoint;
    bool by_path = *base || strchr(where->bucket, '.');
    if (*base)
        store_text_add(&ready->host, strstr(base, "://") + 3);
    else
        store_text_print(&ready->host, "%s%ss3.%s.amazonaws.com%s", by_path ? "" : where->bucket,
                         by_path ? "" : ".", own->region, suffix);
    store_text_add(&ready->path, "/");
    if (by_path)
        store_text_print(&ready->path, *where->key ? "%s/" : "%s", where->bucket);
    store_text_uri(&ready->path, where->key, true);
    store_text_print(&ready->url, "%.*s%s%s", *base ? (int)(strstr(base, "://") + 3 - base) : 8,
                     *base ? base : "https://", store_text_get(&ready->host),
                     store_text_get(&ready->path));
}

static bool s3_request_prepare(const struct s3_request *request, struct prepared *ready)
{
    s3_request_address(ready, request->where);
    store_canonical_query(&ready->query, request->query, request->query_count);
    if (request->query_count > 0)
        store_text_print(&ready->url, "?%s", store_text_get(&ready->query));
    return store_text_ok(&ready->host) && store_text_ok(&ready->path) &&
           store_text_ok(&ready->query) && store_text_ok(&ready->url) &&
           store_sha256_text(request->upload ? request->upload : "", request->upload_size,
                             ready->payload);
}

static void free_prepared(struct prepared *ready)
{
    store_text_free(&ready->host);
    store_text_free(&ready->path);
    store_text_free(&ready->query);
    store_text_free(&ready->url);
}

/* The day's signing key; derived once a day. */
static bool signing_key(struct store *store, struct credentials *own, const struct s3_scope *scope,
                        unsigned char key[32])
{
    bool good = true;
    pthread_mutex_lock(&store->lock);
    if (strncmp(own->day, scope->time, 8) != 0) {
        good = store_signing_key(own->secret, scope, own->signing_key);
        snprintf(own->day, sizeof own->day, "%.8s", good ? scope->time : "");
    }
    memcpy(key, own->signing_key, 32);
    pthread_mutex_unlock(&store->lock);
    return good;
}

static bool add_header(struct curl_slist **list, const char *name, const char *value)
{
    struct store_text line = {0};
    store_text_print(&line, "%s: %s", name, value);
    struct curl_slist *longer = line.failed ? NULL : curl_slist_append(*list, line.bytes);
    store_text_free(&line);
    if (longer)
        *list = longer;
    return longer != NULL;
}

/* Headers with a signature of this moment. */
static bool s3_request_sign(struct store *store, const struct s3_request *request,
                            const struct prepared *ready, struct curl_slist **list)
{
    const struct credentials *own = ready->credentials;
    struct s3_scope scope = {own->access_key, own->region, "s3", ""};
    struct store_text authorization = {0};
    unsigned char key[32];
    store_sign_time(time(NULL), scope.time);
    struct s3_call call = {request->method,
                           store_text_get(&ready->path),
                           store_text_get(&ready->query),
                           ready->payload,
                           {{0}},
                           0};
    call.headers[call.header_count++] = (struct s3_pair){"host", store_text_get(&ready->host)};
    /* Not what libcurl adds by itself. */
    call.headers[call.header_count++] =
        (struct s3_pair){"content-type", "application/octet-stream"};
    call.headers[call.header_count++] = (struct s3_pair){"x-amz-content-sha256", ready->payload};
    call.headers[call.header_count++] = (struct s3_pair){"x-amz-date", scope.time};
    if (*own->token)
        call.headers[call.header_count++] = (struct s3_pair){"x-amz-security-token", own->token};
    for (int i = 0; i < request->header_count; i++)
        call.headers[call.header_count++] = request->headers[i];
    bool good = signing_key(store, ready->credentials, &scope, key) &&
                store_sign(&scope, key, &call, &authorization);
    OPENSSL_cleanse(key, sizeof key);
    for (int i = 0; good && i < call.header_count; i++)
        good = add_header(list, call.headers[i].name, call.headers[i].value);
    good = good && add_header(list, "authorization", store_text_get(&authorization)) &&
           add_header(list, "user-agent", "swathe/" SWATHE_VERSION) &&
           add_header(list, "expect", ""); /* removes the header that libcurl would add */
    store_text_free(&authorization);
    return good;
}

static swathe_status try_once(struct store *store, struct s3_request *request,
                              const struct prepared *ready)
{
    struct store_exchange *exchange = &request->exchange;
    struct curl_slist *list = NULL;
    CURL *handle = store_connection_take(&store->connections);
    if (!handle || !s3_request_sign(store, request, ready, &list)) {
        curl_slist_free_all(list);
        if (handle)
            store_connection_give(&store->connections, handle);
        return store_fail_memory();
    }
    exchange->headers = list;
    store_exchange_run(exchange, handle);
    exchange->headers = NULL;
    curl_slist_free_all(list);
    store_connection_give(&store->connections, handle);
    int64_t read = request->body ? (int64_t)request->body->size : 0;
    int64_t written = exchange->code == CURLE_OK ? (int64_t)request->upload_size : 0;
    atomic_fetch_add(&store->requests, 1);
    atomic_fetch_add(&store->bytes_read, read);
    atomic_fetch_add(&store->bytes_written, written);
    store_pace_bytes(store, read + written);
    return exchange->stopped ? store_fail_cancelled() : SWATHE_OK;
}

static enum store_verdict s3_request_judge(struct s3_request *request)
{
    const struct store_exchange *exchange = &request->exchange;
    request->fault = NULL;
    request->status = SWATHE_OK;
    if (exchange->code != CURLE_OK)
        return store_worth_repeating(request) ? STORE_AGAIN : STORE_FATAL;
    for (size_t i = 0; i < 3; i++)
        if (request->accepted[i] != 0 && exchange->status == request->accepted[i])
            return STORE_GOOD;
    if (exchange->status / 100 == 2)
        return request->judge ? request->judge(request, request->judge_user) : STORE_GOOD;
    return store_worth_repeating(request) ? STORE_AGAIN : STORE_FATAL;
}

/* Exponential, with full jitter: anything from 0 to the limit of this attempt. */
static int64_t wait_before(const struct s3_request *request)
{
    int64_t most = LONGEST_WAIT_MS;
    uint32_t random = 0;
    if (request->tries < 8)
        most = (int64_t)FIRST_WAIT_MS << (request->tries - 1);
    if (most > LONGEST_WAIT_MS)
        most = LONGEST_WAIT_MS;
    store_random(&random, sizeof random);
    int64_t wait = most * (int64_t)(random >> 1) / INT32_MAX;
    int64_t told = (int64_t)request->exchange.wait_s * 1000;
    return wait > told ? wait : told;
}

static swathe_status s3_request_repeat(struct store *store, struct s3_request *request,
                                       const struct prepared *ready)
{
    for (request->tries = 1;; request->tries++) {
        bool last = request->cleans_up && store_cancelled(store);
        if (!last)
            STORE_TRY(store_pace_wait(store));
        if (last && request->exchange.timeout_ms > CLEANUP_MS)
            request->exchange.timeout_ms = CLEANUP_MS;
        STORE_TRY(try_once(store, request, ready));
        enum store_verdict verdict = s3_request_judge(request);
        if (verdict == STORE_GOOD)
            return SWATHE_OK;
        if (verdict == STORE_FATAL && request->status != SWATHE_OK)
            return request->status; /* the judge has recorded why */
        if (verdict == STORE_FATAL || last || request->tries >= store->options.attempts)
            return store_response_failure(request);
        atomic_fetch_add(&store->retries, 1);
        STORE_TRY(store_sleep(store, wait_before(request)));
    }
}

static swathe_status send_with(struct store *store, struct s3_request *request,
                               struct credentials *credentials)
{
    struct prepared ready = {.credentials = credentials};
    swathe_status status = SWATHE_OK;
    if (!s3_request_prepare(request, &ready))
        status = store_fail_memory();
    request->exchange.method = request->method;
    request->exchange.url = store_text_get(&ready.url);
    request->exchange.ca_bundle = credentials->ca_bundle;
    request->exchange.upload = request->upload;
    request->exchange.upload_size = request->upload_size;
    request->exchange.body = request->body;
    request->exchange.timeout_ms = store->options.timeout_ms;
    request->exchange.cancelled = request->cleans_up ? NULL : store->options.cancelled;
    request->exchange.user = store->options.user;
    if (status == SWATHE_OK)
        status = s3_request_repeat(store, request, &ready);
    request->exchange.url = NULL;
    free_prepared(&ready);
    return status;
}

swathe_status store_request_send(struct store *store, struct s3_request *request)
{
    struct credentials *credentials;
    STORE_TRY(store_s3_credentials(store, &credentials));
    swathe_status status = send_with(store, request, credentials);
    if (status == SWATHE_OK || !store_may_have_expired(request) ||
        !s3_request_renew(store, credentials))
        return status;
    STORE_TRY(store_s3_credentials(store, &credentials));
    return send_with(store, request, credentials);
}

void store_request_free(struct s3_request *request)
{
    store_text_free(&request->exchange.error);
}

/* One HTTP request and its response. */
#ifndef STORE_S3_EXCHANGE_H
#define STORE_S3_EXCHANGE_H

#include "store_text.h"

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

enum { ETAG_SIZE = 128, UPLOAD_MARK_SIZE = 33, ERROR_BODY = 1 << 16 };

struct store_body { /* of a response */
    char *bytes;
    size_t size, limit; /* a longer body sets `too_large` and ends the transfer */
    size_t room;        /* allocated; equal to `limit` if the caller's memory is used */
    bool fixed;         /* the caller's memory */
    bool too_large;
};

struct store_exchange {
    /* The request. */
    const char *method, *url, *ca_bundle;
    struct curl_slist *headers;
    const void *upload;
    size_t upload_size;
    int32_t timeout_ms;
    int32_t (*cancelled)(void *user);
    void *user;
    /* Body of a 2xx response, and of any other or if `body` is NULL, cut off at ERROR_BODY. */
    struct store_body *body;
    struct store_text error;
    /* The response. */
    CURLcode code;
    long status;
    int64_t length;              /* Content-Length; -1: none */
    int64_t first, last, total;  /* Content-Range; -1: none */
    char etag[ETAG_SIZE];        /* with its quotation marks */
    char mark[UPLOAD_MARK_SIZE]; /* the mark of an upload; see s3.h */
    char region[64];             /* of the bucket, if the store names it */
    bool encrypted;              /* the ETag is not an MD5 */
    int32_t wait_s;              /* Retry-After; 0: none */
    bool timed_out, stopped;     /* see too_slow; cancelled */
    bool cut;                    /* the transfer was ended at ERROR_BODY */
    /* While it runs. */
    int64_t moved, moved_at, began_at;
};

/* Forgets a response, so that the exchange can be repeated. */
void store_exchange_reset(struct store_exchange *exchange);
void store_exchange_run(struct store_exchange *exchange, CURL *handle);

/* Milliseconds of a clock that only moves forward. */
int64_t store_clock_ms(void);

#endif

/* What the files of this folder share. */
#ifndef STORE_S3_S3_H
#define STORE_S3_S3_H

#include "basics.h"
#include "inner.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <swathe/swathe.h>
#include <time.h>

#include <curl/curl.h>

/* One HTTP request and its response. */

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

/* Signature Version 4 of AWS, in the form that S3 uses: paths are encoded once and not normalised.
 */

/* A header, with its name in lower case, or a parameter of the query, neither of them encoded. */
struct s3_pair {
    const char *name, *value;
};

enum { S3_MOST_HEADERS = 12, S3_MOST_QUERY = 8, S3_TIME_SIZE = 17 };

struct s3_call {
    const char *method;
    const char *path;    /* encoded */
    const char *query;   /* by store_canonical_query */
    const char *payload; /* SHA-256 of the body in hexadecimal, or what stands for it */
    struct s3_pair headers[S3_MOST_HEADERS]; /* all that are signed, in any order */
    int header_count;
};

struct s3_scope {
    const char *access_key;
    const char *region, *service;
    char time[S3_TIME_SIZE]; /* 20130524T000000Z */
};

/* Appends the parameters encoded and in order, as the signature needs them and as they are sent. */
void store_canonical_query(struct store_text *text, const struct s3_pair *pairs, int count);
void store_sign_time(time_t now, char text[S3_TIME_SIZE]);
/* The key that signs all requests of a day, region and service. */
bool store_signing_key(const char *secret, const struct s3_scope *scope, unsigned char key[32]);
/* Appends the value of the header `authorization`. */
bool store_sign(const struct s3_scope *scope, const unsigned char key[32],
                const struct s3_call *call, struct store_text *text);
/* The canonical request alone; a part of the above. */
void store_canonical_request(const struct s3_call *call, struct store_text *text,
                             struct store_text *names);

/* A signed request to S3, repeated while it fails for reasons that may pass. */

enum store_verdict {
    STORE_GOOD,
    STORE_AGAIN,
    STORE_FATAL /* a judge has recorded the failure and its status */
};

struct s3_request {
    const char *url; /* for messages */
    const char *method;
    const struct s3_url *where;
    struct s3_pair query[S3_MOST_QUERY];
    int query_count;
    struct s3_pair headers[6];
    int header_count;
    const void *upload;
    size_t upload_size;
    struct store_body *body;
    long accepted[3]; /* HTTP statuses besides 2xx that the caller handles */
    bool cleans_up;   /* it is also sent after a cancellation, but then only once */
    /* Checks a 2xx response; may be NULL. */
    enum store_verdict (*judge)(struct s3_request *request, void *user);
    void *judge_user;
    /* Afterwards. */
    struct store_exchange exchange; /* the response */
    int32_t tries;
    swathe_status status; /* of a judge that found a lasting failure */
    const char *fault;    /* why a judge wants a repetition; static */
};

void store_request_query(struct s3_request *request, const char *name, const char *value);
void store_request_header(struct s3_request *request, const char *name, const char *value);
/* Sends it. Afterwards call store_request_free, also after a failure. */
swathe_status store_request_send(struct store *store, struct s3_request *request);
void store_request_free(struct s3_request *request);

/* Loads the credentials at the first use. */
swathe_status store_s3_credentials(struct store *store, struct credentials **credentials);

/* True unless the ETag is an MD5 of other bytes. ETags of uploads in parts and of some encryptions
 * are not an MD5. */
bool store_md5_fits(const struct store_exchange *response, const struct store_body *body);

/* error.c: what a response means. */
bool store_worth_repeating(const struct s3_request *request);
/* True if the store refused the request because its session token has expired, or possibly so. */
bool store_may_have_expired(const struct s3_request *request);
swathe_status store_response_failure(const struct s3_request *request);
/* The Code of an XML error; empty if there is none. */
void store_error_code(const char *bytes, size_t size, char code[64]);

/* Objects of S3. The functions mirror those of store.h. */

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

/* Reads the XML of S3: elements and text. Strict and bounded: no document types, no comments, at
 * most 8 levels, 8 KiB of text in an element. */

/* Called at the end of every element, with its path such as "ListBucketResult/Contents/Key" and the
 * text between its tags, without that of inner elements. */
typedef swathe_status xml_visit(void *user, const char *path, const char *text);

/* Returns SWATHE_ERROR_INPUT, without a record, if the text is not what this reads; otherwise what
 * `visit` returned first that is not SWATHE_OK. */
swathe_status store_xml_walk(const char *bytes, size_t size, xml_visit *visit, void *user);

#endif

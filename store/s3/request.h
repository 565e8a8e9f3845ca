/* A signed request to S3, repeated while it fails for reasons that may pass. */
#ifndef STORE_S3_REQUEST_H
#define STORE_S3_REQUEST_H

#include "inner.h"
#include "s3/exchange.h"
#include "s3/sign.h"
#include "url.h"

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

#endif

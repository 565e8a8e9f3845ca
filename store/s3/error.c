/* What responses mean: whether to repeat a request, and the text of a failure. Texts have the code
 * of an error, never the rest of the response, which may repeat the signature. */
#include "basics.h"
#include "s3/s3.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* One word of an error: a code or a region. */
struct word {
    const char *path;
    char *text; /* 64 bytes */
};

/* Messages repeat such words, so that they have no control characters. */
static bool plain_word(const char *text)
{
    return strlen(text) < 64 &&
           text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-")] ==
               '\0';
}

static swathe_status s3_error_take_word(void *user, const char *path, const char *text)
{
    struct word *word = user;
    if (strcmp(path, word->path) == 0 && plain_word(text))
        snprintf(word->text, 64, "%s", text);
    return SWATHE_OK;
}

static void find_word(const char *bytes, size_t size, const char *path, char text[64])
{
    struct word word = {path, text};
    text[0] = '\0';
    if (size > 0)
        store_xml_walk(bytes, size, s3_error_take_word, &word);
}

void store_error_code(const char *bytes, size_t size, char code[64])
{
    find_word(bytes, size, "Error/Code", code);
}

/* True if the response is longer than the range that was asked for. */
static bool too_long(const struct s3_request *request)
{
    return request->body && request->body->too_large && request->body->fixed;
}

static bool passing_transport(const struct s3_request *request)
{
    const struct store_exchange *exchange = &request->exchange;
    switch (exchange->code) {
    case CURLE_WRITE_ERROR:
        return too_long(request);
    case CURLE_ABORTED_BY_CALLBACK:
        return exchange->timed_out;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL: /* a response that is not HTTP */
    case CURLE_BAD_CONTENT_ENCODING:
        return true;
    default:
        return false;
    }
}

bool store_worth_repeating(const struct s3_request *request)
{
    static const char *const codes[] = {"RequestTimeout",
                                        "BadDigest",
                                        "IncompleteBody",
                                        "SlowDown",
                                        "Throttling",
                                        "InternalError",
                                        "OperationAborted",
                                        "XAmzContentSHA256Mismatch",
                                        "ConditionalRequestConflict"};
    const struct store_exchange *exchange = &request->exchange;
    char code[64];
    if (exchange->code != CURLE_OK)
        return passing_transport(request);
    if (exchange->status >= 500 || exchange->status == 429 || exchange->status == 408)
        return exchange->status != 501 && exchange->status != 505;
    store_error_code(store_text_get(&exchange->error), exchange->error.size, code);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(code, codes[i]) == 0)
            return true;
    return false;
}

static const char *transport_text(CURLcode code)
{
    if (code == CURLE_PEER_FAILED_VERIFICATION)
        return "the store's certificate is not trusted; AWS_CA_BUNDLE names certificates to trust";
    if (code == CURLE_SSL_CACERT_BADFILE)
        return "the file that AWS_CA_BUNDLE names, or the system's certificates, cannot be read";
    return curl_easy_strerror(code);
}

bool store_may_have_expired(const struct s3_request *request)
{
    static const char *const codes[] = {"ExpiredToken", "ExpiredTokenException",
                                        "TokenRefreshRequired"};
    const struct store_exchange *exchange = &request->exchange;
    char code[64];
    if (exchange->code != CURLE_OK || (exchange->status != 400 && exchange->status != 403))
        return false;
    if (strcmp(request->method, "HEAD") == 0) /* its response has no code */
        return true;
    store_error_code(store_text_get(&exchange->error), exchange->error.size, code);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(code, codes[i]) == 0)
            return true;
    return false;
}

static swathe_status transport_failure(const struct s3_request *request)
{
    const struct store_exchange *exchange = &request->exchange;
    const struct store_body *body = request->body;
    int system = EIO;
    if (body && body->too_large && !body->fixed)
        return store_fail(SWATHE_ERROR_LIMIT, EFBIG, "%s: has more than %zu bytes", request->url,
                          body->limit);
    if (too_long(request))
        return store_fail(SWATHE_ERROR_IO, EIO,
                          "%s: the store sent more than was asked for, %d time%s", request->url,
                          request->tries, request->tries == 1 ? "" : "s");
    if (exchange->code == CURLE_WRITE_ERROR || exchange->code == CURLE_OUT_OF_MEMORY)
        return store_fail_memory();
    if (exchange->code == CURLE_OPERATION_TIMEDOUT || exchange->timed_out)
        system = ETIMEDOUT;
    else if (exchange->code == CURLE_COULDNT_CONNECT)
        system = ECONNREFUSED;
    /* The server, because the usual cause is a wrong address. */
    const char *server = exchange->url ? strstr(exchange->url, "://") : NULL;
    server = server ? server + 3 : "the store";
    return store_fail(SWATHE_ERROR_IO, system, "%s: %.*s: %s, after %d attempt%s", request->url,
                      (int)strcspn(server, "/"), server,
                      system == ETIMEDOUT ? "did not respond in time"
                                          : transport_text(exchange->code),
                      request->tries, request->tries == 1 ? "" : "s");
}

/* A header or the error itself may state the region. */
static swathe_status wrong_region(const struct s3_request *request)
{
    const struct store_exchange *exchange = &request->exchange;
    char region[64];
    find_word(store_text_get(&exchange->error), exchange->error.size, "Error/Region", region);
    if (*exchange->region && plain_word(exchange->region))
        snprintf(region, sizeof region, "%s", exchange->region);
    return store_fail(SWATHE_ERROR_IO, EIO,
                      "%s: the bucket is in another region%s%s; set AWS_REGION", request->url,
                      *region ? ", " : "", region);
}

/* True if the store did not accept who asks; otherwise that one may not do this. */
static bool blames_credentials(const char *code)
{
    static const char *const codes[] = {"InvalidAccessKeyId", "SignatureDoesNotMatch",
                                        "ExpiredToken", "InvalidToken", "RequestTimeTooSkewed"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(code, codes[i]) == 0)
            return true;
    return false;
}

static swathe_status s3_error_refusal(const struct s3_request *request, const char *code)
{
    long status = request->exchange.status;
    const char *missing = strcmp(code, "NoSuchBucket") == 0   ? "bucket"
                          : strcmp(code, "NoSuchUpload") == 0 ? "upload in parts"
                                                              : "object";
    if (status == 404)
        return store_fail(SWATHE_ERROR_IO, ENOENT, "%s: there is no such %s", request->url,
                          missing);
    if (strcmp(code, "RequestTimeTooSkewed") == 0)
        return store_fail(SWATHE_ERROR_IO, EKEYREJECTED,
                          "%s: the clock of this machine differs from that of the store",
                          request->url);
    if (status == 301 || status == 307 || status == 308 ||
        strcmp(code, "AuthorizationHeaderMalformed") == 0)
        return wrong_region(request);
    if (status == 401 || status == 403 || blames_credentials(code))
        return store_fail(SWATHE_ERROR_IO, blames_credentials(code) ? EKEYREJECTED : EACCES,
                          "%s: access denied%s%s%s", request->url, *code ? " (" : "", code,
                          *code ? ")" : "");
    return store_fail(SWATHE_ERROR_IO, EIO, "%s: the store refused the request with status %ld%s%s",
                      request->url, status, *code ? ", " : "", code);
}

swathe_status store_response_failure(const struct s3_request *request)
{
    const struct store_exchange *exchange = &request->exchange;
    char code[64];
    if (exchange->code != CURLE_OK)
        return transport_failure(request);
    if (request->fault)
        return store_fail(SWATHE_ERROR_IO, EIO, "%s: %s, %d time%s", request->url, request->fault,
                          request->tries, request->tries == 1 ? "" : "s");
    store_error_code(store_text_get(&exchange->error), exchange->error.size, code);
    if (!store_worth_repeating(request))
        return s3_error_refusal(request, code);
    return store_fail(SWATHE_ERROR_IO, EIO, "%s: the store failed with status %ld%s%s, %d time%s",
                      request->url, exchange->status, *code ? ", " : "", code, request->tries,
                      request->tries == 1 ? "" : "s");
}

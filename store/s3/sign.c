#include "s3/s3.h"

#include "basics.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

/* Stands for '=' while parameters are sorted: smaller than every byte of an encoded name, so that
 * "a" comes before "a-b". */
static const char between[] = "\1";

void store_canonical_query(struct store_text *text, const struct s3_pair *pairs, int count)
{
    struct store_text coded[S3_MOST_QUERY] = {{0}};
    for (int i = 0; i < count && i < S3_MOST_QUERY; i++) {
        struct store_text own = {0};
        store_text_uri(&own, pairs[i].name, false);
        store_text_add(&own, between);
        store_text_uri(&own, pairs[i].value, false);
        text->failed |= own.failed;
        int at = i;
        for (; at > 0 && strcmp(store_text_get(&own), store_text_get(&coded[at - 1])) < 0; at--)
            coded[at] = coded[at - 1];
        coded[at] = own;
    }
    text->failed |= count > S3_MOST_QUERY;
    for (int i = 0; i < count && i < S3_MOST_QUERY; i++) {
        const char *name = store_text_get(&coded[i]);
        size_t size = strcspn(name, between);
        store_text_add(text, i > 0 ? "&" : "");
        store_text_bytes(text, name, size);
        store_text_add(text, "=");
        store_text_add(text, name[size] ? name + size + 1 : "");
        store_text_free(&coded[i]);
    }
}

void store_sign_time(time_t now, char text[S3_TIME_SIZE])
{
    struct tm parts;
    if (!gmtime_r(&now, &parts) || strftime(text, S3_TIME_SIZE, "%Y%m%dT%H%M%SZ", &parts) == 0)
        snprintf(text, S3_TIME_SIZE, "19700101T000000Z");
}

bool store_signing_key(const char *secret, const struct s3_scope *scope, unsigned char key[32])
{
    char first[4 + 256 + 1];
    unsigned char day[32], region[32], service[32];
    int size = snprintf(first, sizeof first, "AWS4%s", secret);
    bool good = size < (int)sizeof first && store_hmac(first, (size_t)size, scope->time, 8, day) &&
                store_hmac(day, 32, scope->region, strlen(scope->region), region) &&
                store_hmac(region, 32, scope->service, strlen(scope->service), service) &&
                store_hmac(service, 32, "aws4_request", 12, key);
    OPENSSL_cleanse(first, sizeof first);
    OPENSSL_cleanse(day, sizeof day);
    OPENSSL_cleanse(region, sizeof region);
    OPENSSL_cleanse(service, sizeof service);
    return good;
}

void store_canonical_request(const struct s3_call *call, struct store_text *text,
                             struct store_text *names)
{
    const struct s3_pair *sorted[S3_MOST_HEADERS];
    for (int i = 0; i < call->header_count; i++) {
        int at = i;
        for (; at > 0 && strcmp(call->headers[i].name, sorted[at - 1]->name) < 0; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = &call->headers[i];
    }
    store_text_print(text, "%s\n%s\n%s\n", call->method, call->path, call->query);
    for (int i = 0; i < call->header_count; i++) {
        store_text_print(text, "%s:%s\n", sorted[i]->name, sorted[i]->value);
        store_text_print(names, "%s%s", i > 0 ? ";" : "", sorted[i]->name);
    }
    store_text_print(text, "\n%s\n%s", store_text_get(names), call->payload);
    text->failed |= names->failed;
}

bool store_sign(const struct s3_scope *scope, const unsigned char key[32],
                const struct s3_call *call, struct store_text *text)
{
    struct store_text request = {0}, names = {0}, string = {0};
    char hash[SHA256_TEXT], place[256];
    unsigned char signature[32];
    store_canonical_request(call, &request, &names);
    bool good = snprintf(place, sizeof place, "%.8s/%s/%s/aws4_request", scope->time, scope->region,
                         scope->service) < (int)sizeof place &&
                store_text_ok(&request) && store_sha256_text(request.bytes, request.size, hash);
    if (good) {
        store_text_print(&string, "AWS4-HMAC-SHA256\n%s\n%s\n%s", scope->time, place, hash);
        good = store_text_ok(&string) && store_hmac(key, 32, string.bytes, string.size, signature);
    }
    if (good) {
        store_hex(signature, sizeof signature, hash);
        store_text_print(text, "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s",
                         scope->access_key, place, store_text_get(&names), hash);
    }
    store_text_free(&string);
    store_text_free(&names);
    store_text_free(&request);
    return good && store_text_ok(text);
}

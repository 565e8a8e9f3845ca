/* Signatures that AWS has published: the examples of the S3 manual ("Signature Calculations for the
 * Authorization Header"), and cases of the Signature Version 4 test suite in which S3 does not
 * differ from other services. `sign_vectors --planted` expects a wrong signature and must fail. */
#include "basics.h"
#include "s3/s3.h"

#include <stdio.h>
#include <string.h>

#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define HOST                                                                                       \
    {                                                                                              \
        "host", "example.amazonaws.com"                                                            \
    }
#define DATE                                                                                       \
    {                                                                                              \
        "x-amz-date", "20150830T123600Z"                                                           \
    }
#define ALL   "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define TOKEN "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"

struct vector {
    const char *name, *method, *key; /* of the path, without its first '/', not encoded */
    struct s3_pair query[4];
    struct s3_pair headers[8];
    const char *body, *signature;
};

/* In the suite: service "service"; headers as each case has them. */
static const struct vector suite[] = {
    {"get-vanilla",
     "GET",
     "",
     {{0}},
     {HOST, DATE},
     "",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-vanilla-empty-query-key",
     "GET",
     "",
     {{"Param1", "value1"}},
     {DATE, HOST},
     "",
     "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"},
    {"get-vanilla-query-order-key-case",
     "GET",
     "",
     {{"Param2", "value2"}, {"Param1", "value1"}},
     {HOST, DATE},
     "",
     "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
    {"get-vanilla-query-order-encoded",
     "GET",
     "",
     {{"Param-3", "Value3"}, {"Param", "Value2"}, {"\xe1\x88\xb4", "Value1"}},
     {HOST, DATE},
     "",
     "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"},
    {"get-vanilla-query-unreserved",
     "GET",
     "",
     {{ALL, ALL}},
     {HOST, DATE},
     "",
     "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"},
    {"get-utf8",
     "GET",
     "\xe1\x88\xb4",
     {{0}},
     {HOST, DATE},
     "",
     "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
    {"get-unreserved",
     "GET",
     ALL,
     {{0}},
     {HOST, DATE},
     "",
     "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
    {"get-space",
     "GET",
     "example space/",
     {{0}},
     {HOST, DATE},
     "",
     "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"},
    {"get-vanilla-with-session-token",
     "GET",
     "",
     {{0}},
     {{"x-amz-security-token", TOKEN}, HOST, DATE},
     "",
     "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"},
    {"post-vanilla",
     "POST",
     "",
     {{0}},
     {HOST, DATE},
     "",
     "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
    {"post-vanilla-query",
     "POST",
     "",
     {{"Param1", "value1"}},
     {HOST, DATE},
     "",
     "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
    {"post-header-value-case",
     "POST",
     "",
     {{0}},
     {HOST, {"my-header1", "VALUE1"}, DATE},
     "",
     "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"},
    {"post-x-www-form-urlencoded",
     "POST",
     "",
     {{0}},
     {{"content-type", "application/x-www-form-urlencoded"},
      HOST,
      DATE,
      {"content-length", "13"},
      {"x-amz-content-sha256", "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e"}},
     "Param1=value1",
     "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b"},
};

#define S3_HOST                                                                                    \
    {                                                                                              \
        "host", "examplebucket.s3.amazonaws.com"                                                   \
    }
#define S3_DATE                                                                                    \
    {                                                                                              \
        "x-amz-date", "20130524T000000Z"                                                           \
    }
static const struct vector manual[] = {
    {"GET Object",
     "GET",
     "test.txt",
     {{0}},
     {S3_HOST, {"range", "bytes=0-9"}, {"x-amz-content-sha256", EMPTY}, S3_DATE},
     "",
     "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
    {"PUT Object",
     "PUT",
     "test$file.text",
     {{0}},
     {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
      S3_HOST,
      {"x-amz-content-sha256", "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"},
      S3_DATE,
      {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
     "Welcome to Amazon S3.",
     "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
    {"GET Bucket Lifecycle",
     "GET",
     "",
     {{"lifecycle", ""}},
     {S3_HOST, {"x-amz-content-sha256", EMPTY}, S3_DATE},
     "",
     "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
    {"List Objects",
     "GET",
     "",
     {{"prefix", "J"}, {"max-keys", "2"}},
     {S3_HOST, {"x-amz-content-sha256", EMPTY}, S3_DATE},
     "",
     "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
};

static bool sign(const struct vector *vector, const char *secret, const struct s3_scope *scope,
                 struct store_text *text)
{
    struct store_text path = {0}, query = {0};
    struct s3_call call = {.method = vector->method};
    char payload[SHA256_TEXT];
    unsigned char key[32];
    int count = 0;
    while (count < 4 && vector->query[count].name)
        count++;
    for (int i = 0; i < 8 && vector->headers[i].name; i++)
        call.headers[call.header_count++] = vector->headers[i];
    store_text_add(&path, "/");
    store_text_uri(&path, vector->key, true);
    store_canonical_query(&query, vector->query, count);
    bool good = store_sha256_text(vector->body, strlen(vector->body), payload) &&
                store_signing_key(secret, scope, key);
    call.path = store_text_get(&path);
    call.query = store_text_get(&query);
    call.payload = payload;
    good = good && store_sign(scope, key, &call, text);
    store_text_free(&path);
    store_text_free(&query);
    return good;
}

static int check(const struct vector *vectors, size_t count, const char *secret,
                 const struct s3_scope *scope, bool planted)
{
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        struct store_text text = {0};
        bool good = sign(&vectors[i], secret, scope, &text);
        const char *found = good ? strstr(text.bytes, "Signature=") : NULL;
        char wanted[65];
        snprintf(wanted, sizeof wanted, "%s", vectors[i].signature);
        if (planted)
            wanted[63] ^= 1;
        if (!found || strcmp(found + 10, wanted) != 0) {
            printf("%s: signed as\n    %s\n    instead of %s\n", vectors[i].name,
                   store_text_get(&text), wanted);
            failed++;
        }
        store_text_free(&text);
    }
    return failed;
}

int main(int argc, char **argv)
{
    bool planted = argc > 1 && strcmp(argv[1], "--planted") == 0;
    const struct s3_scope general = {"AKIDEXAMPLE", "us-east-1", "service", "20150830T123600Z"};
    const struct s3_scope s3 = {"AKIAIOSFODNN7EXAMPLE", "us-east-1", "s3", "20130524T000000Z"};
    size_t cases = sizeof suite / sizeof *suite, examples = sizeof manual / sizeof *manual;
    char now[S3_TIME_SIZE];
    int failed = check(suite, cases, "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", &general, planted);
    failed += check(manual, examples, "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", &s3, planted);
    store_sign_time(1369353600, now);
    failed += strcmp(now, "20130524T000000Z") != 0;
    printf("%zu signatures checked, %d wrong; repeat with: %s\n", cases + examples, failed,
           argv[0]);
    return failed > 0;
}

/* Lists objects, up to 1000 in a request. Every page starts after the last key of the one before,
 * so that a repeated request lists the same. */
#include "basics.h"
#include "s3/s3.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* 1000 keys of 1024 bytes, each encoded as three, and the elements around them. */
enum { PAGE_BYTES = 8 << 20 };

typedef swathe_status visit_entry(void *user, const struct store_entry *entry);

struct page {
    char key[KEY_SIZE]; /* the entry that is being read */
    long long size;
    bool has_key, has_size;
    bool encoded;        /* keys are in the form that was asked for; not all stores support it */
    char last[KEY_SIZE]; /* the last key so far; empty before the first */
    /* Some stores list directory by directory: '/' sorts before all other bytes. */
    bool not_by_bytes, not_by_folders;
    size_t prefix; /* bytes of the prefix, which every key starts with */
    const char *prefix_text;
    bool more; /* there is another page */
    const char *fault;
    visit_entry *visit; /* NULL: the page is only checked */
    void *user;
};

static int s3_list_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 87 : -1;
}

/* Copies a key; if it is encoded, decodes %XX, and '+' as a space. */
static bool s3_list_decode(const char *text, bool encoded, char key[KEY_SIZE])
{
    size_t size = encoded ? 0 : strlen(text);
    if (!encoded && size < KEY_SIZE)
        memcpy(key, text, size + 1);
    if (!encoded)
        return size < KEY_SIZE;
    for (; *text; text++) {
        char c = *text == '+' ? ' ' : *text;
        if (c == '%') {
            if (s3_list_digit(text[1]) < 0 || s3_list_digit(text[2]) < 0)
                return false;
            c = (char)(16 * s3_list_digit(text[1]) + s3_list_digit(text[2]));
            text += 2;
        }
        if (c == '\0' || size == KEY_SIZE - 1)
            return false;
        key[size++] = c;
    }
    key[size] = '\0';
    return true;
}

/* True if `b` follows `a` where '/' sorts before all other bytes. */
static bool follows_by_folders(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *b && (!*a || (*a == '/' && *b != '/') ||
                  (*b != '/' && (unsigned char)*a < (unsigned char)*b));
}

/* Checks that the key follows the last one in an order that holds for all keys so far. */
static bool s3_list_in_order(struct page *page)
{
    page->not_by_bytes |= strcmp(page->key, page->last) <= 0;
    page->not_by_folders |= !follows_by_folders(page->last, page->key);
    return !page->not_by_bytes || !page->not_by_folders;
}

static swathe_status end_entry(struct page *page)
{
    struct store_entry entry = {page->key + page->prefix, page->size};
    size_t size = strlen(page->key);
    if (!page->has_key || !page->has_size)
        page->fault = "the store listed an object without key or size";
    else if (strncmp(page->key, page->prefix_text, page->prefix) != 0)
        page->fault = "the store listed a key outside the prefix";
    else if (!s3_list_in_order(page))
        page->fault = "the store listed keys that are not in order";
    if (page->fault)
        return SWATHE_ERROR_INPUT;
    memcpy(page->last, page->key, size + 1);
    page->has_key = page->has_size = false;
    /* Some programs mark directories by empty objects whose keys end in '/'. */
    bool marker = size == page->prefix || page->key[size - 1] == '/';
    return page->visit && !marker ? page->visit(page->user, &entry) : SWATHE_OK;
}

static swathe_status s3_list_take(void *user, const char *path, const char *text)
{
    struct page *page = user;
    if (strcmp(path, "ListBucketResult/Contents/Key") == 0)
        page->has_key = s3_list_decode(text, page->encoded, page->key);
    else if (strcmp(path, "ListBucketResult/Contents/Size") == 0)
        page->has_size = store_number(text, &page->size);
    else if (strcmp(path, "ListBucketResult/IsTruncated") == 0)
        page->more = strcmp(text, "true") == 0;
    else if (strcmp(path, "ListBucketResult/Contents") == 0)
        return end_entry(page);
    return SWATHE_OK;
}

/* The element may follow the keys. */
static swathe_status take_encoding(void *user, const char *path, const char *text)
{
    if (strcmp(path, "ListBucketResult/EncodingType") == 0)
        *(bool *)user = strcmp(text, "url") == 0;
    return SWATHE_OK;
}

/* Reads the page without visiting, from the state before it: a page that is damaged is asked for
 * again before any of its entries was visited. */
static enum store_verdict s3_list_judge_page(struct s3_request *request, void *user)
{
    struct page *page = user;
    const struct store_body *body = request->body;
    page->encoded = false;
    swathe_status status = store_xml_walk(body->bytes, body->size, take_encoding, &page->encoded);
    struct page check = *page;
    check.visit = NULL;
    if (status == SWATHE_OK)
        status = store_xml_walk(body->bytes, body->size, s3_list_take, &check);
    if (status == SWATHE_OK)
        return STORE_GOOD;
    request->fault =
        check.fault ? check.fault : "the store sent a listing that is not the expected XML";
    return STORE_AGAIN;
}

static swathe_status read_page(struct store *store, const char *url, const struct s3_url *bucket,
                               struct store_body *body, struct page *page)
{
    struct s3_request request = {.url = url,
                                 .method = "GET",
                                 .where = bucket,
                                 .body = body,
                                 .judge = s3_list_judge_page,
                                 .judge_user = page};
    char start[KEY_SIZE];
    memcpy(start, page->last, sizeof start);
    store_request_query(&request, "list-type", "2");
    store_request_query(&request, "encoding-type", "url");
    store_request_query(&request, "max-keys", "1000");
    if (page->prefix > 0)
        store_request_query(&request, "prefix", page->prefix_text);
    if (*start)
        store_request_query(&request, "start-after", start);
    swathe_status status = store_request_send(store, &request);
    store_request_free(&request);
    if (status != SWATHE_OK)
        return status;
    page->more = false;
    STORE_TRY(store_xml_walk(body->bytes, body->size, s3_list_take, page));
    if (page->more && strcmp(start, page->last) == 0)
        return store_fail(SWATHE_ERROR_IO, EIO, "%s: the listing does not advance", url);
    return SWATHE_OK;
}

swathe_status store_s3_list(struct store *store, const char *prefix, const char *after,
                            visit_entry *visit, void *user)
{
    struct s3_url where, bucket;
    STORE_TRY(store_split_prefix(prefix, &where));
    bucket = where;
    bucket.key[0] = '\0';
    struct page *page = store_new(1, sizeof *page);
    struct store_body body = {.limit = PAGE_BYTES};
    if (!page)
        return store_fail_memory();
    page->prefix_text = where.key;
    page->prefix = strlen(where.key);
    page->visit = visit;
    page->user = user;
    swathe_status status = SWATHE_OK;
    if (after && *after &&
        snprintf(page->last, KEY_SIZE, "%s%s", where.key, after) >= (int)KEY_SIZE)
        status =
            store_fail(SWATHE_ERROR_ARGUMENT, EINVAL, "%s: a key has at most 1024 bytes", prefix);
    do {
        if (status == SWATHE_OK)
            status = read_page(store, prefix, &bucket, &body, page);
    } while (status == SWATHE_OK && page->more);
    store_free(body.bytes);
    store_free(page);
    return status;
}

/* Deletes all objects below a prefix, and the parts of uploads that nobody completed. */
#include "basics.h"
#include "s3/s3.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* MOST_PAGES: of up to 1000 uploads each, so that a store that lies cannot keep us for ever. */
enum { ANSWER_BYTES = 4 << 20, ID_SIZE = 1024, MOST_PAGES = 1000 };

struct uploads {
    struct store *store;
    const char *prefix;  /* its URL, for messages */
    struct s3_url where; /* with the prefix as key */
    char key[KEY_SIZE], id[ID_SIZE];
    char first[ID_SIZE], before[ID_SIZE]; /* first id of this page and of the one before */
    bool more;                            /* the store says that there is another page */
};

static swathe_status abort_one(struct uploads *uploads)
{
    struct s3_url object = uploads->where;
    size_t prefix = strlen(uploads->where.key);
    if (!*uploads->key || !*uploads->id || strncmp(uploads->key, uploads->where.key, prefix) != 0)
        return SWATHE_OK;
    if (!*uploads->first)
        memcpy(uploads->first, uploads->id, sizeof uploads->first);
    if (strcmp(uploads->id, uploads->before) == 0)
        return store_fail(SWATHE_ERROR_IO, EIO, "%s: the store still lists an aborted upload",
                          uploads->prefix);
    memcpy(object.key, uploads->key, sizeof object.key);
    struct s3_request request = {
        .url = uploads->prefix, .method = "DELETE", .where = &object, .accepted = {404}};
    store_request_query(&request, "uploadId", uploads->id);
    swathe_status status = store_request_send(uploads->store, &request);
    store_request_free(&request);
    return status;
}

static void uploads_copy(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", strlen(text) < size ? text : "");
}

static swathe_status uploads_take(void *user, const char *path, const char *text)
{
    struct uploads *uploads = user;
    if (strcmp(path, "ListMultipartUploadsResult/Upload/Key") == 0) {
        uploads_copy(uploads->key, sizeof uploads->key, text);
    } else if (strcmp(path, "ListMultipartUploadsResult/Upload/UploadId") == 0) {
        uploads_copy(uploads->id, sizeof uploads->id, text);
    } else if (strcmp(path, "ListMultipartUploadsResult/Upload") == 0) {
        swathe_status status = abort_one(uploads);
        uploads->key[0] = uploads->id[0] = '\0';
        return status;
    } else if (strcmp(path, "ListMultipartUploadsResult/IsTruncated") == 0) {
        uploads->more = strcmp(text, "true") == 0;
    }
    return SWATHE_OK;
}

static swathe_status uploads_ignore(void *user, const char *path, const char *text)
{
    (void)user, (void)path, (void)text;
    return SWATHE_OK;
}

/* A page that is damaged is asked for again before any of its uploads was aborted. */
static enum store_verdict uploads_judge_page(struct s3_request *request, void *unused)
{
    (void)unused;
    if (store_xml_walk(request->body->bytes, request->body->size, uploads_ignore, NULL) ==
        SWATHE_OK)
        return STORE_GOOD;
    request->fault = "the store sent a listing that is not the expected XML";
    return STORE_AGAIN;
}

/* One page of the listing, up to 1000 uploads. A store that has no such listing, or does not allow
 * it, has to remove abandoned uploads by itself. */
static swathe_status abort_some(struct uploads *uploads, struct store_body *body)
{
    struct s3_url bucket = uploads->where;
    struct s3_request request = {.url = uploads->prefix,
                                 .method = "GET",
                                 .where = &bucket,
                                 .body = body,
                                 .judge = uploads_judge_page,
                                 .accepted = {501, 405, 403}};
    bucket.key[0] = '\0';
    memcpy(uploads->before, uploads->first, sizeof uploads->before);
    uploads->first[0] = '\0';
    uploads->more = false;
    store_request_query(&request, "uploads", "");
    store_request_query(&request, "prefix", uploads->where.key);
    swathe_status status = store_request_send(uploads->store, &request);
    store_request_free(&request);
    if (status != SWATHE_OK || request.exchange.status / 100 != 2)
        return status;
    return store_xml_walk(body->bytes, body->size, uploads_take, uploads);
}

/* Every page is listed from the start, because the uploads before it are gone. */
static swathe_status abort_below(struct store *store, const char *prefix,
                                 const struct s3_url *where)
{
    struct uploads *uploads = store_new(1, sizeof *uploads);
    struct store_body body = {.limit = ANSWER_BYTES};
    if (!uploads)
        return store_fail_memory();
    uploads->store = store;
    uploads->prefix = prefix;
    uploads->where = *where;
    swathe_status status = abort_some(uploads, &body);
    /* A page without an upload of the prefix does not advance. */
    for (int page = 1; status == SWATHE_OK && uploads->more && *uploads->first; page++)
        status = page < MOST_PAGES
                     ? abort_some(uploads, &body)
                     : store_fail(SWATHE_ERROR_LIMIT, EFBIG,
                                  "%s: more than %d pages of abandoned uploads; repeat the command",
                                  prefix, MOST_PAGES);
    store_free(body.bytes);
    store_free(uploads);
    return status;
}

struct removal {
    struct store *store;
    const char *prefix;
};

static swathe_status delete_one(void *user, const struct store_entry *entry)
{
    const struct removal *removal = user;
    struct store_text url = {0};
    store_text_print(&url, "%s%s", removal->prefix, entry->key);
    swathe_status status =
        store_text_ok(&url) ? store_s3_delete(removal->store, url.bytes) : store_fail_memory();
    store_text_free(&url);
    return status;
}

swathe_status store_s3_delete_below(struct store *store, const char *prefix)
{
    struct s3_url where;
    struct removal removal = {store, prefix};
    STORE_TRY(store_split_prefix(prefix, &where));
    if (!*where.key)
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL, "%s: is a whole bucket", prefix);
    STORE_TRY(abort_below(store, prefix, &where));
    return store_s3_list(store, prefix, NULL, delete_one, &removal);
}

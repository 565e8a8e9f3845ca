/* The store's own state, shared by its files. */
#ifndef STORE_INNER_H
#define STORE_INNER_H

#include "store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <swathe/swathe.h>

#include <curl/curl.h>

/* Parts of a URL s3://bucket/key. */

enum { BUCKET_SIZE = 64, KEY_SIZE = 1025 };

struct s3_url {
    char bucket[BUCKET_SIZE];
    char key[KEY_SIZE]; /* as it is, not encoded; may be empty, or end in '/', for a prefix */
};

/* Splits the URL of an object. */
swathe_status store_split_object(const char *url, struct s3_url *parts);
/* Splits the URL of a prefix: a key that is empty or ends in '/'. */
swathe_status store_split_prefix(const char *url, struct s3_url *parts);

/* Handles of libcurl, each with its open connections. A handle serves one thread at a time and is
 * kept for the next request, whose connection then is open already. */

struct connections {
    pthread_mutex_t lock;
    CURL **idle;
    int count, room;
};

bool store_connections_init(struct connections *connections);
void store_connections_close(struct connections *connections);
/* NULL if memory is short. */
CURL *store_connection_take(struct connections *connections);
void store_connection_give(struct connections *connections, CURL *handle);

/* Credentials and endpoint of S3, from the environment and the profile files. */

enum { ACCESS_KEY_SIZE = 256, SECRET_SIZE = 256, TOKEN_SIZE = 8192, REGION_SIZE = 64 };

/* Lives in pages of its own, which core dumps leave out. */
struct credentials {
    char access_key[ACCESS_KEY_SIZE];
    char secret[SECRET_SIZE];
    char token[TOKEN_SIZE]; /* empty: none */
    char region[REGION_SIZE];
    char endpoint[512];  /* http://host[:port]; empty: AWS */
    char ca_bundle[512]; /* empty: that of the system */
    /* The key that signs requests of `day`; derived from the secret and as confidential. */
    char day[9];
    unsigned char signing_key[32];
    struct credentials *older; /* those that these replaced; requests under way may use them */
};

swathe_status store_credentials_load(struct credentials **credentials);
/* Reads them again. Returns false, and keeps them, if that fails or the keys are still the same. */
bool store_credentials_renew(struct credentials **credentials);
/* Wipes them, and older ones; accepts NULL. */
void store_credentials_destroy(struct credentials *credentials);

/* The profile files of AWS: sections in brackets, lines `name = value`. */

struct profile_field {
    const char *name; /* such as "region" */
    char *value;      /* filled if it is empty and the profile has the name */
    size_t size;
};

/* Reads a profile of a file. `section` is its name in brackets. A file that does not exist changes
 * nothing. */
swathe_status store_profile_read(const char *path, const char *section,
                                 const struct profile_field *fields, size_t count);

/* The store's own state, shared by its files. */

/* A cap per second: the time, in milliseconds of store_clock_ms, at which the next may start. */
struct store_pace {
    double next_request, next_bytes;
};

struct store {
    struct store_options options; /* defaults filled in */
    struct connections connections;
    pthread_mutex_t lock;            /* of the fields up to the counts */
    struct credentials *credentials; /* NULL before the first use of S3 */
    struct store_pace pace;
    atomic_int_fast64_t requests, retries, bytes_read, bytes_written;
};

int store_cancelled(const struct store *store);
/* Sleeps; fails if the caller cancels meanwhile. */
swathe_status store_sleep(const struct store *store, int64_t ms);
/* Waits until the caps allow a request. */
swathe_status store_pace_wait(struct store *store);
/* Charges bytes that were moved. */
void store_pace_bytes(struct store *store, int64_t bytes);

#endif

/* Helpers of the tests of stores. */
#ifndef STORE_CHECK_H
#define STORE_CHECK_H

#include "store.h"

#include <stdbool.h>
#include <stdio.h>

struct check {
    struct store *store;
    const char *prefix; /* a URL that ends in '/' */
    const char *only;   /* NULL: all */
    const char *program;
    int failed, passed;
};

/* Each prints the place and the last error if it does not hold, and counts. */
#define CHECK(check, condition) check_that(check, condition, __FILE__, __LINE__, #condition)
#define CHECK_OK(check, call)   check_status(check, call, SWATHE_OK, 0, __FILE__, __LINE__, #call)
#define CHECK_FAILS(check, call, status, system)                                                   \
    check_status(check, call, status, system, __FILE__, __LINE__, #call)

bool check_that(struct check *check, bool condition, const char *file, int line, const char *text);
bool check_status(struct check *check, swathe_status status, swathe_status wanted, int system,
                  const char *file, int line, const char *text);

/* The URL of a key below the prefix, in one of eight buffers that are used in turn. */
const char *check_url(const struct check *check, const char *key);
/* Bytes that depend on the seed and on their position; of malloc. */
unsigned char *check_bytes(size_t size, uint32_t seed);
/* Gets the object and compares it. */
void check_content(struct check *check, const char *url, const void *bytes, size_t size);

#endif

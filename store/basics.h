/* What all files of the store use: failures, memory, text and digests. */
#ifndef STORE_BASICS_H
#define STORE_BASICS_H

#include <stdbool.h>
#include <stddef.h>
#include <swathe/swathe.h>

/* How the store reports failures: `return store_fail(STATUS, errno, "value, limit, way out")`. */

/* Returns from the calling function if `call` fails. */
#define STORE_TRY(call)                                                                            \
    do {                                                                                           \
        swathe_status try_status_ = (call);                                                        \
        if (try_status_ != SWATHE_OK)                                                              \
            return try_status_;                                                                    \
    } while (0)

/* Records a failure of this thread and returns its status. `system` is an errno; 0: none. */
swathe_status store_fail(swathe_status status, int system, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A system call failed: "path: text of the errno". */
swathe_status store_fail_path(int system, const char *path);
swathe_status store_fail_memory(void);
swathe_status store_fail_cancelled(void);
/* There is an object already. */
swathe_status store_fail_exists(const char *url);
/* The object changed since it was opened. */
swathe_status store_fail_changed(const char *url);

/* The errno of this thread's last failure; 0: none. */
int store_last_system(void);

/* This thread's last failure, so that cleaning up after it cannot replace it. */
struct store_failure {
    swathe_error error;
    char text[2048], subject[64];
};
void store_failure_save(struct store_failure *failure);
void store_failure_restore(struct store_failure *failure);

/* Only this module allocates. */

/* count x size zeroed bytes; NULL if there are none left or the product exceeds SIZE_MAX. */
void *store_new(size_t count, size_t size);
/* Resizes to count x size bytes, of which new ones are not zeroed; on failure returns NULL and
 * leaves the old allocation as it was. */
void *store_resize(void *allocation, size_t count, size_t size);
void store_free(void *allocation);
/* A copy of a string; NULL if memory is short. */
char *store_copy(const char *text);

/* Memory for secrets: in pages that core dumps leave out, and wiped before it is freed. */

/* Zeroed; NULL if memory is short. */
void *store_secret_new(size_t size);
void store_secret_free(void *memory, size_t size);
/* Keeps the pages of a string out of core dumps, such as a variable of the environment. */
void store_secret_hide(const char *text);

/* Text that grows. A failed allocation is remembered: check store_text_ok once, at the end. */

struct store_text {
    char *bytes; /* ends with a NUL that `size` does not count; NULL while empty */
    size_t size, room;
    bool failed;
};

void store_text_bytes(struct store_text *text, const void *bytes, size_t size);
void store_text_add(struct store_text *text, const char *string);
void store_text_print(struct store_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Percent-encodes as SigV4 requires: all but letters, digits and -._~ (and '/' if `slashes`). */
void store_text_uri(struct store_text *text, const char *string, bool slashes);
/* Makes room for `size` bytes in all. */
bool store_text_reserve(struct store_text *text, size_t size);
bool store_text_ok(const struct store_text *text);
/* Never NULL. */
const char *store_text_get(const struct store_text *text);
void store_text_clear(struct store_text *text);
void store_text_free(struct store_text *text);

/* 2 x size lower-case digits and a NUL. */
void store_hex(const unsigned char *bytes, size_t size, char *text);
/* True if `text` starts with exactly `count` hexadecimal digits. */
bool store_is_hex(const char *text, size_t count);
/* A decimal number without sign or spaces; false if it is none or exceeds INT64_MAX. */
bool store_number(const char *text, long long *number);

/* SHA-256, MD5 and HMAC of libcrypto. */

enum { SHA256_BYTES = 32, SHA256_TEXT = 65, MD5_BYTES = 16, MD5_TEXT = 33, MD5_BASE64 = 25 };

bool store_sha256(const void *bytes, size_t size, unsigned char hash[SHA256_BYTES]);
bool store_sha256_text(const void *bytes, size_t size, char text[SHA256_TEXT]);
/* False where MD5 is not available (FIPS). */
bool store_md5(const void *bytes, size_t size, unsigned char hash[MD5_BYTES]);
void store_md5_base64(const unsigned char hash[MD5_BYTES], char text[MD5_BASE64]);
bool store_hmac(const void *key, size_t key_size, const void *bytes, size_t size,
                unsigned char hash[SHA256_BYTES]);
/* Random bytes from the system; false if there are none. */
bool store_random(void *bytes, size_t size);

#endif

/* SHA-256, MD5 and HMAC of libcrypto. */
#ifndef STORE_DIGEST_H
#define STORE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

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

#include "basics.h"

#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

bool store_sha256(const void *bytes, size_t size, unsigned char hash[SHA256_BYTES])
{
    return EVP_Digest(bytes, size, hash, NULL, EVP_sha256(), NULL) == 1;
}

bool store_sha256_text(const void *bytes, size_t size, char text[SHA256_TEXT])
{
    unsigned char hash[SHA256_BYTES];
    if (!store_sha256(bytes, size, hash))
        return false;
    store_hex(hash, sizeof hash, text);
    return true;
}

bool store_md5(const void *bytes, size_t size, unsigned char hash[MD5_BYTES])
{
    return EVP_Digest(bytes, size, hash, NULL, EVP_md5(), NULL) == 1;
}

void store_md5_base64(const unsigned char hash[MD5_BYTES], char text[MD5_BASE64])
{
    EVP_EncodeBlock((unsigned char *)text, hash, MD5_BYTES);
}

bool store_hmac(const void *key, size_t key_size, const void *bytes, size_t size,
                unsigned char hash[SHA256_BYTES])
{
    return key_size <= INT_MAX &&
           HMAC(EVP_sha256(), key, (int)key_size, bytes, size, hash, NULL) != NULL;
}

bool store_random(void *bytes, size_t size)
{
    return size <= INT_MAX && RAND_bytes(bytes, (int)size) == 1;
}

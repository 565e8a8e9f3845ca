/* Credentials and endpoint of S3, from the environment and the profile files. */
#ifndef STORE_S3_CREDENTIALS_H
#define STORE_S3_CREDENTIALS_H

#include <stdbool.h>
#include <swathe/swathe.h>

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

#endif

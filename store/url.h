/* Parts of a URL s3://bucket/key. */
#ifndef STORE_URL_H
#define STORE_URL_H

#include <swathe/swathe.h>

enum { BUCKET_SIZE = 64, KEY_SIZE = 1025 };

struct s3_url {
    char bucket[BUCKET_SIZE];
    char key[KEY_SIZE]; /* as it is, not encoded; may be empty, or end in '/', for a prefix */
};

/* Splits the URL of an object. */
swathe_status store_split_object(const char *url, struct s3_url *parts);
/* Splits the URL of a prefix: a key that is empty or ends in '/'. */
swathe_status store_split_prefix(const char *url, struct s3_url *parts);

#endif

/* Signature Version 4 of AWS, in the form that S3 uses: paths are encoded once and not normalised.
 */
#ifndef STORE_S3_SIGN_H
#define STORE_S3_SIGN_H

#include "store_text.h"

#include <stdbool.h>
#include <time.h>

/* A header, with its name in lower case, or a parameter of the query, neither of them encoded. */
struct s3_pair {
    const char *name, *value;
};

enum { S3_MOST_HEADERS = 12, S3_MOST_QUERY = 8, S3_TIME_SIZE = 17 };

struct s3_call {
    const char *method;
    const char *path;    /* encoded */
    const char *query;   /* by store_canonical_query */
    const char *payload; /* SHA-256 of the body in hexadecimal, or what stands for it */
    struct s3_pair headers[S3_MOST_HEADERS]; /* all that are signed, in any order */
    int header_count;
};

struct s3_scope {
    const char *access_key;
    const char *region, *service;
    char time[S3_TIME_SIZE]; /* 20130524T000000Z */
};

/* Appends the parameters encoded and in order, as the signature needs them and as they are sent. */
void store_canonical_query(struct store_text *text, const struct s3_pair *pairs, int count);
void store_sign_time(time_t now, char text[S3_TIME_SIZE]);
/* The key that signs all requests of a day, region and service. */
bool store_signing_key(const char *secret, const struct s3_scope *scope, unsigned char key[32]);
/* Appends the value of the header `authorization`. */
bool store_sign(const struct s3_scope *scope, const unsigned char key[32],
                const struct s3_call *call, struct store_text *text);
/* The canonical request alone; a part of the above. */
void store_canonical_request(const struct s3_call *call, struct store_text *text,
                             struct store_text *names);

#endif

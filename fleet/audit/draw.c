#define _DEFAULT_SOURCE /* explicit_bzero */
#include "audit/draw.h"

#include "fleet_fail.h"

#include <errno.h>
#include <math.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { SEED_FILE_LEAST = 16, SEED_FILE_MOST = 4096 };

static swathe_status digest(const void *bytes, size_t size, unsigned char result[32])
{
    unsigned length = 0;
    if (EVP_Digest(bytes, size, result, &length, EVP_sha256(), NULL) != 1 || length != 32)
        return fleet_fail(SWATHE_ERROR_INTERNAL, "the library for checksums (libcrypto) failed");
    return SWATHE_OK;
}

static swathe_status read_seed(const char *path, unsigned char seed[32])
{
    unsigned char bytes[SEED_FILE_MOST];
    FILE *file = fopen(path, "rb");
    if (!file)
        return fleet_fail(SWATHE_ERROR_IO, "--seed-file %s: %s", path, strerror(errno));
    size_t size = fread(bytes, 1, sizeof bytes, file);
    bool failed = ferror(file);
    fclose(file);
    if (failed)
        return fleet_fail(SWATHE_ERROR_IO, "--seed-file %s: cannot read it", path);
    if (size < SEED_FILE_LEAST)
        return fleet_fail(SWATHE_ERROR_INPUT,
                          "--seed-file %s: has %zu bytes, at least %d are needed; make one with "
                          "'head -c 32 /dev/urandom'",
                          path, size, SEED_FILE_LEAST);
    swathe_status status = digest(bytes, size, seed);
    explicit_bzero(bytes, sizeof bytes);
    return status;
}

swathe_status audit_draw_start(struct audit_draw *draw, double share, const char *seed_file)
{
    draw->share = share;
    if (seed_file)
        return read_seed(seed_file, draw->seed);
    if (getrandom(draw->seed, sizeof draw->seed, 0) != (ssize_t)sizeof draw->seed)
        return fleet_fail(SWATHE_ERROR_IO, "no random numbers: %s", strerror(errno));
    return SWATHE_OK;
}

/* Uniform in (0, 1], from the seed and the place. */
static swathe_status uniform(const struct audit_draw *draw, uint64_t sequence, int32_t drawn,
                             double *number)
{
    unsigned char bytes[sizeof draw->seed + 12], result[32];
    uint64_t bits = 0;
    memcpy(bytes, draw->seed, sizeof draw->seed);
    for (int i = 0; i < 8; i++)
        bytes[sizeof draw->seed + i] = (unsigned char)(sequence >> 8 * i);
    for (int i = 0; i < 4; i++)
        bytes[sizeof draw->seed + 8 + i] = (unsigned char)((uint32_t)drawn >> 8 * i);
    TRY(digest(bytes, sizeof bytes, result));
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | result[i];
    *number = ldexp((double)(bits >> 11) + 1, -53);
    return SWATHE_OK;
}

/* The number of images between two drawn ones has a geometric distribution, so one random number
 * serves many images: P(skip >= n) = (1 - share)^n. */
swathe_status audit_draw_next(const struct audit_draw *draw, uint64_t sequence, int32_t drawn,
                              int32_t count, int32_t *at)
{
    double number;
    TRY(uniform(draw, sequence, drawn, &number));
    double skip = draw->share < 1 ? floor(log(number) / log1p(-draw->share)) : 0;
    *at = skip < count - 1 - *at ? *at + 1 + (int32_t)skip : count;
    return SWATHE_OK;
}

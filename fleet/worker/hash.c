#include "worker/hash.h"

#include "fail.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GATHER_BYTES = 16384 };

struct worker_hash {
    EVP_MD_CTX *digest;
    bool open;
    uint8_t gathered[GATHER_BYTES];
};

swathe_status worker_hash_create(struct worker_hash **hash)
{
    struct worker_hash *own;
    TRY(fleet_allocate(1, sizeof *own, &own));
    own->digest = EVP_MD_CTX_new();
    if (!own->digest) {
        free(own);
        return fleet_fail(SWATHE_ERROR_MEMORY, "no memory for a checksum");
    }
    *hash = own;
    return SWATHE_OK;
}

void worker_hash_destroy(struct worker_hash *hash)
{
    if (!hash)
        return;
    EVP_MD_CTX_free(hash->digest);
    free(hash);
}

static swathe_status hash_failed(void)
{
    return fleet_fail(SWATHE_ERROR_INTERNAL, "the library for checksums (libcrypto) failed");
}

swathe_status worker_hash_add(struct worker_hash *hash, const void *bytes, size_t size)
{
    if (!hash->open && EVP_DigestInit_ex(hash->digest, EVP_sha256(), NULL) != 1)
        return hash_failed();
    hash->open = true;
    return EVP_DigestUpdate(hash->digest, bytes, size) == 1 ? SWATHE_OK : hash_failed();
}

swathe_status worker_hash_finish(struct worker_hash *hash, char text[HASH_TEXT])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    TRY(worker_hash_add(hash, "", 0)); /* opens an empty one */
    hash->open = false;
    if (EVP_DigestFinal_ex(hash->digest, digest, &size) != 1 || size * 2 + 1 != HASH_TEXT)
        return hash_failed();
    for (unsigned i = 0; i < size; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    return SWATHE_OK;
}

static const char *type_name(swathe_type type)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_TYPES, i, &entry) == SWATHE_OK; i++)
        if (entry.value == type)
            return entry.name;
    return "unknown";
}

swathe_status worker_hash_image(struct worker_hash *hash, const swathe_shape *shape)
{
    char line[128];
    int length =
        snprintf(line, sizeof line, "swathe samples %" PRId64 " %" PRId64 " %d %s\n", shape->width,
                 shape->height, (int)shape->channels, type_name(shape->type));
    return worker_hash_add(hash, line, (size_t)length);
}

static swathe_status find_sample_bytes(swathe_type type, int64_t *bytes)
{
    swathe_shape sample = {.width = 1, .height = 1, .channels = 1, .type = type};
    return swathe_shape_bytes(&sample, bytes);
}

static bool little_endian(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* Copies samples that are not dense, or not little endian, and adds the copy. */
static swathe_status add_gathered(struct worker_hash *hash, const swathe_image *rows,
                                  const uint8_t *row, int64_t bytes)
{
    bool swap = !little_endian();
    size_t filled = 0;
    for (int64_t x = 0; x < rows->width; x++)
        for (int32_t c = 0; c < rows->channels; c++) {
            const uint8_t *sample = row + x * rows->pixel_stride + c * rows->channel_stride;
            for (int64_t i = 0; i < bytes; i++)
                hash->gathered[filled++] = sample[swap ? bytes - 1 - i : i];
            if (filled + 8 <= GATHER_BYTES)
                continue;
            TRY(worker_hash_add(hash, hash->gathered, filled));
            filled = 0;
        }
    return worker_hash_add(hash, hash->gathered, filled);
}

swathe_status worker_hash_rows(struct worker_hash *hash, const swathe_image *rows)
{
    int64_t bytes;
    TRY(find_sample_bytes(rows->type, &bytes));
    int64_t pixel = bytes * rows->channels;
    bool dense = rows->pixel_stride == pixel &&
                 (rows->channel_stride == bytes || rows->channels == 1) &&
                 (bytes == 1 || little_endian());
    if (dense && rows->row_stride == pixel * rows->width)
        return worker_hash_add(hash, rows->data, (size_t)(rows->row_stride * rows->height));
    for (int64_t y = 0; y < rows->height; y++) {
        const uint8_t *row = (const uint8_t *)rows->data + y * rows->row_stride;
        TRY(dense ? worker_hash_add(hash, row, (size_t)(pixel * rows->width))
                  : add_gathered(hash, rows, row, bytes));
    }
    return SWATHE_OK;
}

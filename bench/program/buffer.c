#define _GNU_SOURCE /* MAP_ANONYMOUS, MADV_HUGEPAGE */
#include "buffer.h"

#include "rng.h"

#include <string.h>
#include <sys/mman.h>

swathe_status buffer_new(const swathe_shape *shape, swathe_layout layout, bool huge,
                         struct buffer *buffer)
{
    struct buffer made = {.shape = *shape, .layout = layout, .view = SWATHE_INIT(swathe_image)};
    swathe_status status = swathe_shape_bytes(shape, &made.bytes);
    if (status != SWATHE_OK)
        return status;
    void *data =
        mmap(NULL, (size_t)made.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return swathe_error_set(SWATHE_ERROR_MEMORY, "not enough memory for an image to measure");
    if (huge)
        madvise(data, (size_t)made.bytes, MADV_HUGEPAGE);
    made.data = data;
    status = swathe_image_init(shape, layout, data, &made.view);
    if (status == SWATHE_OK)
        *buffer = made;
    else
        munmap(data, (size_t)made.bytes);
    return status;
}

swathe_status buffer_like(const struct buffer *other, bool huge, struct buffer *buffer)
{
    return buffer_new(&other->shape, other->layout, huge, buffer);
}

void buffer_free(struct buffer *buffer)
{
    if (buffer->data)
        munmap(buffer->data, (size_t)buffer->bytes);
    *buffer = (struct buffer){0};
}

static void fill_f32(float *to, int64_t count, struct rng *rng)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)(rng_next(rng) >> 40) * 0x1p-24f;
}

static void fill_f64(double *to, int64_t count, struct rng *rng)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = (double)(rng_next(rng) >> 11) * 0x1p-53;
}

void buffer_fill(struct buffer *buffer, uint64_t seed)
{
    struct rng rng = {seed};
    uint8_t *to = buffer->data;
    int16_t *shorts = buffer->data;
    swathe_type type = buffer->view.type;
    if (type == SWATHE_F32)
        fill_f32(buffer->data, buffer->bytes / 4, &rng);
    else if (type == SWATHE_F64)
        fill_f64(buffer->data, buffer->bytes / 8, &rng);
    else if (type == SWATHE_S16)
        for (int64_t i = 0; i < buffer->bytes / 2; i++)
            shorts[i] = (int16_t)(rng_next(&rng) & 255);
    else
        for (int64_t i = 0; i < buffer->bytes; i++)
            to[i] = (uint8_t)rng_next(&rng);
}

void buffer_garble(struct buffer *buffer)
{
    memset(buffer->data, 0xa5, (size_t)buffer->bytes);
}

uint64_t buffer_checksum(const struct buffer *buffer)
{
    const uint8_t *from = buffer->data;
    uint64_t sum = (uint64_t)buffer->bytes, word;
    int64_t i = 0;
    for (; i + 8 <= buffer->bytes; i += 8) {
        memcpy(&word, from + i, sizeof word);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    for (; i < buffer->bytes; i++)
        sum = (sum ^ from[i]) * 0x100000001b3u;
    return sum ^ sum >> 32;
}

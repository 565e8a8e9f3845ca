#include "worker/sink.h"

#include "fail.h"

#include <inttypes.h>

static swathe_status write_rows(void *user, const swathe_image *from)
{
    struct sample_sink *own = user;
    if (from->y != own->next_row)
        return fleet_fail(SWATHE_ERROR_INTERNAL, "row %" PRId64 " came before row %" PRId64,
                          from->y, own->next_row);
    own->next_row += from->height;
    TRY(worker_hash_rows(own->hash, from));
    return own->inner ? own->inner->write(own->inner->user, from) : SWATHE_OK;
}

swathe_sink sample_sink_make(struct sample_sink *own, struct worker_hash *hash,
                             const swathe_shape *shape, const swathe_sink *inner)
{
    swathe_sink sink = SWATHE_INIT(swathe_sink);
    *own = (struct sample_sink){hash, inner, 0};
    sink.user = own;
    sink.shape = *shape;
    sink.flags = SWATHE_FORWARD;
    sink.tile_height = inner ? inner->tile_height : 0;
    sink.write = write_rows;
    return sink;
}

static swathe_status write_bytes(void *user, const void *bytes, size_t count)
{
    struct byte_writer *own = user;
    TRY(worker_hash_add(own->hash, bytes, count));
    own->size += (int64_t)count;
    return own->inner.write ? own->inner.write(own->inner.user, bytes, count) : SWATHE_OK;
}

static swathe_status finish_bytes(void *user)
{
    struct byte_writer *own = user;
    return own->inner.finish ? own->inner.finish(own->inner.user) : SWATHE_OK;
}

static void abandon_bytes(void *user)
{
    struct byte_writer *own = user;
    if (own->inner.abandon)
        own->inner.abandon(own->inner.user);
}

swathe_writer byte_writer_make(struct byte_writer *own, struct worker_hash *hash, const char *name)
{
    swathe_writer writer = SWATHE_INIT(swathe_writer);
    own->hash = hash;
    own->size = 0;
    writer.user = own;
    writer.name = name;
    writer.write = write_bytes;
    writer.finish = finish_bytes;
    writer.abandon = abandon_bytes;
    return writer;
}

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
    return own->inner ? swathe_sink_write(own->inner, from) : SWATHE_OK;
}

swathe_status sample_sink_make(swathe_context *context, struct sample_sink *own,
                               struct worker_hash *hash, const swathe_shape *shape,
                               swathe_sink *inner, swathe_sink **sink)
{
    swathe_sink_info info = SWATHE_INIT(swathe_sink_info);
    swathe_sink_callbacks callbacks = SWATHE_INIT(swathe_sink_callbacks);
    *own = (struct sample_sink){hash, inner, 0};
    info.shape = *shape;
    info.flags = SWATHE_FORWARD;
    info.tile_height = swathe_sink_properties(inner).tile_height;
    callbacks.user = own;
    callbacks.write = write_rows;
    return swathe_sink_wrap(context, &info, &callbacks, sink);
}

static swathe_status worker_sink_write_bytes(void *user, const void *bytes, size_t count)
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
    writer.write = worker_sink_write_bytes;
    writer.finish = finish_bytes;
    writer.abandon = abandon_bytes;
    return writer;
}

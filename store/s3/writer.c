/* Writes an object: small ones by one request at the end, others in parts while they are written.
 */
#include "basics.h"
#include "s3/s3.h"

#include <errno.h>
#include <string.h>

enum { MOST_PARTS = 10000, PARTS_OF_A_SIZE = 1000 };

struct s3_writer {
    struct store *store;
    char *url;
    int mode;
    char id[1024]; /* of the upload in parts; empty: none yet */
    struct store_part *parts;
    int32_t count;
    char *buffer;
    size_t used, room;
    int64_t total;
};

/* Parts double in size every 1000 parts, so that the largest object needs fewer than 10,000. */
static size_t part_size(const struct s3_writer *writer)
{
    return (size_t)writer->store->options.part_bytes << (writer->count / PARTS_OF_A_SIZE);
}

static void s3_writer_destroy(struct s3_writer *writer)
{
    store_free(writer->url);
    store_free(writer->parts);
    store_free(writer->buffer);
    store_free(writer);
}

static swathe_status send_part(struct s3_writer *writer)
{
    if (writer->count == MOST_PARTS)
        return store_fail(SWATHE_ERROR_LIMIT, EFBIG, "%s: has more than %d parts", writer->url,
                          MOST_PARTS);
    if (!*writer->id)
        STORE_TRY(store_s3_begin(writer->store, writer->url, writer->id, sizeof writer->id));
    if (writer->count % 256 == 0) {
        struct store_part *parts =
            store_resize(writer->parts, (size_t)writer->count + 256, sizeof *parts);
        if (!parts)
            return store_fail_memory();
        writer->parts = parts;
    }
    STORE_TRY(store_s3_part(writer->store, writer->url, writer->id, writer->count + 1,
                            writer->buffer, writer->used, &writer->parts[writer->count]));
    writer->count++;
    writer->used = 0;
    return SWATHE_OK;
}

/* Grows the buffer, up to the size of a part. */
static swathe_status s3_writer_make_room(struct s3_writer *writer, size_t count)
{
    size_t most = part_size(writer), room = writer->room > 0 ? writer->room : (size_t)1 << 16;
    while (room < most && room - writer->used < count)
        room *= 2;
    if (room > most)
        room = most;
    if (room <= writer->room)
        return SWATHE_OK;
    char *buffer = store_resize(writer->buffer, room, 1);
    if (!buffer)
        return store_fail_memory();
    writer->buffer = buffer;
    writer->room = room;
    return SWATHE_OK;
}

static swathe_status s3_writer_write_bytes(void *user, const void *bytes, size_t count)
{
    struct s3_writer *writer = user;
    const char *from = bytes;
    while (count > 0) {
        if (writer->used == part_size(writer))
            STORE_TRY(send_part(writer));
        STORE_TRY(s3_writer_make_room(writer, count));
        size_t some = writer->room - writer->used;
        if (some > count)
            some = count;
        memcpy(writer->buffer + writer->used, from, some);
        writer->used += some;
        writer->total += (int64_t)some;
        from += some;
        count -= some;
    }
    return SWATHE_OK;
}

/* Keeps the recorded failure, which is why the upload is abandoned. */
static void s3_writer_abandon(void *user)
{
    struct s3_writer *writer = user;
    struct store_failure cause;
    if (*writer->id) {
        store_failure_save(&cause);
        store_s3_abort(writer->store, writer->url, writer->id);
        store_failure_restore(&cause);
    }
    s3_writer_destroy(writer);
}

static swathe_status s3_writer_finish(void *user)
{
    struct s3_writer *writer = user;
    swathe_status status = SWATHE_OK;
    if (!*writer->id) {
        status = store_s3_put(writer->store, writer->url, writer->buffer ? writer->buffer : "",
                              writer->used, writer->mode);
        s3_writer_destroy(writer);
        return status;
    }
    if (writer->used > 0)
        status = send_part(writer);
    if (status == SWATHE_OK)
        status = store_s3_finish(writer->store, writer->url, writer->id, writer->parts,
                                 writer->count, writer->total, writer->mode);
    if (status == SWATHE_OK)
        s3_writer_destroy(writer);
    else
        s3_writer_abandon(writer);
    return status;
}

swathe_status store_s3_writer(struct store *store, const char *url, int mode, swathe_writer *writer)
{
    struct s3_writer *own = store_new(1, sizeof *own);
    if (!own)
        return store_fail_memory();
    own->store = store;
    own->mode = mode;
    own->url = store_copy(url);
    if (!own->url) {
        s3_writer_destroy(own);
        return store_fail_memory();
    }
    *writer = SWATHE_INIT(swathe_writer);
    writer->user = own;
    writer->name = own->url;
    writer->write = s3_writer_write_bytes;
    writer->finish = s3_writer_finish;
    writer->abandon = s3_writer_abandon;
    return SWATHE_OK;
}

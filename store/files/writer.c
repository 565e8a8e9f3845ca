#include "files/files.h"

#include "basics.h"

#include <unistd.h>

enum { SOON_BYTES = 8 << 20 };

struct file_writer {
    struct store *store;
    char *path;
    char id[TEMPORARY_ID + 1]; /* empty: the file has no name */
    int fd, mode;
    int64_t size, soon; /* written; handed to the disk */
};

static void files_writer_destroy(struct file_writer *writer)
{
    store_free(writer->path);
    store_free(writer);
}

static swathe_status files_writer_write_bytes(void *user, const void *bytes, size_t count)
{
    struct file_writer *writer = user;
    if (store_cancelled(writer->store))
        return store_fail_cancelled();
    STORE_TRY(store_write_all(writer->path, writer->fd, bytes, count, writer->size));
    writer->size += (int64_t)count;
    if (writer->size - writer->soon >= SOON_BYTES) {
        store_write_soon(writer->fd, writer->soon, writer->size - writer->soon);
        writer->soon = writer->size;
    }
    atomic_fetch_add(&writer->store->bytes_written, (int64_t)count);
    return SWATHE_OK;
}

static swathe_status files_writer_finish(void *user)
{
    struct file_writer *writer = user;
    swathe_status status =
        store_temporary_publish(writer->path, writer->id, writer->fd, writer->mode);
    files_writer_destroy(writer);
    return status;
}

static void files_writer_abandon(void *user)
{
    struct file_writer *writer = user;
    char *name = *writer->id ? store_temporary_path(writer->path, writer->id) : NULL;
    close(writer->fd);
    if (name)
        unlink(name);
    store_free(name);
    files_writer_destroy(writer);
}

swathe_status store_file_writer(struct store *store, const char *path, int mode,
                                swathe_writer *writer)
{
    struct file_writer *own = store_new(1, sizeof *own);
    if (!own)
        return store_fail_memory();
    own->store = store;
    own->mode = mode;
    own->path = store_copy(path);
    swathe_status status =
        own->path ? store_unnamed_create(path, own->id, &own->fd) : store_fail_memory();
    if (status != SWATHE_OK) {
        files_writer_destroy(own);
        return status;
    }
    *writer = SWATHE_INIT(swathe_writer);
    writer->user = own;
    writer->name = own->path;
    writer->write = files_writer_write_bytes;
    writer->finish = files_writer_finish;
    writer->abandon = files_writer_abandon;
    return SWATHE_OK;
}

swathe_status store_file_put(struct store *store, const char *path, const void *bytes, size_t size,
                             int mode)
{
    swathe_writer writer;
    STORE_TRY(store_file_writer(store, path, mode, &writer));
    swathe_status status = files_writer_write_bytes(writer.user, bytes, size);
    if (status == SWATHE_OK)
        return files_writer_finish(writer.user);
    files_writer_abandon(writer.user);
    return status;
}

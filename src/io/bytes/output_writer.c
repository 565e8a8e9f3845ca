#include "io/bytes/output_writer.h"

#include "io/choose_format.h"

#include <string.h>

struct writer {
    const struct memory *memory;
    struct output *output;
    char *shown; /* the path, for messages */
};

static void destroy(struct writer *writer)
{
    const struct memory *memory = writer->memory;
    output_destroy(writer->output);
    memory_free(memory, writer->shown);
    memory_free(memory, writer);
}

/* A program at the other end of a pipe may wait for these bytes. */
static swathe_status write_bytes(void *user, const void *bytes, size_t count)
{
    struct writer *writer = user;
    swathe_status status = output_write(writer->output, bytes, count);
    if (status == SWATHE_OK)
        status = output_flush(writer->output);
    return fail_named(status, writer->shown);
}

static swathe_status finish(void *user)
{
    struct writer *writer = user;
    swathe_status status = output_commit(writer->output);
    destroy(writer);
    return status;
}

static void abandon(void *user)
{
    destroy(user);
}

swathe_status output_writer(const struct memory *memory, const char *path,
                            const struct output_options *options, swathe_writer *writer)
{
    struct writer *made;
    TRY(memory_new(memory, 1, sizeof *made, "a writer", &made));
    made->memory = memory;
    swathe_status status =
        format_shown(memory, strcmp(path, "-") == 0 ? "standard output" : path, &made->shown);
    if (status == SWATHE_OK)
        status = output_create(memory, path, options, &made->output);
    if (status != SWATHE_OK) {
        destroy(made);
        return status;
    }
    *writer = SWATHE_INIT(swathe_writer);
    writer->user = made;
    writer->name = made->shown;
    writer->write = write_bytes;
    writer->finish = finish;
    writer->abandon = abandon;
    return SWATHE_OK;
}

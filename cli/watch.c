#include "watch.h"

#include "interrupt.h"

static swathe_status noted(struct watch *watch, swathe_status status)
{
    if (status != SWATHE_OK)
        atomic_store(&watch->failed, 1);
    return status;
}

static swathe_status watched_read(void *user, const swathe_image *into)
{
    struct watch *watch = user;
    if (interrupt_caught())
        return swathe_error_set(SWATHE_ERROR_CANCELLED, "interrupted");
    return noted(watch, watch->from->read(watch->from->user, into));
}

static swathe_status watched_write(void *user, const swathe_image *from)
{
    struct watch *watch = user;
    return noted(watch, watch->to->write(watch->to->user, from));
}

void watch_start(struct watch *watch, const swathe_source *from, const swathe_sink *to)
{
    watch->source = *from;
    watch->source.user = watch;
    watch->source.read = watched_read;
    watch->source.destroy = NULL;
    watch->sink = *to;
    watch->sink.user = watch;
    watch->sink.write = watched_write;
    watch->sink.commit = NULL;
    watch->sink.destroy = NULL;
    watch->from = from;
    watch->to = to;
    atomic_init(&watch->failed, 0);
}

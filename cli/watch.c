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

static swathe_status watched_prepare(void *user, const swathe_image *from, int64_t above,
                                     void **prepared)
{
    struct watch *watch = user;
    return noted(watch, watch->to->prepare(watch->to->user, from, above, prepared));
}

static swathe_status watched_deliver(void *user, void *prepared, int32_t wanted)
{
    struct watch *watch = user;
    return noted(watch, watch->to->deliver(watch->to->user, prepared, wanted));
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
    watch->sink.prepare = to->prepare ? watched_prepare : NULL;
    watch->sink.deliver = to->deliver ? watched_deliver : NULL;
    watch->sink.commit = NULL;
    watch->sink.destroy = NULL;
    watch->from = from;
    watch->to = to;
    atomic_init(&watch->failed, 0);
}

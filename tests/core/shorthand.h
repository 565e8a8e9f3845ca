/* Shorthand for calls that many tests make. */
#ifndef TESTS_SHORTHAND_H
#define TESTS_SHORTHAND_H

#include "swathe/swathe.h"

/* A source or a sink of one function; NULL on failure, which calls with it report. */
static inline swathe_source *
wrapped_source(swathe_context *context, const swathe_shape *shape, uint64_t flags,
               swathe_status (*read)(void *user, const swathe_image *into), void *user)
{
    swathe_source_info info = SWATHE_INIT(swathe_source_info);
    swathe_source_callbacks callbacks = SWATHE_INIT(swathe_source_callbacks);
    swathe_source *source = NULL;
    info.shape = *shape;
    info.flags = flags;
    callbacks.user = user;
    callbacks.read = read;
    (void)swathe_source_wrap(context, &info, &callbacks, &source);
    return source;
}

static inline swathe_sink *
wrapped_sink(swathe_context *context, const swathe_shape *shape, uint64_t flags,
             swathe_status (*write)(void *user, const swathe_image *from), void *user)
{
    swathe_sink_info info = SWATHE_INIT(swathe_sink_info);
    swathe_sink_callbacks callbacks = SWATHE_INIT(swathe_sink_callbacks);
    swathe_sink *sink = NULL;
    info.shape = *shape;
    info.flags = flags;
    callbacks.user = user;
    callbacks.write = write;
    (void)swathe_sink_wrap(context, &info, &callbacks, &sink);
    return sink;
}

/* swathe_filter with options; the result has the type of `destination` unless they set one. */
static inline swathe_status filter_with(swathe_context *context, const char *text,
                                        const swathe_image *source, const swathe_image *destination,
                                        const swathe_plan_options *options)
{
    swathe_plan_options o = *options;
    swathe_shape shape = swathe_image_shape(source);
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    if (o.type == SWATHE_TYPE_DEFAULT)
        o.type = destination->type;
    swathe_status status = swathe_chain_parse(context, text, &chain);
    if (status == SWATHE_OK)
        status = swathe_plan_create(context, chain, &shape, &o, &plan);
    if (status == SWATHE_OK)
        status = swathe_run(context, plan, source, destination, NULL);
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    return status;
}

#endif

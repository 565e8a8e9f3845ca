/* Sinks that prepare and deliver: a failure of any call ends the run, and every prepared part is
 * delivered or dropped exactly once. With little memory cells are narrower, but the order is
 * kept. */
#include "stream_ends.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 5000, HEIGHT = 150, TRIES = 40 };

static swathe_context *context;
static swathe_image source, result, expected;
static int failures;

static void verdict(bool good, const char *what)
{
    if (!good)
        printf("FAILED: %s: %s\n", what, swathe_error_text());
    failures += !good;
}

/* Wraps a sink; fails at a given call, and counts calls. */
struct fussy {
    struct stream_ends ends; /* first: the sink's user */
    struct file_parts inner;
    atomic_int prepares, delivers, alive, narrow;
    int bad_prepare, bad_deliver; /* numbers of the calls that fail; 0: none */
};

static swathe_status fussy_prepare(void *user, const swathe_image *from, int64_t above, void **part)
{
    struct fussy *fussy = user;
    if (from->width < from->full_width)
        atomic_store(&fussy->narrow, 1);
    if (atomic_fetch_add(&fussy->prepares, 1) + 1 == fussy->bad_prepare)
        return swathe_error_set(SWATHE_ERROR_IO, "cannot prepare");
    swathe_status status = fussy->inner.prepare(&fussy->ends, from, above, part);
    atomic_fetch_add(&fussy->alive, status == SWATHE_OK);
    return status;
}

static swathe_status fussy_deliver(void *user, void *part, bool wanted)
{
    struct fussy *fussy = user;
    bool bad = atomic_fetch_add(&fussy->delivers, 1) + 1 == fussy->bad_deliver && wanted;
    atomic_fetch_sub(&fussy->alive, 1);
    swathe_status status = fussy->inner.deliver(&fussy->ends, part, !bad && wanted);
    return bad ? swathe_error_set(SWATHE_ERROR_IO, "cannot deliver") : status;
}

static swathe_status run(struct fussy *fussy, enum stream_kind kind, int64_t max_memory,
                         int32_t threads)
{
    swathe_plan_options wanted = SWATHE_INIT(swathe_plan_options);
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_run_options options = SWATHE_INIT(swathe_run_options);
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    swathe_shape shape = {0};
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = 1;
    shape.type = SWATHE_U8;
    wanted.max_memory = max_memory;
    swathe_status status = swathe_chain_parse(context, "sharpen,gaussian:5", &chain);
    if (status == SWATHE_OK)
        status = swathe_plan_create(context, chain, &shape, &wanted, &plan);
    if (status == SWATHE_OK) {
        swathe_plan_get(plan, &info);
        stream_ends_init(&fussy->ends, kind, &source, &info.result, &result);
        fussy->ends.source.shape = shape;
        fussy->inner = fussy->ends.parts;
        fussy->ends.parts.prepare = fussy_prepare;
        fussy->ends.parts.deliver = fussy_deliver;
        options.threads = threads;
        options.cell_rows = max_memory ? 0 : 6;
        memset(result.data, 0, WIDTH * HEIGHT);
        status = swathe_run_stream(context, plan, &fussy->ends.source, &fussy->ends.sink, &options);
    }
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    return status;
}

static void fails_everywhere(enum stream_kind kind)
{
    for (int i = 1; i <= TRIES; i++) {
        struct fussy a = {.bad_prepare = i}, b = {.bad_deliver = i};
        swathe_status status = run(&a, kind, 0, 3);
        bool reached = atomic_load(&a.prepares) >= i;
        verdict(status == (reached ? SWATHE_ERROR_IO : SWATHE_OK), "a prepare call that fails");
        verdict(atomic_load(&a.alive) == 0, "parts after a failed prepare call");
        status = run(&b, kind, 0, 3);
        verdict(status == SWATHE_ERROR_IO || atomic_load(&b.delivers) < i,
                "a deliver call that fails");
        verdict(atomic_load(&b.alive) == 0, "parts after a failed deliver call");
    }
}

/* Rows of tiles of 5000 columns and their results take more than 120 KB. */
static void narrow_cells(void)
{
    struct fussy wide = {0}, narrow = {0};
    verdict(run(&wide, STREAM_BLOCKS, 0, 2) == SWATHE_OK, "cells as wide as the image");
    memcpy(expected.data, result.data, WIDTH * HEIGHT);
    verdict(run(&narrow, STREAM_BLOCKS, 700000, 2) == SWATHE_OK, "cells narrower than the image");
    verdict(!atomic_load(&wide.narrow) && atomic_load(&narrow.narrow),
            "narrow cells with little memory");
    verdict(memcmp(expected.data, result.data, WIDTH * HEIGHT) == 0, "the same pixels");
}

static swathe_image make_image(void)
{
    swathe_shape shape = {0};
    swathe_image image = SWATHE_INIT(swathe_image);
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = 1;
    shape.type = SWATHE_U8;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, malloc(WIDTH * HEIGHT), &image);
    return image;
}

int main(void)
{
    swathe_context_options wanted = SWATHE_INIT(swathe_context_options);
    wanted.threads = 3;
    if (swathe_context_create(&wanted, &context) != SWATHE_OK)
        return 1;
    source = make_image();
    result = make_image();
    expected = make_image();
    canvas_fill(&source, 7, false);
    fails_everywhere(STREAM_STRIPS);
    fails_everywhere(STREAM_RELAY);
    fails_everywhere(STREAM_BLOCKS);
    narrow_cells();
    free(source.data);
    free(result.data);
    free(expected.data);
    swathe_context_destroy(context);
    printf("%d failed\n", failures);
    return failures != 0;
}

/* The ways to pass encoded bytes to and from the library: paths, memory and callbacks must give the
 * same results. */
#ifndef SWATHE_TESTS_IO_WAYS_H
#define SWATHE_TESTS_IO_WAYS_H

#include "io/file.h"

#include <stdatomic.h>
#include <stdbool.h>

enum io_way { IO_PATH, IO_MEMORY, IO_CALLBACK, IO_WAYS };
const char *io_way_name(enum io_way way);

/* Bytes behind callbacks: reads are short, with a different length each time, and a call can
 * fail. */
struct io_callback {
    uint8_t *bytes;
    size_t size;
    int fail_at; /* the number of the call that fails; 0: none */
    atomic_int busy, calls, destroyed;
    int finished, abandoned;
};

#define IO_CALLBACK_FAILS "the store is gone"

/* Neither is CONCURRENT. Both borrow the callback; the caller frees `bytes` of a writer's
 * callback. */
swathe_reader io_callback_reader(struct io_callback *callback, const char *name);
swathe_writer io_callback_writer(struct io_callback *callback, const char *name);

/* Opens the bytes of a file. */
swathe_status io_open(enum io_way way, const char *path, const swathe_read_options *options,
                      swathe_source **source);

#endif

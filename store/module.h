/* What a program finds in the module that it loads at the first use of a store: one symbol,
 * `swathe_store_module`. The module records failures through the program's own copy of the library,
 * which must export swathe_error_record and swathe_error_get. */
#ifndef STORE_MODULE_H
#define STORE_MODULE_H

#include "store.h"

#define STORE_MODULE_SYMBOL "swathe_store_module"

struct store_module {
    const char *version; /* SWATHE_VERSION of both must be equal */
    swathe_status (*create)(const struct store_options *options, struct store **store);
    void (*destroy)(struct store *store);
    swathe_status (*reader)(struct store *store, const char *url, swathe_reader *reader);
    swathe_status (*writer)(struct store *store, const char *url, swathe_writer *writer);
    swathe_status (*writer_new)(struct store *store, const char *url, swathe_writer *writer);
};

#endif

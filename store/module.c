#include "module.h"

__attribute__((visibility("default"))) extern const struct store_module swathe_store_module;

const struct store_module swathe_store_module = {
    .version = SWATHE_VERSION,
    .create = store_create,
    .destroy = store_destroy,
    .reader = store_reader,
    .writer = store_writer,
    .writer_new = store_writer_new,
};

/* Memory that ends at a page nobody may touch, so that one byte too far is a crash. */
#ifndef TESTS_GUARDED_H
#define TESTS_GUARDED_H

#include <stddef.h>
#include <stdint.h>

struct guarded {
    uint8_t *start, *end; /* usable bytes lie in start..end-1; end is the guard */
};

struct guarded guarded_new(size_t size);
void guarded_free(struct guarded *memory);

#endif

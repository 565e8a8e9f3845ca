/* Memory that ends at an inaccessible page, so that an access past its end crashes. */
#ifndef TESTS_GUARDED_H
#define TESTS_GUARDED_H

#include <stddef.h>
#include <stdint.h>

struct guarded {
    uint8_t *start, *end; /* usable bytes are start..end-1; end is the guard page */
};

struct guarded guarded_new(size_t size);
void guarded_free(struct guarded *memory);

#endif

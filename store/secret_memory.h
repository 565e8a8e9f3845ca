/* Memory for secrets: in pages that core dumps leave out, and wiped before it is freed. */
#ifndef STORE_SECRET_MEMORY_H
#define STORE_SECRET_MEMORY_H

#include <stddef.h>

/* Zeroed; NULL if memory is short. */
void *store_secret_new(size_t size);
void store_secret_free(void *memory, size_t size);
/* Keeps the pages of a string out of core dumps, such as a variable of the environment. */
void store_secret_hide(const char *text);

#endif

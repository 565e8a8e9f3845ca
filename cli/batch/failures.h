/* Failed images: their number, and the reasons of the first ones. */
#ifndef SWATHE_CLI_BATCH_FAILURES_H
#define SWATHE_CLI_BATCH_FAILURES_H

#include <stdint.h>

enum { FAILURES_SHOWN = 20 };

/* Not thread-safe: the caller holds a lock. */
struct failures {
    char *texts[FAILURES_SHOWN];
    int64_t count;
};

void failures_add(struct failures *failures, const char *text);
/* Prints to standard error. */
void failures_print(const struct failures *failures);
void failures_free(struct failures *failures);

#endif

/* Why images failed: the first of them with their reasons, and how many there were. */
#ifndef SWATHE_CLI_BATCH_FAILURES_H
#define SWATHE_CLI_BATCH_FAILURES_H

#include <stdint.h>

enum { FAILURES_SHOWN = 20 };

/* One thread at a time. */
struct failures {
    char *texts[FAILURES_SHOWN];
    int64_t count;
};

void failures_add(struct failures *failures, const char *text);
/* On standard error. */
void failures_print(const struct failures *failures);
void failures_free(struct failures *failures);

#endif

/* The known word that an unknown one was meant to be. */
#ifndef SWATHE_BASE_NEAR_H
#define SWATHE_BASE_NEAR_H

#include <stddef.h>

enum { NEAR_WORD = 32 };

struct near {
    const char *word;
    char best[NEAR_WORD];
    int distance;
};

void near_start(struct near *near, const char *word);
void near_offer(struct near *near, const char *candidate);
/* Every word of a list. */
void near_offer_list(struct near *near, const char *list, char separator);
/* The nearest, or NULL where none is close enough to help. */
const char *near_found(const struct near *near);
/* "; did you mean 'sharpen'?", or nothing. */
const char *near_hint(const struct near *near, char *buffer, size_t size);

#endif

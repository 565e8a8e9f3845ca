/* The known word that an unknown one was meant to be. */
#ifndef SWATHE_BASE_SUGGEST_H
#define SWATHE_BASE_SUGGEST_H

#include <stddef.h>

enum { SUGGEST_WORD = 32 };

struct suggestion {
    const char *word;
    char best[SUGGEST_WORD];
    int distance;
};

void suggest_start(struct suggestion *suggestion, const char *word);
void suggest_offer(struct suggestion *suggestion, const char *candidate);
/* Every word of a list. */
void suggest_offer_list(struct suggestion *suggestion, const char *list, char separator);
/* The nearest, or NULL where none is close enough to help. */
const char *suggest_found(const struct suggestion *suggestion);
/* "; did you mean 'sharpen'?", or nothing. */
const char *suggest_hint(const struct suggestion *suggestion, char *buffer, size_t size);

#endif

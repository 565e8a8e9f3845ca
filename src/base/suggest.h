/* Finds the known word that is most similar to an unknown one. */
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
/* Offers every word of a list. */
void suggest_offer_list(struct suggestion *suggestion, const char *list, char separator);
/* The most similar word; NULL if none is similar enough. */
const char *suggest_found(const struct suggestion *suggestion);
/* "; did you mean 'sharpen'?", or an empty text. */
const char *suggest_hint(const struct suggestion *suggestion, char *buffer, size_t size);

#endif

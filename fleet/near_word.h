/* Suggestions for words that are not known. */
#ifndef FLEET_NEAR_WORD_H
#define FLEET_NEAR_WORD_H

enum { NEAR_WORD_BYTES = 64 };

/* Finds the known word that is most similar to `wanted`: offer all words, then get the result. */
struct near_word {
    const char *wanted;
    char best[NEAR_WORD_BYTES];
    int distance;
};
void near_word_start(struct near_word *near, const char *wanted);
void near_word_offer(struct near_word *near, const char *word);
/* "; did you mean WORD?", or an empty text. */
const char *near_word_advice(const struct near_word *near, const char *before, char *text,
                             int size);

#endif

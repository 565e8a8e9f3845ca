/* Advice for words that are not known. */
#ifndef FLEET_NEAR_WORD_H
#define FLEET_NEAR_WORD_H

#include "../src/base/nearest_word.h"

/* "; did you mean WORD?", or an empty text. */
const char *near_word_advice(const struct nearest *nearest, const char *before, char *text,
                             int size);

#endif

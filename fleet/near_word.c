#include "near_word.h"

const char *near_word_advice(const struct nearest *nearest, const char *before, char *text,
                             int size)
{
    const char *found = nearest_found(nearest);
    text[0] = '\0';
    if (found)
        snprintf(text, (size_t)size, "; did you mean %s%s?", before, found);
    return text;
}

/* A driver's library, looked for at run time: nothing of it is needed to build, and where it is
 * missing or broken there is a note. What was loaded stays: drivers keep threads. */
#ifndef SWATHE_GPU_LIBRARY_H
#define SWATHE_GPU_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct library_symbol {
    const char *name;
    void *function; /* the pointer to fill */
};

/* The first of `names` (NULL after the last) that loads, and which; NULL with the reason in note.
 */
void *library_open(const char *const *names, const char **which, char *note, size_t size);

/* All symbols, or false with the missing one in the note. */
bool library_find(void *library, const struct library_symbol *symbols, int count, char *note,
                  size_t size);

#endif

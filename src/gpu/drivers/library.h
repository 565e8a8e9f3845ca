/* A driver's library, loaded at run time: the build does not need it, and a note gives the reason
 * if it is missing or broken. Loaded libraries are never closed, because drivers keep threads. */
#ifndef SWATHE_GPU_DRIVERS_LIBRARY_H
#define SWATHE_GPU_DRIVERS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct library_symbol {
    const char *name;
    void *function; /* address of the function pointer to set */
};

/* Opens the first of `names` (NULL after the last) that loads, and sets `which`; NULL with the
   reason in the note if none does.
    */
void *library_open(const char *const *names, const char **which, char *note, size_t size);

/* Finds all symbols; false with the missing one in the note. */
bool library_find(void *library, const struct library_symbol *symbols, int count, char *note,
                  size_t size);

#endif

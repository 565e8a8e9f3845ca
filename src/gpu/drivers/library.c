#include "gpu/drivers/library.h"

#include "base/os_library.h"

#include <stdio.h>
#include <string.h>

/* True if the error is about a library that exists but cannot be used. */
static bool is_broken(const char *name, const char *error)
{
    size_t length = strlen(name);
    return strncmp(error, name, length) != 0 || !strstr(error + length, "No such file");
}

void *library_open(const char *const *names, const char **which, char *note, size_t size)
{
    snprintf(note, size, "no %s", names[0]);
    bool reported = false;
    for (int i = 0; names[i]; i++) {
        const char *error;
        void *library = os_library_open(names[i], &error);
        if (library) {
            *which = names[i];
            return library;
        }
        if (error && !reported && is_broken(names[i], error)) {
            snprintf(note, size, "cannot load %s: %s", names[i], error);
            reported = true;
        }
    }
    return NULL;
}

bool library_find(void *library, const struct library_symbol *symbols, int count, char *note,
                  size_t size)
{
    for (int i = 0; i < count; i++) {
        void *found = os_library_find(library, symbols[i].name);
        if (!found) {
            snprintf(note, size, "the driver has no function %s; update the driver",
                     symbols[i].name);
            return false;
        }
        memcpy(symbols[i].function, &found, sizeof found);
    }
    return true;
}

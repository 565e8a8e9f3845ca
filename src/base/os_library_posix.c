#include "base/os_library.h"

#include <dlfcn.h>
#include <stddef.h>

void *os_library_open(const char *name, const char **error)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    *error = library ? NULL : dlerror();
    return library;
}

void *os_library_find(void *library, const char *name)
{
    return dlsym(library, name);
}

void os_library_close(void *library)
{
    dlclose(library);
}

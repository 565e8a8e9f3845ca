/* Libraries that are loaded at run time. Programs include this header, too. */
#ifndef SWATHE_BASE_OS_LIBRARY_H
#define SWATHE_BASE_OS_LIBRARY_H

/* NULL: `error` is the reason, valid until the next call in this thread. */
void *os_library_open(const char *name, const char **error);
/* A function or an object; NULL: the library has none with this name. */
void *os_library_find(void *library, const char *name);
void os_library_close(void *library);

#endif

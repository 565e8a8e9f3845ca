/* How the fleet reports failures, and where it allocates. */
#ifndef FLEET_FAIL_H
#define FLEET_FAIL_H

#include "swathe/unstable.h"

#include <stddef.h>
#include <stdint.h>

/* Returns from the calling function if `call` fails. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        swathe_status try_status_ = (call);                                                        \
        if (try_status_ != SWATHE_OK)                                                              \
            return try_status_;                                                                    \
    } while (0)

/* Records a failure of this thread, as swathe_error_get returns it, and returns its status. Control
 * characters of the text, which could come from a message, become '?'. */
#define fleet_fail(status, ...) fleet_fail_system(status, 0, __VA_ARGS__)
/* The same with an errno, which callers can compare; its text is not appended. */
swathe_status fleet_fail_system(swathe_status status, int number, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Puts a prefix before the text of the last failure and returns its status. */
swathe_status fleet_fail_within(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The errno of the last failure; 0: none. */
int fleet_fail_number(void);

/* Prints "swathe-fleet: " and the text as one line on standard error; returns `status`, the exit
 * code. */
int fleet_complain(swathe_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* For "1 job" and "2 jobs". */
static inline const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}
/* Prints the last failure of this thread. */
int fleet_complain_last(swathe_status status);

/* `count` elements of `size` bytes, cleared. Fails with SWATHE_ERROR_MEMORY, also if the product
 * does not fit. Free with free(). */
swathe_status fleet_allocate(size_t count, size_t size, void *block);
/* Grows or shrinks *block; its contents up to the smaller size are kept. */
swathe_status fleet_reallocate(size_t count, size_t size, void *block);
swathe_status fleet_copy_text(const char *text, char **copy);
/* Formats into memory of malloc. */
swathe_status fleet_format(char **text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

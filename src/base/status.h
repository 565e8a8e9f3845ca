/* How everything inside reports failure: `return fail(STATUS, "value, limit, way out")`. */
#ifndef SWATHE_BASE_STATUS_H
#define SWATHE_BASE_STATUS_H

#include "swathe/swathe.h"

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

/* Return from the calling function when `call` fails. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        swathe_status try_status_ = (call);                                                        \
        if (try_status_ != SWATHE_OK)                                                              \
            return try_status_;                                                                    \
    } while (0)

enum { ERROR_TEXT_SIZE = 1024 };

/* Records the text for this thread and gives the status. A macro, so that compilers see that the
 * status is a failure. */
#define fail(status, ...) (fail_record(__VA_ARGS__), (status))
void fail_record(const char *format, ...) PRINTF_LIKE(1, 2);

/* Puts a context before the text of the failure in progress: "photo.png: " + text. */
#define fail_within(status, ...) (fail_prefix(__VA_ARGS__), (status))
void fail_prefix(const char *format, ...) PRINTF_LIKE(1, 2);

const char *fail_text(void);

/* A call that succeeds leaves the text of the last failure alone, whatever was tried inside: keep
 * the text before, and at the end let go of it. fail_release gives the status, and puts the kept
 * text back when that is SWATHE_OK. */
struct fail_kept {
    char text[ERROR_TEXT_SIZE];
};
struct fail_kept fail_keep(void);
swathe_status fail_release(const struct fail_kept *kept, swathe_status status);

struct status_row {
    swathe_status status;
    const char *name, *summary;
};
/* NULL past the end. */
const struct status_row *status_row(int index);

#endif

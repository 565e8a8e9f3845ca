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

enum { ERROR_TEXT_SIZE = 1024, ERROR_SUBJECT_SIZE = 32 };

/* A failure, as swathe_error_get gives it. */
struct failure {
    swathe_status status;
    int32_t system;                   /* an errno; 0: none */
    int64_t needed;                   /* of the subject; 0: not known */
    char subject[ERROR_SUBJECT_SIZE]; /* a field of public options; empty: none */
    char text[ERROR_TEXT_SIZE];
};

/* Records a failure of this thread and gives its status. Macros, so that compilers see that the
 * status is a failure.
 * Texts name no `--flags`: programs other than the command print them. What to change is the
 * subject: a limit or an option, by the name of its field in the public header. */
#define fail(status, ...) (fail_record(status, __VA_ARGS__), (status))
#define fail_about(status, subject, ...)                                                           \
    (fail_record(status, __VA_ARGS__), fail_subject(subject, 0), (status))
/* A limit was reached that at least `needed` would lift; 0 where that is not known. */
#define fail_limit(subject, needed, ...)                                                           \
    (fail_record(SWATHE_ERROR_LIMIT, __VA_ARGS__), fail_subject(subject, needed),                  \
     SWATHE_ERROR_LIMIT)
/* The system refused, with this errno; its own words are put after the text. */
#define fail_system(number, ...) (fail_record_system(number, __VA_ARGS__), SWATHE_ERROR_IO)

void fail_record(swathe_status status, const char *format, ...) PRINTF_LIKE(2, 3);
void fail_record_system(int number, const char *format, ...) PRINTF_LIKE(2, 3);
/* Of the failure that was just recorded. */
void fail_subject(const char *subject, int64_t needed);

/* Puts a context before the text of the failure in progress: "photo.png: " + text. */
#define fail_within(status, ...) (fail_prefix(__VA_ARGS__), (status))
void fail_prefix(const char *format, ...) PRINTF_LIKE(1, 2);

/* The last failure of this thread. */
const struct failure *fail_last(void);
const char *fail_text(void);

/* A call that succeeds leaves the last failure alone, whatever was tried inside: keep it before,
 * and at the end let go of it. fail_release gives the status; where that is SWATHE_OK it puts the
 * kept failure back, else it notes that the call failed so. */
struct failure fail_keep(void);
swathe_status fail_release(const struct failure *kept, swathe_status status);

/* Makes a failure, perhaps of another thread, the last one of this thread; gives its status. */
swathe_status fail_again(const struct failure *failure);

struct status_entry {
    swathe_status status;
    const char *name, *summary;
};
/* NULL past the end. */
const struct status_entry *status_entry(int index);

#endif

/* How the library reports failures: `return fail(STATUS, "value, limit, way out")`. */
#ifndef SWATHE_BASE_STATUS_H
#define SWATHE_BASE_STATUS_H

#include "swathe/unstable.h"

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(PRINTF_KIND, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

/* Returns from the calling function if `call` fails. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        swathe_status try_status_ = (call);                                                        \
        if (try_status_ != SWATHE_OK)                                                              \
            return try_status_;                                                                    \
    } while (0)

enum { ERROR_TEXT_SIZE = 1024, ERROR_SUBJECT_SIZE = 32 };

/* A failure, as swathe_error_get returns it. */
struct failure {
    swathe_status status;
    int32_t system;                   /* an errno; 0: none */
    int64_t needed;                   /* value that the subject must have; 0: unknown */
    char subject[ERROR_SUBJECT_SIZE]; /* name of a field of public options; empty: none */
    char text[ERROR_TEXT_SIZE];
};

/* Records a failure of this thread and returns its status. These are macros, so that compilers see
 * that the status is a failure.
 * Texts do not mention `--flags`, because programs other than the command print them. The subject
 * names the limit or option to change, as its field in the public header. */
#define fail(status, ...) (fail_record(status, __VA_ARGS__), (status))
#define fail_about(status, subject, ...)                                                           \
    (fail_record(status, __VA_ARGS__), fail_subject(subject, 0), (status))
/* A limit was exceeded; `needed` is the value that would suffice, 0 if unknown. */
#define fail_limit(subject, needed, ...)                                                           \
    (fail_record(SWATHE_ERROR_LIMIT, __VA_ARGS__), fail_subject(subject, needed),                  \
     SWATHE_ERROR_LIMIT)
/* A system call failed with this errno. Its message is appended to the text. */
#define fail_system(number, ...) (fail_record_system(number, __VA_ARGS__), SWATHE_ERROR_IO)

void fail_record(swathe_status status, const char *format, ...) PRINTF_LIKE(2, 3);
void fail_record_system(int number, const char *format, ...) PRINTF_LIKE(2, 3);
/* Sets the subject of the failure that was just recorded. */
void fail_subject(const char *subject, int64_t needed);

/* Puts a prefix before the text of the current failure: "photo.png: " + text. */
#define fail_within(status, ...) (fail_prefix(__VA_ARGS__), (status))
void fail_prefix(const char *format, ...) PRINTF_LIKE(1, 2);
/* The same with a name, unless the text starts with it: callbacks may name what they read. Returns
 * the status, which may be SWATHE_OK. */
swathe_status fail_named(swathe_status status, const char *name);

/* The last failure of this thread. */
const struct failure *fail_last(void);
const char *fail_text(void);

/* A call that succeeds must not change the last failure, even if something inside it failed. Keep
 * the failure at the start of the call and release it at the end. fail_release returns the status.
 * If that is SWATHE_OK it restores the kept failure, otherwise it records that the call failed with
 * this status. */
struct failure fail_keep(void);
swathe_status fail_release(const struct failure *kept, swathe_status status);

/* Checks the status that a caller's function returned; `function` is its name in messages. One that
 * the header does not list becomes SWATHE_ERROR_ARGUMENT, with the text that was recorded. */
swathe_status fail_returned(swathe_status status, const char *function);

/* Makes a failure, possibly of another thread, the last one of this thread. Returns its status. */
swathe_status fail_again(const struct failure *failure);

struct status_entry {
    swathe_status status;
    const char *name, *summary;
};
/* NULL past the end. */
const struct status_entry *status_entry(int index);

#endif

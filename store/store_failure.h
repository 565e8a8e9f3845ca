/* How the store reports failures: `return store_fail(STATUS, errno, "value, limit, way out")`. */
#ifndef STORE_STORE_FAILURE_H
#define STORE_STORE_FAILURE_H

#include <swathe/swathe.h>

/* Returns from the calling function if `call` fails. */
#define STORE_TRY(call)                                                                            \
    do {                                                                                           \
        swathe_status try_status_ = (call);                                                        \
        if (try_status_ != SWATHE_OK)                                                              \
            return try_status_;                                                                    \
    } while (0)

/* Records a failure of this thread and returns its status. `system` is an errno; 0: none. */
swathe_status store_fail(swathe_status status, int system, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A system call failed: "path: text of the errno". */
swathe_status store_fail_path(int system, const char *path);
swathe_status store_fail_memory(void);
swathe_status store_fail_cancelled(void);
/* There is an object already. */
swathe_status store_fail_exists(const char *url);
/* The object changed since it was opened. */
swathe_status store_fail_changed(const char *url);

/* The errno of this thread's last failure; 0: none. */
int store_last_system(void);

/* This thread's last failure, so that cleaning up after it cannot replace it. */
struct store_failure {
    swathe_error error;
    char text[2048], subject[64];
};
void store_failure_save(struct store_failure *failure);
void store_failure_restore(struct store_failure *failure);

#endif

#include "basics.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static swathe_status store_failure_record(swathe_status status, int system, const char *subject,
                                          const char *text)
{
    swathe_error error = SWATHE_INIT(swathe_error);
    error.status = status;
    error.system = system;
    error.subject = subject;
    error.text = text;
    swathe_error_record(&error);
    return status;
}

swathe_status store_fail(swathe_status status, int system, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return store_failure_record(status, system, NULL, text);
}

swathe_status store_fail_path(int system, const char *path)
{
    char reason[128] = "";
    if (strerror_r(system, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", system);
    return store_fail(system == ENOMEM ? SWATHE_ERROR_MEMORY : SWATHE_ERROR_IO, system, "%s: %s",
                      path, reason);
}

swathe_status store_fail_memory(void)
{
    return store_failure_record(SWATHE_ERROR_MEMORY, ENOMEM, NULL,
                                "not enough memory for the store");
}

swathe_status store_fail_cancelled(void)
{
    return store_failure_record(SWATHE_ERROR_CANCELLED, ECANCELED, NULL, "cancelled");
}

swathe_status store_fail_exists(const char *url)
{
    char text[2048];
    snprintf(text, sizeof text, "%s: exists already", url);
    return store_failure_record(SWATHE_ERROR_ARGUMENT, EEXIST, "overwrite", text);
}

swathe_status store_fail_changed(const char *url)
{
    return store_fail(SWATHE_ERROR_IO, ESTALE, "%s: changed while it was read", url);
}

int store_last_system(void)
{
    swathe_error error;
    error.struct_size = sizeof error;
    return swathe_error_get(&error) == SWATHE_OK ? error.system : 0;
}

void store_failure_save(struct store_failure *failure)
{
    failure->error = SWATHE_INIT(swathe_error);
    swathe_error_get(&failure->error);
    snprintf(failure->text, sizeof failure->text, "%s", failure->error.text);
    snprintf(failure->subject, sizeof failure->subject, "%s",
             failure->error.subject ? failure->error.subject : "");
}

void store_failure_restore(struct store_failure *failure)
{
    failure->error.text = failure->text;
    failure->error.subject = *failure->subject ? failure->subject : NULL;
    if (failure->error.status != SWATHE_OK)
        swathe_error_record(&failure->error);
}

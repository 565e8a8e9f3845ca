#include "base/status.h"

#include "base/c_locale.h"

#include <stdarg.h>
#include <string.h>

/* Per thread, as errno is: concurrent runs on one context never mix their messages, and no
 * function needs an extra parameter. Workers hand their text to the thread that called. */
static _Thread_local char error_text[ERROR_TEXT_SIZE];

static const struct status_row rows[] = {
#define STATUS(status, name, summary) {status, name, summary},
#include "base/status.def"
#undef STATUS
};

void fail_record(const char *format, ...)
{
    /* An argument may be the current text itself, so format beside it. */
    char text[ERROR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    c_locale_format_list(text, sizeof text, format, args);
    va_end(args);
    memcpy(error_text, text, sizeof text);
}

void fail_prefix(const char *format, ...)
{
    char before[ERROR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    c_locale_format_list(before, sizeof before, format, args);
    va_end(args);
    fail_record("%s%s", before, error_text);
}

const char *fail_text(void)
{
    return error_text;
}

struct fail_kept fail_keep(void)
{
    struct fail_kept kept;
    memcpy(kept.text, error_text, sizeof kept.text);
    return kept;
}

swathe_status fail_release(const struct fail_kept *kept, swathe_status status)
{
    if (status == SWATHE_OK)
        memcpy(error_text, kept->text, sizeof error_text);
    return status;
}

const struct status_row *status_row(int index)
{
    return index >= 0 && index < (int)(sizeof rows / sizeof *rows) ? &rows[index] : NULL;
}

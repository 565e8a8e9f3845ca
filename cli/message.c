#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

static _Thread_local struct {
    char *text;
    size_t size;
} kept;

void message_keep(char *text, size_t size)
{
    kept.text = text;
    kept.size = size;
}

void message_clean(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
}

static void print_line(char *text)
{
    message_clean(text);
    if (kept.text)
        snprintf(kept.text, kept.size, "%s", text);
    else
        fprintf(stderr, "swathe: %s\n", text);
}

int complain(swathe_status status, const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_line(text);
    return status;
}

int complain_library(swathe_status status, const char *what)
{
    if (!what)
        return complain(status, "%s", swathe_error_text());
    return complain(status, "%s: %s", what, swathe_error_text());
}

swathe_status system_status(int error)
{
    return error == ENOMEM ? SWATHE_ERROR_MEMORY : SWATHE_ERROR_IO;
}

int complain_unless_ended(FILE *from, const char *path)
{
    int error = errno;
    if (feof(from) && !ferror(from))
        return 0;
    return complain(system_status(error), "%s: cannot read: %s", path, strerror(error));
}

const char *path_read(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

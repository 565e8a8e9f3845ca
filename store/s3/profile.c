#define _GNU_SOURCE /* O_CLOEXEC */
#include "s3/profile.h"

#include "secret_memory.h"
#include "store_failure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 18 };

/* Reads the file into memory for secrets, with a NUL at its end. */
static swathe_status read_file(const char *path, char *text)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? SWATHE_OK : store_fail_path(errno, path);
    size_t size = 0;
    ssize_t got = 1;
    while (got > 0 && size < MOST_BYTES - 1) {
        got = read(fd, text + size, MOST_BYTES - 1 - size);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            size += (size_t)got;
    }
    int error = got < 0 ? errno : 0;
    close(fd);
    if (error)
        return store_fail_path(error, path);
    if (size == MOST_BYTES - 1)
        return store_fail(SWATHE_ERROR_LIMIT, EFBIG, "%s: a profile file has at most %d bytes",
                          path, MOST_BYTES - 2);
    text[size] = '\0';
    return SWATHE_OK;
}

/* Removes spaces around a line or a value, in place. */
static char *trim(char *text)
{
    text += strspn(text, " \t\r");
    size_t size = strlen(text);
    while (size > 0 && strchr(" \t\r", text[size - 1]))
        text[--size] = '\0';
    return text;
}

static bool is_section(char *line, const char *section)
{
    char *end = strchr(line, ']');
    if (!end)
        return false;
    *end = '\0';
    return strcmp(trim(line + 1), section) == 0;
}

static swathe_status take(const char *path, char *line, const struct profile_field *fields,
                          size_t count)
{
    char *equal = strchr(line, '=');
    if (!equal)
        return SWATHE_OK;
    *equal = '\0';
    const char *name = trim(line), *value = trim(equal + 1);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, fields[i].name) != 0 || *fields[i].value)
            continue;
        if (strlen(value) >= fields[i].size)
            return store_fail(SWATHE_ERROR_INPUT, EINVAL, "%s: %s has more than %zu bytes", path,
                              name, fields[i].size - 1);
        memcpy(fields[i].value, value, strlen(value) + 1);
    }
    return SWATHE_OK;
}

static swathe_status parse(const char *path, char *text, const char *section,
                           const struct profile_field *fields, size_t count)
{
    bool inside = false;
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        /* Indented lines belong to a nested table, such as `s3 =`. */
        bool nested = *line == ' ' || *line == '\t';
        char *plain = trim(line);
        if (*plain == '[')
            inside = is_section(plain, section);
        else if (inside && !nested && *plain != '#' && *plain != ';')
            STORE_TRY(take(path, plain, fields, count));
    }
    return SWATHE_OK;
}

swathe_status store_profile_read(const char *path, const char *section,
                                 const struct profile_field *fields, size_t count)
{
    char *text = store_secret_new(MOST_BYTES);
    if (!text)
        return store_fail_memory();
    swathe_status status = read_file(path, text);
    if (status == SWATHE_OK)
        status = parse(path, text, section, fields, count);
    store_secret_free(text, MOST_BYTES);
    return status;
}

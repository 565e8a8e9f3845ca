#define _GNU_SOURCE /* O_CLOEXEC */
#include "basics.h"
#include "inner.h"
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Profile files -------------------------------------------------------------------------- */

enum { MOST_BYTES = 1 << 18 };

/* Reads the file into memory for secrets, with a NUL at its end. */
static swathe_status credentials_read_file(const char *path, char *text)
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
static char *credentials_trim(char *text)
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
    return strcmp(credentials_trim(line + 1), section) == 0;
}

static swathe_status credentials_take(const char *path, char *line,
                                      const struct profile_field *fields, size_t count)
{
    char *equal = strchr(line, '=');
    if (!equal)
        return SWATHE_OK;
    *equal = '\0';
    const char *name = credentials_trim(line), *value = credentials_trim(equal + 1);
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

static swathe_status credentials_parse(const char *path, char *text, const char *section,
                                       const struct profile_field *fields, size_t count)
{
    bool inside = false;
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        /* Indented lines belong to a nested table, such as `s3 =`. */
        bool nested = *line == ' ' || *line == '\t';
        char *plain = credentials_trim(line);
        if (*plain == '[')
            inside = is_section(plain, section);
        else if (inside && !nested && *plain != '#' && *plain != ';')
            STORE_TRY(credentials_take(path, plain, fields, count));
    }
    return SWATHE_OK;
}

swathe_status store_profile_read(const char *path, const char *section,
                                 const struct profile_field *fields, size_t count)
{
    char *text = store_secret_new(MOST_BYTES);
    if (!text)
        return store_fail_memory();
    swathe_status status = credentials_read_file(path, text);
    if (status == SWATHE_OK)
        status = credentials_parse(path, text, section, fields, count);
    store_secret_free(text, MOST_BYTES);
    return status;
}

/* ---- Credentials ---------------------------------------------------------------------------- */

/* An empty variable counts as unset, as for other programs that read these. */
static const char *credentials_variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* Copies a variable, unless the field is filled already. */
static swathe_status copy_variable(const char *name, char *field, size_t size)
{
    const char *value = credentials_variable(name);
    if (!value || *field)
        return SWATHE_OK;
    if (strlen(value) >= size)
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL, "%s has more than %zu bytes", name,
                          size - 1);
    memcpy(field, value, strlen(value) + 1);
    return SWATHE_OK;
}

void store_hide(const char *secret)
{
    store_secret_hide(secret);
}

void store_hide_environment(void)
{
    static const char *const names[] = {"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (credentials_variable(names[i]))
            store_hide(credentials_variable(names[i]));
}

static swathe_status read_environment(struct credentials *own)
{
    if (credentials_variable("AWS_ACCESS_KEY_ID") &&
        credentials_variable("AWS_SECRET_ACCESS_KEY")) {
        STORE_TRY(copy_variable("AWS_ACCESS_KEY_ID", own->access_key, sizeof own->access_key));
        STORE_TRY(copy_variable("AWS_SECRET_ACCESS_KEY", own->secret, sizeof own->secret));
        STORE_TRY(copy_variable("AWS_SESSION_TOKEN", own->token, sizeof own->token));
    }
    STORE_TRY(copy_variable("AWS_REGION", own->region, sizeof own->region));
    STORE_TRY(copy_variable("AWS_DEFAULT_REGION", own->region, sizeof own->region));
    STORE_TRY(copy_variable("AWS_ENDPOINT_URL_S3", own->endpoint, sizeof own->endpoint));
    STORE_TRY(copy_variable("AWS_ENDPOINT_URL", own->endpoint, sizeof own->endpoint));
    return copy_variable("AWS_CA_BUNDLE", own->ca_bundle, sizeof own->ca_bundle);
}

/* The path that a variable names, otherwise ~/.aws/NAME. */
static bool file_path(const char *name, const char *file, char path[PATH_MAX])
{
    const char *value = credentials_variable(name), *home = credentials_variable("HOME");
    if (value)
        return snprintf(path, PATH_MAX, "%s", value) < PATH_MAX;
    return home && snprintf(path, PATH_MAX, "%s/.aws/%s", home, file) < PATH_MAX;
}

/* The config file calls profiles "profile NAME", except the default one. */
static swathe_status read_files(struct credentials *own)
{
    char path[PATH_MAX], section[256];
    const char *profile = credentials_variable("AWS_PROFILE");
    /* Keys of the environment are not mixed with those of a file. */
    bool keys = *own->access_key == '\0';
    struct profile_field fields[] = {
        {"region", own->region, sizeof own->region},
        {"endpoint_url", own->endpoint, sizeof own->endpoint},
        {"ca_bundle", own->ca_bundle, sizeof own->ca_bundle},
        {"aws_access_key_id", own->access_key, sizeof own->access_key},
        {"aws_secret_access_key", own->secret, sizeof own->secret},
        {"aws_session_token", own->token, sizeof own->token},
    };
    size_t count = sizeof fields / sizeof *fields;
    if (snprintf(section, sizeof section, "%s", profile ? profile : "default") >=
        (int)sizeof section)
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL, "AWS_PROFILE has more than 255 bytes");
    if (keys && file_path("AWS_SHARED_CREDENTIALS_FILE", "credentials", path))
        STORE_TRY(store_profile_read(path, section, fields, count));
    keys = keys && *own->access_key == '\0';
    if (profile && strcmp(profile, "default") != 0)
        snprintf(section, sizeof section, "profile %.240s", profile);
    if (file_path("AWS_CONFIG_FILE", "config", path))
        STORE_TRY(store_profile_read(path, section, fields, keys ? count : 3));
    return SWATHE_OK;
}

/* Printable ASCII without spaces: these go into headers. */
static bool credentials_printable(const char *text)
{
    for (; *text; text++)
        if (*text <= ' ' || *text >= 0x7f)
            return false;
    return true;
}

static bool good_endpoint(const char *url)
{
    const char *host = strncmp(url, "https://", 8) == 0  ? url + 8
                       : strncmp(url, "http://", 7) == 0 ? url + 7
                                                         : NULL;
    return host && *host &&
           host[strspn(host,
                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]")] ==
               '\0';
}

static swathe_status credentials_check(struct credentials *own)
{
    const char *profile = credentials_variable("AWS_PROFILE");
    if ((!*own->access_key || !*own->secret) && profile)
        return store_fail(SWATHE_ERROR_IO, EACCES,
                          "no credentials for S3 in profile '%.255s' of AWS_PROFILE; add them to "
                          "~/.aws/credentials, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
                          profile);
    if (!*own->access_key || !*own->secret)
        return store_fail(SWATHE_ERROR_IO, EACCES,
                          "no credentials for S3; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
                          "or AWS_PROFILE and ~/.aws/credentials");
    if (!credentials_printable(own->access_key) || !credentials_printable(own->secret) ||
        !credentials_printable(own->token))
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL,
                          "the credentials for S3 contain spaces or characters outside ASCII");
    if (!*own->region)
        snprintf(own->region, sizeof own->region, "us-east-1");
    if (own->region[strspn(own->region, "abcdefghijklmnopqrstuvwxyz0123456789-")])
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL,
                          "AWS_REGION: a region has lower-case letters, digits and '-'");
    size_t size = strlen(own->endpoint);
    while (size > 0 && own->endpoint[size - 1] == '/')
        own->endpoint[--size] = '\0';
    /* The text is not repeated: it may contain a password. */
    if (size > 0 && !good_endpoint(own->endpoint))
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL,
                          "AWS_ENDPOINT_URL must be http://HOST or https://HOST, with an optional "
                          ":PORT and nothing else");
    return SWATHE_OK;
}

swathe_status store_credentials_load(struct credentials **credentials)
{
    struct credentials *own = store_secret_new(sizeof *own);
    if (!own)
        return store_fail_memory();
    swathe_status status = read_environment(own);
    if (status == SWATHE_OK)
        status = read_files(own);
    if (status == SWATHE_OK)
        status = credentials_check(own);
    if (status == SWATHE_OK)
        *credentials = own;
    else
        store_credentials_destroy(own);
    return status;
}

bool store_credentials_renew(struct credentials **credentials)
{
    struct credentials *old = *credentials, *made;
    if (store_credentials_load(&made) != SWATHE_OK)
        return false;
    bool same = strcmp(made->access_key, old->access_key) == 0 &&
                strcmp(made->secret, old->secret) == 0 && strcmp(made->token, old->token) == 0;
    if (same) {
        store_credentials_destroy(made);
        return false;
    }
    made->older = old;
    *credentials = made;
    return true;
}

void store_credentials_destroy(struct credentials *credentials)
{
    while (credentials) {
        struct credentials *older = credentials->older;
        store_secret_free(credentials, sizeof *credentials);
        credentials = older;
    }
}
